#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt/bodies/condensed_model.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// One contact point on the surface of a condensed body: its displacement is the weighted sum of
/// the displacements of condensed nodes, u_point = sum_i w_i u_node_i. As the matrix H of a contact
/// it is 3 x s with three equal rows of weights, one for each axis.
///
/// Fixed nodes are left out, so the weights sum to 1 minus the share of the fixed nodes. Each node
/// appears once, in the order of its first corner.
/// Source: docs/methods/static-dynamic.md, "Contact points"; Sedaghat 2011, section 5.2.
struct ContactRow {
  static constexpr std::size_t kCapacity = 24;  ///< three vertices, eight corners each

  std::array<std::uint32_t, kCapacity> nodes{};  ///< condensed nodes, each below s / 3
  std::array<double, kCapacity> weights{};
  std::size_t count = 0;

  bool operator==(const ContactRow& other) const HAPTIC_REALTIME;
  /// Sum of the weights: 1 in the free surface, 0 at a point that only fixed nodes carry, which
  /// cannot be moved and is no contact.
  double free_share() const HAPTIC_REALTIME;
};

/// The row of surface vertex `vertex`, below model.vertex_count(): up to 8 entries.
ContactRow row_of_vertex(const CondensedModel& model, std::size_t vertex) HAPTIC_REALTIME;

/// The row of a point in triangle `triangle`, below model.triangle_count(): up to 24 entries.
/// @param barycentric  of the triangle's three vertices; their sum is 1
ContactRow row_in_triangle(const CondensedModel& model, std::size_t triangle,
                           std::span<const double, 3> barycentric) HAPTIC_REALTIME;

/// Displacement of the point in a displacement of all nodes. @param u  s values [m]
std::array<double, 3> displacement_at(const ContactRow& row,
                                      std::span<const double> u) HAPTIC_REALTIME;

}  // namespace haptic::condensed
