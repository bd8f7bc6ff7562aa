#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/condensed/condensed_surface.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Vertices and triangles of a moving surface that can be within a ball: a list that is made anew
/// only after ball and surface have moved further than a margin.
///
/// A vertex moves at most as far as the node that has moved furthest, since its weights are not
/// negative and their sum is at most 1.
class NearSurface {
 public:
  /// @param surface  outlives the list @param dof  displacements of all condensed nodes
  NearSurface(const CondensedSurface& surface, std::size_t dof);

  /// Lists everything within `radius` [m] of `centre` when the nodes are displaced by u. The
  /// vertices include the corners of the triangles. In ascending order.
  void update(const Vector3& centre, double radius, std::span<const double> u) HAPTIC_REALTIME;
  /// Discards the list; the next update makes a new one.
  void clear() HAPTIC_REALTIME { listed_ = false; }

  std::span<const std::uint32_t> vertices() const HAPTIC_REALTIME {
    return std::span(vertices_).first(vertex_count_);
  }
  std::span<const std::uint32_t> triangles() const HAPTIC_REALTIME {
    return std::span(triangles_).first(triangle_count_);
  }

 private:
  bool holds(const Vector3& centre, double radius,
             std::span<const double> u) const HAPTIC_REALTIME;
  void list(double reach) HAPTIC_REALTIME;

  const CondensedSurface* surface_;
  bool listed_ = false;
  Vector3 centre_ = Vector3::Zero();
  double radius_ = 0.0, margin_ = 0.0;
  std::vector<double> u_;             // at the time of the list
  std::vector<Vector3> positions_;    // of all vertices at that time
  std::vector<char> is_near_;         // per vertex
  std::vector<std::uint32_t> vertices_, triangles_;
  std::size_t vertex_count_ = 0, triangle_count_ = 0;
};

}  // namespace haptic
