#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt/dynamics/rayleigh_damping.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// Compliance C = K^-1 of an anchored linear body between the degrees of freedom of its condensed
/// nodes: symmetric, positive definite, s x s, row-major [m/N]. One of the two spans is empty.
struct ComplianceView {
  std::size_t dof = 0;  ///< s = 3 nodes; degree of freedom 3 node + axis
  std::span<const float> single;
  std::span<const double> full;
};

/// A linear body condensed to the nodes of its boundary elements, with its modes and its surface:
/// the sections /condensed of a model file (docs/artifact.md). The spans view the file's memory.
///
/// Source: Sedaghat 2011, sections 3 and 5.
struct CondensedModel {
  /// Entry of embedding_nodes for a fixed node, which does not move.
  static constexpr std::uint32_t kFixedNode = ~std::uint32_t{0};
  static constexpr std::size_t kCorners = 8;  ///< of an element

  ComplianceView compliance;
  std::size_t mode_count = 0;           ///< k
  std::span<const double> modes;        ///< s x k, rows of the mass-normalised modes [kg^-1/2]
  std::span<const double> eigenvalues;  ///< k, ascending [s^-2]
  RayleighDamping damping;

  std::span<const double> vertices;          ///< v x 3, rest surface, model frame [m]
  std::span<const std::uint32_t> triangles;  ///< t x 3, outward by the right hand
  /// v x 8: condensed node of each corner of a vertex' element, below s / 3, or kFixedNode. In a
  /// tetrahedron the last four are kFixedNode with weight 0.
  std::span<const std::uint32_t> embedding_nodes;
  std::span<const double> embedding_weights;  ///< v x 8; with the fixed corners' their sum is 1

  std::size_t dof() const { return compliance.dof; }
  std::size_t vertex_count() const { return vertices.size() / 3; }
  std::size_t triangle_count() const { return triangles.size() / 3; }
};

/// Reads /condensed, and of /surface and /mesh what belongs to it. The cost is one pass over all
/// but the compliance, of which the diagonal is read; its symmetry is checked by `haptic verify`,
/// its hash and finite numbers by ModelFile.
/// @param model outlives the result, which views its memory
/// @throws InputError (file, section, found, expected) if a section is missing, sizes disagree, a
///         node is fixed or not ascending, an eigenvalue or a diagonal entry is not > 0, the
///         eigenvalues do not ascend, a damping coefficient is negative, or the weights of a vertex
///         do not sum to 1
CondensedModel read_condensed_model(const ModelFile& model);

}  // namespace haptic
