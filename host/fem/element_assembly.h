#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/assumed_strain_element.h"
#include "host/fem/solid_mesh.h"
#include "host/fem/sparse_matrix.h"
#include "host/parallel/parallel_ranges.h"

namespace haptic {

/// Assembly of element values into global vectors and matrices.
///
/// Greedy colouring: elements of one colour share no vertex; each list ascends.
std::vector<std::vector<int>> colour_elements(const SolidMesh& mesh);

/// Pattern of a scalar matrix over the free vertices that share an element, values 0.
/// @param free_index row of each vertex, -1: fixed
SparseMatrix scalar_pattern_of(const SolidMesh& mesh, const std::vector<int>& free_index,
                               int free_count);

/// Every entry of a scalar matrix as a 3x3 block of zeros, or as that multiple of the identity.
SparseMatrix expand_blocks(const SparseMatrix& scalar, bool diagonal_only);

/// Place of row `row` in column `column` of a compressed matrix, counted from the column's start.
int rank_in_column(const SparseMatrix& matrix, int row, int column);

/// Calls body(e) for every element of a colouring, in parallel inside a colour, colour after
/// colour: sums into vertices have the same order for every number of threads.
template <typename Body>
void for_each_by_colour(const std::vector<std::vector<int>>& colours, const Body& body) {
  for (const std::vector<int>& colour : colours) {
    parallel_ranges(colour.size(), 32, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i != end; ++i) body(colour[i]);
    });
  }
}

inline const HexahedronQuadrature& rule_of(const HexahedronShape& shape) {
  return shape.quadrature;
}
inline const TetrahedronGeometry& rule_of(const TetrahedronGeometry& geometry) {
  return geometry;
}
inline const AssumedStrainRule& rule_of(const AssumedStrainRule& rule) {
  return rule;
}
inline const HexahedronQuadrature& hessian_rule_of(const HexahedronShape& shape) {
  return shape.hessian_quadrature;
}
inline const TetrahedronGeometry& hessian_rule_of(const TetrahedronGeometry& geometry) {
  return geometry;
}
inline const AssumedStrainRule& hessian_rule_of(const AssumedStrainRule& rule) {
  return rule;
}

/// visitor(geometry, law) with the element's HexahedronShape or TetrahedronGeometry and its
/// LameParameters or ElasticityMatrix, or with its AssumedStrainRule and ElasticityMatrix; all must
/// return the same type.
template <typename Visitor>
auto visit_element(const SolidMesh& mesh, int e, const Visitor& visitor) {
  if (!mesh.cells().plain()) return visitor(mesh.cell_rule(e), mesh.material(e).elasticity());
  return mesh.material(e).visit([&](const auto& law) {
    if (mesh.kind() == ElementKind::kTetrahedron) return visitor(mesh.tetrahedron(e), law);
    return visitor(mesh.shape(e), law);
  });
}

/// Rows (x,y,z) of the vertices `ids` of a full vector, column per corner of the rule's element.
template <typename Rule>
Eigen::Matrix<double, 3, Rule::kCorners> gather(const Rule&,
                                                const Eigen::Ref<const Eigen::VectorXd>& full,
                                                std::span<const std::uint32_t> ids) {
  Eigen::Matrix<double, 3, Rule::kCorners> local;
  for (int a = 0; a < Rule::kCorners; ++a) {
    local.col(a) = full.segment<3>(3 * Eigen::Index{ids[static_cast<std::size_t>(a)]});
  }
  return local;
}

/// The transpose of gather: adds a column per corner to the rows of the vertices `ids`.
template <int N>
void scatter(const Eigen::Matrix<double, 3, N>& local, std::span<const std::uint32_t> ids,
             Eigen::VectorXd& full) {
  for (int a = 0; a < N; ++a) {
    full.segment<3>(3 * Eigen::Index{ids[static_cast<std::size_t>(a)]}) += local.col(a);
  }
}

}  // namespace haptic
