#include "host/multigrid/grid_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/fem/disjoint_sets.h"

namespace haptic {
namespace {

using Place = GridCells::Place;

Place block_of(const Place& place) {
  return {place[0] / 2, place[1] / 2, place[2] / 2};
}

/// Offset of corner a along axis d, 0 or 1.
int offset_of(std::size_t a, std::size_t d) {
  static const Eigen::Matrix<int, 3, 8> offsets = hexahedron_corner_offsets().cast<int>();
  return offsets(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(a));
}

Place corner_place(const Place& cell, std::size_t a) {
  return {cell[0] + offset_of(a, 0), cell[1] + offset_of(a, 1), cell[2] + offset_of(a, 2)};
}

/// Coarse cell of each cell; sets the places of the coarse cells, in ascending order by z, y, x.
std::vector<std::uint32_t> large_cells(const GridCells& fine, const CellsOfNodes& at_nodes,
                                       std::vector<Place>& places) {
  DisjointSets sets(fine.places.size());
  for (std::uint32_t node = 0; node < fine.nodes; ++node) {
    for (std::uint32_t i = at_nodes.begin[node]; i < at_nodes.begin[node + 1]; ++i) {
      for (std::uint32_t j = at_nodes.begin[node]; j < i; ++j) {
        const std::uint32_t a = at_nodes.cell[i], b = at_nodes.cell[j];
        if (block_of(fine.places[a]) == block_of(fine.places[b])) sets.join(a, b);
      }
    }
  }
  std::vector<std::uint32_t> roots;
  for (std::uint32_t c = 0; c < fine.places.size(); ++c) {
    if (sets.root(c) == c) roots.push_back(c);
  }
  const auto key = [&](std::uint32_t c) {
    const auto [x, y, z] = block_of(fine.places[c]);
    return std::array{z, y, x, static_cast<int>(c)};
  };
  std::ranges::sort(roots, {}, key);
  std::vector<std::uint32_t> number(fine.places.size());
  for (std::uint32_t r = 0; r < roots.size(); ++r) {
    number[roots[r]] = r;
    places.push_back(block_of(fine.places[roots[r]]));
  }
  std::vector<std::uint32_t> large(fine.places.size());
  for (std::uint32_t c = 0; c < large.size(); ++c) large[c] = number[sets.root(c)];
  return large;
}

/// Joins the corners of coarse cells that meet at a fine node.
void join_corners(const CellsOfNodes& at_nodes, const std::vector<std::uint32_t>& large,
                  const std::vector<Place>& places, DisjointSets& corners) {
  std::vector<std::uint32_t> meeting;
  for (std::size_t node = 0; node + 1 < at_nodes.begin.size(); ++node) {
    meeting.clear();
    for (std::uint32_t i = at_nodes.begin[node]; i < at_nodes.begin[node + 1]; ++i) {
      const std::uint32_t cell = large[at_nodes.cell[i]];
      if (std::ranges::find(meeting, cell) == meeting.end()) meeting.push_back(cell);
    }
    for (std::size_t i = 0; i < meeting.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::uint32_t a = 0; a < 8; ++a) {
          for (std::uint32_t b = 0; b < 8; ++b) {
            if (corner_place(places[meeting[i]], a) == corner_place(places[meeting[j]], b)) {
              corners.join(8 * meeting[i] + a, 8 * meeting[j] + b);
            }
          }
        }
      }
    }
  }
}

}  // namespace

std::optional<GridCells> grid_cells_of(const SolidMesh& mesh) {
  constexpr double kSlack = 1e-3;                // of a cell
  constexpr double kMaxPlace = double(1 << 20);  // cells along an axis
  if (mesh.kind() != ElementKind::kHexahedron || mesh.shape_count() != 1) return std::nullopt;
  const CornerVectors& first = mesh.shape_at(0).corners;
  const Vector3 edges = first.col(6);
  const CornerVectors box = edges.asDiagonal() * hexahedron_corner_offsets();
  if (!((first - box).cwiseAbs().maxCoeff() <= kSlack * edges.minCoeff())) return std::nullopt;
  GridCells grid;
  grid.nodes = static_cast<std::uint32_t>(mesh.vertex_count());
  const Vector3 lower = mesh.lower();
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto ids = mesh.element(e);
    const Vector3 at = (mesh.vertex(static_cast<int>(ids[0])) - lower).cwiseQuotient(edges);
    const Vector3 rounded = at.array().round();
    const bool fits = (at - rounded).cwiseAbs().maxCoeff() <= kSlack && rounded.minCoeff() >= 0.0 &&
                      rounded.maxCoeff() <= kMaxPlace;
    if (!fits) return std::nullopt;
    grid.places.push_back({static_cast<int>(rounded.x()), static_cast<int>(rounded.y()),
                           static_cast<int>(rounded.z())});
    std::ranges::copy(ids, grid.corners.emplace_back().begin());
  }
  return grid;
}

CellsOfNodes::CellsOfNodes(const GridCells& cells) : begin(cells.nodes + 1, 0) {
  for (const auto& corners : cells.corners) {
    for (const std::uint32_t node : corners) ++begin[node + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  cell.resize(begin.back());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t c = 0; c < cells.corners.size(); ++c) {
    for (const std::uint32_t node : cells.corners[c]) cell[next[node]++] = c;
  }
}

CoarseCells coarsened(const GridCells& fine) {
  CoarseCells coarse;
  const CellsOfNodes at_nodes(fine);
  const std::vector<std::uint32_t> large = large_cells(fine, at_nodes, coarse.cells.places);
  const std::size_t count = coarse.cells.places.size();
  DisjointSets sets(8 * count);
  join_corners(at_nodes, large, coarse.cells.places, sets);
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> number(8 * count, kNone);
  coarse.cells.corners.resize(count);
  for (std::uint32_t c = 0; c < count; ++c) {
    for (std::uint32_t a = 0; a < 8; ++a) {
      std::uint32_t& of_root = number[sets.root(8 * c + a)];
      if (of_root == kNone) of_root = coarse.cells.nodes++;
      coarse.cells.corners[c][a] = of_root;
    }
  }
  for (std::uint32_t node = 0; node < fine.nodes; ++node) {
    const std::uint32_t cell = at_nodes.cell[at_nodes.begin[node]];
    const auto corner = static_cast<std::size_t>(std::ranges::find(fine.corners[cell], node) -
                                                 fine.corners[cell].begin());
    const Place at = corner_place(fine.places[cell], corner);
    const Place& block = coarse.cells.places[large[cell]];
    for (std::size_t a = 0; a < 8; ++a) {
      double weight = 1.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double s = 0.5 * (at[d] - 2 * block[d]);
        weight *= offset_of(a, d) == 1 ? s : 1.0 - s;
      }
      if (weight == 0.0) continue;
      coarse.interpolation.node.push_back(coarse.cells.corners[large[cell]][a]);
      coarse.interpolation.weight.push_back(static_cast<float>(weight));
    }
    coarse.interpolation.begin.push_back(
        static_cast<std::uint32_t>(coarse.interpolation.node.size()));
  }
  return coarse;
}

}  // namespace haptic
