#pragma once

#include <Eigen/Core>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// The most compressed element of a deformed mesh.
struct SmallestVolume {
  int element = 0;
  double ratio = 1.0;  ///< det F, smallest over the element's quadrature points; <= 0: inverted
};

/// @param u displacement, 3n [m]
SmallestVolume smallest_volume(const SolidMesh& mesh, const Eigen::Ref<const Eigen::VectorXd>& u);

}  // namespace haptic
