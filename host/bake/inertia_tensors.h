#pragma once

#include <Eigen/Core>
#include <vector>

#include "host/fem/stvk_model.h"

namespace haptic {

/// How the inertia of a free body depends on its deformation u = U q, with positions from the
/// centre of mass, in the layout of /reduced/inertia (docs/artifact.md). Source:
/// docs/methods/multibody.md, "Free bodies that deform".
struct InertiaTensors {
  std::vector<double> linear;     ///< r x 6 [kg^1/2 m]
  std::vector<double> quadratic;  ///< C(r+1,2) x 6
  std::vector<double> spin;       ///< C(r+1,2) x 3
};

/// @param model  without fixed vertices
/// @param basis  3n x r [kg^-1/2]
InertiaTensors inertia_tensors(const StvkModel& model,
                               const Eigen::Ref<const Eigen::MatrixXd>& basis);

/// Momentum of the velocity U qdot about the centre of mass of the rest shape, per reduced
/// coordinate: sum m u [3 x r, kg^1/2] and sum m x cross u [3 x r, kg^1/2 m]; zero for a basis
/// without rigid parts.
struct BasisMomentum {
  Eigen::Matrix3Xd linear, angular;
};
BasisMomentum basis_momentum(const StvkModel& model,
                             const Eigen::Ref<const Eigen::MatrixXd>& basis);

}  // namespace haptic
