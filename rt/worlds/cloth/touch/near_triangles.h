#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/geometry/triangle_distance.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A box along the axes [m].
struct TouchBox {
  Vector3 low, high;
};

/// Finds the triangles of a cloth near a box. What a hierarchy has to offer the god-object.
class NearTriangles {
 public:
  virtual ~NearTriangles() = default;

  /// Triangles that may come into the box while their corners move on straight lines: at least
  /// those whose box of both ends meets it, and those with a corner that is not finite.
  /// @param start, end  particles before and after [m], 3n values each; the same for a still cloth
  /// @param found       room for every triangle of the cloth
  /// @returns how many were found, each once
  virtual std::size_t near(std::span<const double> start, std::span<const double> end,
                           const TouchBox& box,
                           std::span<std::uint32_t> found) const HAPTIC_REALTIME = 0;
};

/// Looks at every triangle: the reference that hierarchies are tested against.
class ScannedTriangles final : public NearTriangles {
 public:
  /// @param triangles  of a checked mesh
  explicit ScannedTriangles(std::vector<std::array<std::uint32_t, 3>> triangles);

  std::size_t near(std::span<const double> start, std::span<const double> end, const TouchBox& box,
                   std::span<std::uint32_t> found) const HAPTIC_REALTIME override;

 private:
  std::vector<std::array<std::uint32_t, 3>> triangles_;
};

/// Whether the box around both ends of a triangle meets another, or a corner is not finite.
bool may_meet(const Corners& start, const Corners& end, const TouchBox& box) HAPTIC_REALTIME;

/// Corners of a triangle among particles of 3n coordinates [m].
Corners corners(std::span<const double> x,
                const std::array<std::uint32_t, 3>& triangle) HAPTIC_REALTIME;

}  // namespace haptic::cloth
