#pragma once

#include "host/fem/sparse_factorization.h"
#include "host/fem/stvk_model.h"
#include "host/reduction/linear_modes.h"

namespace haptic {

/// The k lowest modes of K x = lambda M x of an anchored body with lumped mass. Few modes by
/// linear_modes(); more than a quarter of all by the dense problem M^-1/2 K M^-1/2, whose cost, n^3
/// over the free degrees of freedom, is then the smaller one.
/// Source: Sedaghat 2011, section 3.2.
/// @param model with MassKind::kLumped
/// @param rest_stiffness factor_rest_stiffness(model)
/// @param k 1 to all free degrees of freedom
/// @throws OperationError without convergence
LinearModes lumped_modes(const StvkModel& model, const SparseFactorization& rest_stiffness, int k);

}  // namespace haptic
