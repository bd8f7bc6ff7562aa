#pragma once

#include <Eigen/Core>

#include "host/fem/sparse_factorization.h"
#include "host/fem/stvk_model.h"
#include "rt/dynamics/rayleigh_damping.h"
#include "shared/artifact/model_file.h"

namespace haptic::lab {

/// The unreduced linear body M u'' + D u' + K u = f on its free degrees of freedom, with lumped M
/// and D = alpha M + beta K. Source: Sedaghat 2011, sections 3.2 and 5.3.
struct LinearBody {
  /// @param model anchored, with MassKind::kLumped
  /// @throws InputError if a rigid motion is free
  explicit LinearBody(StvkModel body, RayleighDamping damping = {});

  StvkModel model;
  SparseMatrix K;              ///< n x n [N/m]
  Eigen::VectorXd mass;        ///< n, diagonal of M [kg]
  RayleighDamping damping;     ///< alpha, beta
  SparseFactorization factor;  ///< of K

  int size() const { return static_cast<int>(mass.size()); }  ///< n
};

/// The body of a model file with /condensed, with the damping of the file.
/// @throws InputError if it has none
LinearBody read_linear_body(const ModelFile& model);

}  // namespace haptic::lab
