#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "shared/artifact/model_file.h"
#include "shared/math/pose.h"

namespace haptic {

/// A material point of a deformable body: X + U(X) q, model frame.
struct SurfacePoint {
  Vector3 nearest = Vector3::Zero();  ///< to X, on the surface at rest [m]
  double distance = 0.0;              ///< of it from X [m]
  std::uint32_t corners[3] = {};      ///< vertices of its triangle
  Vector3 weights = Vector3::Zero();  ///< of these at `nearest`
  Eigen::Matrix3Xd displacement;      ///< U, 3 x r [kg^-1/2]: that of `nearest`
  double largest = 0.0;               ///< element of U on the whole surface [kg^-1/2]
  double radius = 0.0;                ///< half the diagonal of the surface's box [m]

  /// Whether the deformation moves the point, by more than rounding.
  bool moves() const { return displacement.norm() > 1e-6 * largest; }
};

/// The point of a model's render surface that is nearest to a point at rest, and how the
/// deformation displaces it: linear over each triangle.
/// @param kept     number of leading basis vectors
/// @param at_rest  X, model frame [m]
/// @throws InputError if the model has no /surface/basis
SurfacePoint nearest_surface_point(const ModelFile& model, std::uint32_t kept,
                                   const Vector3& at_rest);

}  // namespace haptic
