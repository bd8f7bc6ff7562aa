#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rt/geometry/grid_kernels.h"
#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Signed distance to a rigid surface, sampled at the corners of N^3 voxels of edge h; negative
/// inside. A read-only view of /field/values, whose owner outlives it; /field/frame is copied.
///
/// Inside the box the eight corners are interpolated trilinearly, in double. Outside, the value is
/// the lower bound d_box + d_boundary, which is positive, so there is no contact. `evaluate`
/// returns the same bits as `distance` with every instruction set.
/// Source: docs/methods/contact-and-coupling.md, "Sampled field"; Barbic 2007, Eq 3.10, 3.14, 3.15.
class DistanceField final : public SignedField {
 public:
  /// @param values (N+1)^3 floats [m], value (i, j, k) at k (N+1)^2 + j (N+1) + i
  /// @param frame  lower corner x, y, z; voxel edge h; a bound (the smallest value) on the box
  /// faces [m]
  /// @param source file name for messages
  /// @throws InputError if N is not a power of two, a size does not match, a number is not finite,
  ///         or a face of the box touches the object
  DistanceField(std::span<const float> values, std::span<const double> frame,
                std::string_view source = "field");
  explicit DistanceField(const ModelFile& model);

  std::uint32_t resolution() const HAPTIC_REALTIME { return resolution_; }  ///< N
  double edge() const HAPTIC_REALTIME override { return grid_.edge; }       ///< h [m]
  double reach() const HAPTIC_REALTIME override { return reach_; }
  double inner_depth() const HAPTIC_REALTIME override { return inner_depth_; }
  Vector3 lower() const HAPTIC_REALTIME { return Vector3(grid_.lower); }  ///< box corner [m]
  Vector3 upper() const HAPTIC_REALTIME { return Vector3(grid_.upper); }  ///< box corner [m]
  double boundary_minimum() const HAPTIC_REALTIME { return grid_.boundary_minimum; }  ///< m, > 0

  /// Distance at a point in the material frame [m]; NaN if a coordinate is NaN.
  double distance(const Vector3& p) const HAPTIC_REALTIME {
    const grid::Place at = grid::locate(grid_, p);
    return at.inside ? grid::interpolant(grid::corners(grid_, corner(at)), grid::weights(at.t))
                     : grid::outside(grid_, p);
  }
  /// Free radius [m] of the point p with the given distance, the same as from `evaluate`.
  double free_radius(double distance, const Vector3& p, Culling culling) const HAPTIC_REALTIME {
    return grid::free_radius(grid_, distance, p, culling);
  }
  /// Distance and its exact derivative from one gather of the eight corners.
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    const grid::Place at = grid::locate(grid_, p);
    return at.inside ? grid::interpolant_and_gradient(grid::corners(grid_, corner(at)),
                                                      grid::weights(at.t), grid_.inverse_edge)
                     : grid::bound_and_gradient(grid_, p);
  }

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    kernels_->evaluate(grid_, points, count, culling, samples);
  }
  void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME override;

  /// Bound on the amount by which interpolated values at two points can violate the 1-Lipschitz
  /// condition [m]: sqrt(3) h for the interpolation, plus the rounding of two float samples.
  double interpolation_slack() const HAPTIC_REALTIME { return grid_.slack; }

  /// Smallest signed distance of `p` to the planes of the box faces [m]; negative outside the box.
  double depth_in_box(const Vector3& p) const HAPTIC_REALTIME {
    return grid::depth_in_box(grid_, p);
  }

 private:
  /// Sample at the lowest corner of a cell; `at` is inside the box.
  const float* corner(const grid::Place& at) const HAPTIC_REALTIME {
    return grid_.values + (at.k() * grid_.slice + at.j() * grid_.row + at.i());
  }

  GridView grid_;
  const GridKernels* kernels_;
  std::uint32_t resolution_ = 0;
  double reach_ = 0.0, inner_depth_ = 0.0;
};

}  // namespace haptic
