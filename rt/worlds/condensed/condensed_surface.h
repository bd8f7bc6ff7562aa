#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The surface of a condensed body that moves with its nodes, model frame, and which triangles
/// share an edge. All queries take the displacements of the condensed nodes, 3 each [m].
///
/// Source: Sedaghat 2011, section 5.2: a vertex moves with the corners of its element.
class CondensedSurface {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// @param model  outlives the surface
  /// @throws InputError, naming `source`, if the model has no surface
  CondensedSurface(const CondensedModel& model, const std::string& source);

  std::size_t vertex_count() const HAPTIC_REALTIME { return model_->vertex_count(); }
  std::size_t triangle_count() const HAPTIC_REALTIME { return model_->triangle_count(); }
  std::array<std::uint32_t, 3> corners(std::uint32_t triangle) const HAPTIC_REALTIME {
    const std::uint32_t* const t = &model_->triangles[3 * std::size_t{triangle}];
    return {t[0], t[1], t[2]};
  }
  /// Triangle across the edge opposite of corner `corner`, or kNone.
  std::uint32_t across(std::uint32_t triangle, std::size_t corner) const HAPTIC_REALTIME {
    return across_[3 * std::size_t{triangle} + corner];
  }
  /// The triangles that have a vertex as a corner.
  std::span<const std::uint32_t> faces(std::uint32_t vertex) const HAPTIC_REALTIME {
    return std::span(faces_of_).subspan(faces_begin_[vertex],
                                        faces_begin_[vertex + 1] - faces_begin_[vertex]);
  }
  const CondensedModel& model() const HAPTIC_REALTIME { return *model_; }
  Vector3 rest(std::uint32_t vertex) const HAPTIC_REALTIME {
    const double* const p = &model_->vertices[3 * std::size_t{vertex}];
    return {p[0], p[1], p[2]};
  }
  Vector3 displacement(std::uint32_t vertex, std::span<const double> u) const HAPTIC_REALTIME;
  Vector3 position(std::uint32_t vertex, std::span<const double> u) const HAPTIC_REALTIME {
    return rest(vertex) + displacement(vertex, u);
  }
  /// Outward normal of a moved triangle, not normalised: twice its area.
  Vector3 area_normal(std::uint32_t triangle, std::span<const double> u) const HAPTIC_REALTIME;

  /// Outward unit normal at a point of a moved triangle, interpolated between its corners. At a
  /// corner it is that of the faces there, by area, which are within 40 degrees of the triangle at
  /// rest: continuous in place and displacement where the surface is smooth, sharp at its edges.
  Vector3 smooth_normal(std::uint32_t triangle, const Vector3& weights,
                        std::span<const double> u) const HAPTIC_REALTIME;

  /// Whether two triangles meet at more than 40 degrees at rest.
  bool creased(std::uint32_t one, std::uint32_t other) const HAPTIC_REALTIME;

  double longest_edge() const { return longest_edge_; }  ///< at rest [m]

 private:
  const CondensedModel* model_;
  std::vector<std::uint32_t> across_;                  // t x 3
  std::vector<std::uint32_t> faces_begin_, faces_of_;  // triangles at each vertex
  std::vector<Vector3> rest_normals_;                  // unit; zero of a triangle without area
  double longest_edge_ = 0.0;
};

/// A material point of a triangle.
struct SurfacePoint {
  std::uint32_t triangle = 0;
  Vector3 weights = Vector3::Zero();  ///< barycentric, of the triangle's corners
};

/// Current position of a material point [m].
Vector3 position(const CondensedSurface& surface, const SurfacePoint& point,
                 std::span<const double> u) HAPTIC_REALTIME;
/// The same at rest.
Vector3 rest_position(const CondensedSurface& surface, const SurfacePoint& point) HAPTIC_REALTIME;

/// Moves a material point along the surface to the one nearest to `p` that a walk over shared edges
/// towards `p` finds, at most `kMaxWalk` triangles away; at an open border it stops.
SurfacePoint walked(const CondensedSurface& surface, SurfacePoint from, const Vector3& p,
                    std::span<const double> u) HAPTIC_REALTIME;
inline constexpr int kMaxWalk = 64;

/// Nearest point of a triangle a, b, c. @returns its barycentric weights
Vector3 nearest_weights(const Vector3& p, const Vector3& a, const Vector3& b,
                        const Vector3& c) HAPTIC_REALTIME;

}  // namespace haptic::condensed
