#include "rt/worlds/condensed/contact_row.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic::condensed {
namespace {

void add_corner(ContactRow& row, std::uint32_t node, double weight) HAPTIC_REALTIME {
  if (node == CondensedModel::kFixedNode || weight == 0.0) return;
  for (std::size_t i = 0; i < row.count; ++i) {
    if (row.nodes[i] == node) {
      row.weights[i] += weight;
      return;
    }
  }
  row.nodes[row.count] = node;
  row.weights[row.count] = weight;
  ++row.count;
}

void add_vertex(ContactRow& row, const CondensedModel& model, std::size_t vertex,
                double share) HAPTIC_REALTIME {
  HAPTIC_ASSERT(vertex < model.vertex_count());
  for (std::size_t i = 0; i < CondensedModel::kCorners; ++i) {
    const std::size_t at = vertex * CondensedModel::kCorners + i;
    add_corner(row, model.embedding_nodes[at], share * model.embedding_weights[at]);
  }
}

}  // namespace

bool ContactRow::operator==(const ContactRow& other) const HAPTIC_REALTIME {
  const auto n = static_cast<std::ptrdiff_t>(count);
  return count == other.count &&
         std::equal(nodes.begin(), nodes.begin() + n, other.nodes.begin()) &&
         std::equal(weights.begin(), weights.begin() + n, other.weights.begin());
}

double ContactRow::free_share() const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += weights[i];
  return sum;
}

ContactRow row_of_vertex(const CondensedModel& model, std::size_t vertex) HAPTIC_REALTIME {
  ContactRow row;
  add_vertex(row, model, vertex, 1.0);
  return row;
}

ContactRow row_in_triangle(const CondensedModel& model, std::size_t triangle,
                           std::span<const double, 3> barycentric) HAPTIC_REALTIME {
  HAPTIC_ASSERT(triangle < model.triangle_count());
  ContactRow row;
  for (std::size_t i = 0; i < 3; ++i) {
    add_vertex(row, model, model.triangles[3 * triangle + i], barycentric[i]);
  }
  return row;
}

std::array<double, 3> displacement_at(const ContactRow& row,
                                      std::span<const double> u) HAPTIC_REALTIME {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < row.count; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum[axis] = std::fma(row.weights[i], u[3 * row.nodes[i] + axis], sum[axis]);
    }
  }
  return sum;
}

}  // namespace haptic::condensed
