#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rt/contact/modal_coordinates.h"
#include "rt/contact/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Signed distance to a rigid surface, sampled at the corners of N^3 voxels of edge h; negative
/// inside. A read-only view on /field/values and /field/frame, whose owner outlives it.
///
/// Inside the box the eight corners are interpolated trilinearly, in double. Outside the value is
/// the lower bound d_box + d_boundary, which is positive and so never makes a contact.
/// Source: spec contact-and-coupling 2.14-2.15, Eq 3.10, 3.14, 3.15.
class DistanceField final : public SignedField {
 public:
  /// @param values (N+1)^3 floats [m], value (i, j, k) at k (N+1)^2 + j (N+1) + i
  /// @param frame  lower corner x, y, z; voxel edge h; a bound (the smallest value) on the box
  /// faces [m]
  /// @param source file name for messages
  /// @throws InputError if N is not a power of two, a size does not fit, a number is not finite,
  ///         or a face of the box touches the object
  DistanceField(std::span<const float> values, std::span<const double> frame,
                std::string_view source = "field");
  explicit DistanceField(const ModelFile& model);

  std::uint32_t resolution() const HAPTIC_REALTIME { return resolution_; }  ///< N
  double edge() const HAPTIC_REALTIME override { return edge_; }            ///< h [m]
  double reach() const HAPTIC_REALTIME override { return reach_; }
  const Vector3& lower() const HAPTIC_REALTIME { return lower_; }                ///< box corner [m]
  const Vector3& upper() const HAPTIC_REALTIME { return upper_; }                ///< box corner [m]
  double boundary_minimum() const HAPTIC_REALTIME { return boundary_minimum_; }  ///< m, > 0

  /// Where a point stands in the grid. Outside the box there is no corner and the value is known.
  struct Cell {
    const float* corner;  ///< sample at the lowest corner, or null
    double x, y, z;       ///< position inside the cell, 0..1; outside, x is the lower bound [m]
  };

  /// Distance at a point in the material frame [m]. NaN for a point that is not finite.
  double distance(const Vector3& p) const HAPTIC_REALTIME { return distance(locate(p)); }
  double distance(const Cell& cell) const HAPTIC_REALTIME {
    return cell.corner != nullptr ? interpolate(cell) : cell.x;
  }

  Cell locate(const Vector3& p) const HAPTIC_REALTIME {
    const double x = (p.x() - lower_.x()) * inverse_edge_;
    const double y = (p.y() - lower_.y()) * inverse_edge_;
    const double z = (p.z() - lower_.z()) * inverse_edge_;
    const double n = resolution_;
    // Written so that a NaN is outside.
    if (!(x >= 0.0 && x <= n && y >= 0.0 && y <= n && z >= 0.0 && z <= n)) {
      return {nullptr, outside(p), 0.0, 0.0};
    }
    const int last = static_cast<int>(resolution_) - 1;
    const int i = std::min(static_cast<int>(x), last);
    const int j = std::min(static_cast<int>(y), last);
    const int k = std::min(static_cast<int>(z), last);
    return {values_ + (static_cast<std::ptrdiff_t>(k) * slice_ + j * row_ + i), x - i, y - j,
            z - k};
  }

  /// Distance and its exact derivative from one gather of the eight corners.
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override;

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override;
  void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME override;

  /// Fetches a cell's samples towards the core; changes nothing. Inlined by force: g++ takes a
  /// function that only prefetches for pure and drops the call.
  [[gnu::always_inline]] void prefetch(const Cell& cell) const HAPTIC_REALTIME {
    if (cell.corner == nullptr) return;
    __builtin_prefetch(cell.corner);
    __builtin_prefetch(cell.corner + row_);
    __builtin_prefetch(cell.corner + slice_);
    __builtin_prefetch(cell.corner + slice_ + row_);
  }

  /// How much the interpolated value may fall short of a 1-Lipschitz bound between two points of
  /// space: sqrt(3) h of interpolation and the rounding of two float samples [m] (spec 2.16).
  double interpolation_slack() const HAPTIC_REALTIME { return slack_; }

  /// How deep `p` is inside the box: distance to its nearest face, negative outside [m].
  double depth_in_box(const Vector3& p) const HAPTIC_REALTIME {
    return std::min((p - lower_).minCoeff(), (upper_ - p).minCoeff());
  }

 private:
  struct Slices {
    simd::Double4 low, high;  // (y0x0, y0x1, y1x0, y1x1) at z0 and z1
  };

  Slices gather(const Cell& cell) const HAPTIC_REALTIME {
    const float* a = cell.corner;
    const float* b = cell.corner + slice_;
    const simd::Float4 low = {a[0], a[1], a[row_], a[row_ + 1]};
    const simd::Float4 high = {b[0], b[1], b[row_], b[row_ + 1]};
    return {__builtin_convertvector(low, simd::Double4),
            __builtin_convertvector(high, simd::Double4)};
  }

  double interpolate(const Cell& cell) const HAPTIC_REALTIME {
    const Slices s = gather(cell);
    const simd::Double4 m = s.low + cell.z * (s.high - s.low);
    const double y0 = m[0] + cell.y * (m[2] - m[0]);
    const double y1 = m[1] + cell.y * (m[3] - m[1]);
    return y0 + cell.x * (y1 - y0);
  }

  double free_radius(double distance, const Vector3& p, Culling culling) const HAPTIC_REALTIME;

  double outside(const Vector3& p) const HAPTIC_REALTIME {
    const Vector3 excess = p - p.cwiseMax(lower_).cwiseMin(upper_);
    return excess.norm() + boundary_minimum_;
  }

  const float* values_;
  std::uint32_t resolution_ = 0;
  std::ptrdiff_t row_ = 0, slice_ = 0;  // strides in y and z
  Vector3 lower_, upper_;
  double edge_ = 0.0, inverse_edge_ = 0.0, boundary_minimum_ = 0.0, slack_ = 0.0, reach_ = 0.0;
};

}  // namespace haptic
