#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "host/condensation/lumped_modes.h"
#include "lab/linear_reference/linear_body.h"
#include "lab/linear_reference/small_system.h"
#include "tests/host/condensation/held_block.h"

namespace haptic::lab {

/// 4^3 elements, 300 free degrees of freedom, bottom fixed: the block on which the specification's
/// figures were checked.
inline LinearBody poked_block(RayleighDamping damping = {}) {
  return LinearBody(held_block(4, 4, 4), damping);
}

/// All modes or the lowest k of a body on its free degrees of freedom.
struct FreeModes {
  FreeModes(const LinearBody& body, int k) {
    LinearModes modes = lumped_modes(body.model, body.factor, k);
    shapes = body.model.restrict_to_free(modes.shapes);
    eigenvalues = std::move(modes.eigenvalues);
  }
  Eigen::MatrixXd shapes;
  Eigen::VectorXd eigenvalues;
};

/// Weights of vertices that make up one point of contact.
using PointWeights = std::vector<std::pair<int, double>>;

/// Rows of points of contact, 3 a point.
inline ContactRows contact_rows(const LinearBody& body, const std::vector<PointWeights>& points) {
  ContactRows H(3 * static_cast<Eigen::Index>(points.size()), body.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (const auto& [vertex, weight] : points[p]) {
      for (int axis = 0; axis < 3; ++axis) {
        H.insert(3 * static_cast<Eigen::Index>(p) + axis,
                 3 * body.model.free_index(vertex) + axis) = weight;
      }
    }
  }
  H.makeCompressed();
  return H;
}

/// Vertex (i, j, k) of the block.
inline int block_vertex(int i, int j, int k) {
  return i + 5 * (j + 5 * k);
}

}  // namespace haptic::lab
