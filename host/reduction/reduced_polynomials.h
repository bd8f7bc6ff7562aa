#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/mass_kind.h"
#include "host/reduction/polynomial_accumulator.h"

namespace haptic {

/// Quartic energy of the whole body (docs/methods/reduced-dynamics.md, "Reduced polynomials"): all
/// elements of one PolynomialAccumulator.
/// @throws InputError as PolynomialAccumulator does
ReducedPolynomials reduced_polynomials(const SolidMesh& mesh, BasisView basis,
                                       const PolynomialSettings& settings = {});

/// U^T M_g U of every material group at rho = 1 kg/m^3: G x C(r+1,2), pairs i <= j, last index
/// fastest. With the groups' densities as weights they sum to the reduced mass.
std::vector<double> group_mass(const SolidMesh& mesh, BasisView basis,
                               MassKind kind = MassKind::kConsistent);

}  // namespace haptic
