#include "host/multigrid/cell_stiffness.h"

#include <algorithm>
#include <map>

#include "host/fem/elastic_element.h"
#include "host/fem/element_assembly.h"
#include "host/parallel/parallel_ranges.h"

namespace haptic {
namespace {

ElementSquare<8> cell_matrix(const StvkModel& model, int e, double shift) {
  return visit_element(model.mesh(), e, [&](const auto& geometry, const auto& law) {
    const auto& rule = rule_of(geometry);
    using Rule = std::remove_cvref_t<decltype(rule)>;
    ElementSquare<8> matrix = ElementSquare<8>::Zero();
    if constexpr (Rule::kCorners == 8) {
      matrix = elastic_stiffness(model.elastic_model(), rule, law, ElementVectors<8>::Zero());
      if (shift != 0.0) {
        Eigen::Matrix<double, 8, 8> mass =
            consistent_mass(rule, model.mesh().material(e).density());
        if (model.mass_kind() == MassKind::kLumped) {
          const Eigen::Matrix<double, 8, 1> sums = mass.rowwise().sum();
          mass = sums.asDiagonal();
        }
        for (int a = 0; a < 8; ++a) {
          for (int b = 0; b < 8; ++b) {
            matrix.block<3, 3>(3 * a, 3 * b).diagonal().array() -= shift * mass(a, b);
          }
        }
      }
    }
    return matrix;
  });
}

/// The matrices of all cells, one for all whole cells of a group.
class CellMatrices {
 public:
  CellMatrices(const StvkModel& model, double shift) {
    const SolidMesh& mesh = model.mesh();
    std::map<int, std::uint32_t> of_group;
    std::vector<int> cells;  // for which a matrix is computed
    for (int e = 0; e < mesh.element_count(); ++e) {
      const auto next = static_cast<std::uint32_t>(cells.size());
      const bool whole = mesh.cells().is_whole(static_cast<std::size_t>(e));
      const std::uint32_t own =
          whole ? of_group.try_emplace(mesh.group(e), next).first->second : next;
      if (own == next) cells.push_back(e);
      of_cell_.push_back(own);
    }
    matrices_.resize(cells.size());
    parallel_ranges(cells.size(), 32, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i != to; ++i) matrices_[i] = cell_matrix(model, cells[i], shift);
    });
  }
  const ElementSquare<8>& operator[](std::uint32_t cell) const { return matrices_[of_cell_[cell]]; }

 private:
  std::vector<std::uint32_t> of_cell_;
  std::vector<ElementSquare<8>> matrices_;
};

}  // namespace

BlockRows<double> shifted_stiffness(const StvkModel& model, const GridCells& cells, double shift) {
  const CellMatrices matrices(model, shift);
  const CellsOfNodes at_nodes(cells);
  const auto rows = static_cast<std::uint32_t>(model.free_vertex_count());
  return make_rows(rows, [&](std::uint32_t row, std::vector<RowEntry>& entries) {
    const std::uint32_t node = model.free_vertices()[row];
    for (std::uint32_t c = at_nodes.begin[node]; c < at_nodes.begin[node + 1]; ++c) {
      const std::uint32_t cell = at_nodes.cell[c];
      const auto& corners = cells.corners[cell];
      const ElementSquare<8>& matrix = matrices[cell];
      const auto a = std::ranges::find(corners, node) - corners.begin();
      for (int b = 0; b < 8; ++b) {
        const int free = model.free_index(static_cast<int>(corners[static_cast<std::size_t>(b)]));
        if (free < 0) continue;
        const auto column = static_cast<std::uint32_t>(free);
        auto entry = std::ranges::find(entries, column, &RowEntry::column);
        if (entry == entries.end()) {
          entries.push_back({column, {}});
          entry = entries.end() - 1;
        }
        for (int k = 0; k < 9; ++k) {
          entry->block[static_cast<std::size_t>(k)] += matrix(3 * a + k / 3, 3 * b + k % 3);
        }
      }
    }
    std::ranges::sort(entries, {}, &RowEntry::column);
  });
}

}  // namespace haptic
