#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rt/geometry/modal_coordinates.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Contact points of a body with inward unit normals, rigid (r = 0) or reduced-deformable.
/// A read-only view of /shell/..., whose owner outlives it. All vectors are in the material frame.
///
///   p_s(q) = P_s + U_s q,   n_s(q) = normalise(N_s + DN_s q)
/// Source: docs/methods/contact-and-coupling.md, "Shell points and normals".
class PointShell {
 public:
  /// @param r                 reduced coordinates, 0 for a rigid body
  /// @param points            s x 3 [m]
  /// @param normals           s x 3, unit, inward
  /// @param displacement      s x 3 x r, empty if r = 0
  /// @param normal_correction s x 3 x r, empty if r = 0
  /// @param source            file name for messages
  /// @throws InputError if a size does not match, a number is not finite or the length of a normal
  ///         is not 1 within 1e-4
  PointShell(std::uint32_t r, std::span<const float> points, std::span<const float> normals,
             std::span<const float> displacement, std::span<const float> normal_correction,
             std::string_view source = "shell");
  explicit PointShell(const ModelFile& model);

  std::uint32_t size() const HAPTIC_REALTIME { return size_; }            ///< s
  std::uint32_t dimension() const HAPTIC_REALTIME { return dimension_; }  ///< r

  Vector3 rest_position(std::uint32_t point) const HAPTIC_REALTIME { return row(points_, point); }
  Vector3 rest_normal(std::uint32_t point) const HAPTIC_REALTIME { return row(normals_, point); }

  /// U_s, 3 x r row-major; only for r > 0.
  const float* displacement(std::uint32_t point) const HAPTIC_REALTIME {
    return displacement_.data() + block(point);
  }
  /// DN_s, 3 x r row-major; only for r > 0.
  const float* normal_correction(std::uint32_t point) const HAPTIC_REALTIME {
    return normal_correction_.data() + block(point);
  }

  /// p_s(q) [m].
  Vector3 position(std::uint32_t point, const ModalCoordinates& q) const HAPTIC_REALTIME {
    if (dimension_ == 0) return rest_position(point);
    return rest_position(point) + q.apply(displacement(point));
  }

  /// n_s(q); the rest normal if extreme compression makes |N_s + DN_s q| <= 1e-6.
  Vector3 normal(std::uint32_t point, const ModalCoordinates& q) const HAPTIC_REALTIME {
    const Vector3 rest = rest_normal(point);
    const Vector3 n = dimension_ == 0 ? rest : Vector3(rest + q.apply(normal_correction(point)));
    const double length2 = n.squaredNorm();
    return length2 > kVanishing * kVanishing ? Vector3(n / std::sqrt(length2)) : rest.normalized();
  }

  /// Prefetches into cache what `position` reads. Always inlined: g++ treats a function that only
  /// prefetches as pure and removes the call.
  [[gnu::always_inline]] void prefetch(std::uint32_t point) const HAPTIC_REALTIME {
    __builtin_prefetch(points_.data() + 3 * std::size_t{point});
    if (dimension_ == 0) return;
    const float* first = displacement(point);
    const std::size_t floats = 3 * std::size_t{dimension_};
    for (std::size_t at = 0; at < floats; at += 16) __builtin_prefetch(first + at);
    __builtin_prefetch(first + floats - 1);
  }

  /// Prefetches what the contact law reads: position, normal and both modal blocks.
  [[gnu::always_inline]] void prefetch_contact(std::uint32_t point) const HAPTIC_REALTIME {
    prefetch(point);
    __builtin_prefetch(normals_.data() + 3 * std::size_t{point});
    if (dimension_ == 0) return;
    const float* first = normal_correction(point);
    const std::size_t floats = 3 * std::size_t{dimension_};
    for (std::size_t at = 0; at < floats; at += 16) __builtin_prefetch(first + at);
    __builtin_prefetch(first + floats - 1);
  }

 private:
  static constexpr double kVanishing = 1e-6;

  static Vector3 row(std::span<const float> values, std::uint32_t point) HAPTIC_REALTIME {
    const float* v = values.data() + 3 * std::size_t{point};
    return {v[0], v[1], v[2]};
  }
  std::size_t block(std::uint32_t point) const HAPTIC_REALTIME {
    return 3 * std::size_t{dimension_} * point;
  }

  std::uint32_t size_ = 0, dimension_ = 0;
  std::span<const float> points_, normals_, displacement_, normal_correction_;
};

}  // namespace haptic
