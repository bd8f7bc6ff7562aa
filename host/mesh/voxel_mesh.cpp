#include "host/mesh/voxel_mesh.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

enum Cell : std::uint8_t { kEmpty = 0, kFull = 1, kOutside = 2 };

/// Cells of the grid while the mesh is being made.
struct CellGrid {
  VoxelMesh& mesh;
  std::vector<std::uint8_t> cells;

  explicit CellGrid(VoxelMesh& target)
      : mesh(target),
        cells(static_cast<std::size_t>(target.dims[0]) * target.dims[1] * target.dims[2], kEmpty) {}

  /// Calls visit(cell) for the face neighbours of `cell`.
  template <typename Visit>
  void for_each_neighbour(std::uint32_t cell, Visit visit) const {
    const auto at = mesh.cell_coordinates(cell);
    const std::uint32_t stride[3] = {1, mesh.dims[0], mesh.dims[0] * mesh.dims[1]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] > 0) visit(cell - stride[axis]);
      if (at[axis] + 1 < mesh.dims[axis]) visit(cell + stride[axis]);
    }
  }
};

void check(const TriangleMesh& mesh, const VoxelSettings& settings) {
  if (settings.resolution < 1 || settings.resolution > 512) {
    throw InputError("", "mesh.resolution", fmt::format("found {}", settings.resolution),
                     "1 to 512 voxels along the longest side");
  }
  if (!(settings.enlargement >= 1.0 && settings.enlargement <= 2.0)) {
    throw InputError("", "mesh.enlargement", fmt::format("found {}", settings.enlargement),
                     "1 to 2");
  }
  const BoundingBox box = bounding_box(mesh);
  for (int axis = 0; axis < 3; ++axis) {
    const auto& plane = settings.planes[static_cast<std::size_t>(axis)];
    HAPTIC_DEMAND(!plane || (*plane >= box.lower[axis] && *plane <= box.upper[axis]));
  }
  if (mesh.triangles.empty() || !(bounding_box(mesh).longest_side() > 0.0)) {
    throw InputError("", "", "a surface without extent", "a mesh to voxelise");
  }
}

constexpr double kWholeNumber = 1e-5;  // voxels

/// Edge, cell counts and origin: the box fits the sides of the object, so a slender object wastes
/// no cells and its cross-section has the fewest voxels that cover it.
void lay_out_grid(const BoundingBox& box, const VoxelSettings& settings, VoxelMesh& mesh) {
  mesh.edge = box.longest_side() * settings.enlargement / settings.resolution;
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = box.size()[axis] * settings.enlargement / mesh.edge;
    // A side that is a whole number of voxels but for rounding, of single precision too, has that
    // many: the enlargement leaves room.
    const double count = std::max(1.0, std::ceil(cells - kWholeNumber));
    mesh.dims[static_cast<std::size_t>(axis)] = static_cast<std::uint32_t>(count);
    mesh.origin[axis] = box.centre()[axis] - 0.5 * count * mesh.edge;
    if (const auto& plane = settings.planes[static_cast<std::size_t>(axis)]) {
      // Cells before and behind it, as many as reach the sides.
      const double before = std::ceil((*plane - box.lower[axis]) / mesh.edge - kWholeNumber);
      const double behind = std::ceil((box.upper[axis] - *plane) / mesh.edge - kWholeNumber);
      mesh.dims[static_cast<std::size_t>(axis)] =
          static_cast<std::uint32_t>(std::max(1.0, before + behind));
      mesh.origin[axis] = *plane - before * mesh.edge;
    }
  }
}

void mark_surface(const TriangleMesh& surface, CellGrid& grid) {
  const VoxelMesh& mesh = grid.mesh;
  const double h = mesh.edge;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, surface.triangles.size(), 64), [&](const auto& range) {
        for (std::size_t t = range.begin(); t != range.end(); ++t) {
          const auto& [i, j, k] = surface.triangles[t];
          const Vector3& a = surface.vertices[i];
          const Vector3& b = surface.vertices[j];
          const Vector3& c = surface.vertices[k];
          std::array<std::uint32_t, 3> low{}, high{};
          for (int axis = 0; axis < 3; ++axis) {
            const auto [least, most] = std::minmax({a[axis], b[axis], c[axis]});
            const double last = mesh.dims[static_cast<std::size_t>(axis)] - 1.0;
            // One cell more on each side than floor says: a triangle in a grid plane touches both.
            const auto clamped = [&](double x) {
              return static_cast<std::uint32_t>(std::clamp(std::floor(x), 0.0, last));
            };
            const double from = (least - mesh.origin[axis]) / h;
            const double to = (most - mesh.origin[axis]) / h;
            low[static_cast<std::size_t>(axis)] = clamped(from - 1e-6);
            high[static_cast<std::size_t>(axis)] = clamped(to + 1e-6);
          }
          for (std::uint32_t z = low[2]; z <= high[2]; ++z) {
            for (std::uint32_t y = low[1]; y <= high[1]; ++y) {
              for (std::uint32_t x = low[0]; x <= high[0]; ++x) {
                std::atomic_ref<std::uint8_t> cell(grid.cells[mesh.cell_index(x, y, z)]);
                if (cell.load(std::memory_order_relaxed) == kFull) continue;
                const Vector3 centre = mesh.origin + h * Vector3(x + 0.5, y + 0.5, z + 0.5);
                if (triangle_meets_cube(centre, 0.5 * h, a, b, c)) {
                  cell.store(kFull, std::memory_order_relaxed);
                }
              }
            }
          }
        }
      });
}

/// Breadth-first from the empty cells at the border of the grid; empty cells not reached are
/// interior.
std::size_t fill_interior(CellGrid& grid) {
  const VoxelMesh& mesh = grid.mesh;
  std::vector<std::uint32_t> queue;
  const auto reach = [&](std::uint32_t cell) {
    if (grid.cells[cell] != kEmpty) return;
    grid.cells[cell] = kOutside;
    queue.push_back(cell);
  };
  for (std::uint32_t cell = 0; cell < grid.cells.size(); ++cell) {
    const auto at = mesh.cell_coordinates(cell);
    bool border = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      border = border || at[axis] == 0 || at[axis] + 1 == mesh.dims[axis];
    }
    if (border) reach(cell);
  }
  while (!queue.empty()) {
    const std::uint32_t cell = queue.back();
    queue.pop_back();
    grid.for_each_neighbour(cell, reach);
  }
  std::size_t filled = 0;
  for (std::uint8_t& cell : grid.cells) {
    if (cell == kEmpty) {
      cell = kFull;
      ++filled;
    }
  }
  return filled;
}

/// Clears every face-connected piece except the largest (the first on ties).
void keep_largest_piece(CellGrid& grid, VoxelReport& report) {
  std::vector<std::uint32_t> piece(grid.cells.size(), 0);
  std::vector<std::size_t> sizes = {0};
  std::vector<std::uint32_t> queue;
  for (std::uint32_t seed = 0; seed < grid.cells.size(); ++seed) {
    if (grid.cells[seed] != kFull || piece[seed] != 0) continue;
    const auto id = static_cast<std::uint32_t>(sizes.size());
    std::size_t size = 0;
    const auto join = [&](std::uint32_t cell) {
      if (grid.cells[cell] != kFull || piece[cell] != 0) return;
      piece[cell] = id;
      ++size;
      queue.push_back(cell);
    };
    join(seed);
    while (!queue.empty()) {
      const std::uint32_t cell = queue.back();
      queue.pop_back();
      grid.for_each_neighbour(cell, join);
    }
    sizes.push_back(size);
  }
  report.components = sizes.size() - 1;
  const auto largest =
      static_cast<std::uint32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  report.dropped_voxels = 0;
  for (std::size_t cell = 0; cell < piece.size(); ++cell) {
    if (piece[cell] == 0 || piece[cell] == largest) continue;
    grid.cells[cell] = kOutside;
    ++report.dropped_voxels;
  }
}

void build_elements(const CellGrid& grid, VoxelMesh& mesh) {
  mesh.element_of_cell.assign(grid.cells.size(), VoxelMesh::kNoElement);
  for (std::uint32_t cell = 0; cell < grid.cells.size(); ++cell) {
    if (grid.cells[cell] != kFull) continue;
    mesh.element_of_cell[cell] = static_cast<std::uint32_t>(mesh.cell_of_element.size());
    mesh.cell_of_element.push_back(cell);
  }

  const std::array<std::uint32_t, 2> nodes = {mesh.dims[0] + 1, mesh.dims[1] + 1};
  const auto node_index = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    return (static_cast<std::size_t>(k) * nodes[1] + j) * nodes[0] + i;
  };
  std::vector<std::uint32_t> vertex_of_node(node_index(0, 0, mesh.dims[2] + 1),
                                            VoxelMesh::kNoElement);
  const auto for_each_corner = [&](auto visit) {
    for (std::uint32_t e = 0; e < mesh.cell_of_element.size(); ++e) {
      const auto at = mesh.cell_coordinates(mesh.cell_of_element[e]);
      for (std::size_t b = 0; b < 8; ++b) {
        const auto& offset = kCornerOffsets[b];
        visit(e, b, node_index(at[0] + offset[0], at[1] + offset[1], at[2] + offset[2]));
      }
    }
  };
  for_each_corner([&](std::uint32_t, std::size_t, std::size_t node) { vertex_of_node[node] = 0; });
  for (std::uint32_t k = 0; k <= mesh.dims[2]; ++k) {
    for (std::uint32_t j = 0; j <= mesh.dims[1]; ++j) {
      for (std::uint32_t i = 0; i <= mesh.dims[0]; ++i) {
        std::uint32_t& vertex = vertex_of_node[node_index(i, j, k)];
        if (vertex == VoxelMesh::kNoElement) continue;
        vertex = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(mesh.origin + mesh.edge * Vector3(i, j, k));
      }
    }
  }
  mesh.elements.resize(mesh.cell_of_element.size());
  for_each_corner([&](std::uint32_t e, std::size_t b, std::size_t node) {
    mesh.elements[e][b] = vertex_of_node[node];
  });
}

}  // namespace

std::string VoxelReport::summary() const {
  std::string line = fmt::format("{} surface voxels, {} filled", surface_voxels, filled_voxels);
  if (components > 1) {
    line += fmt::format(", {} pieces, {} voxels of the smaller ones dropped", components,
                        dropped_voxels);
  }
  return line;
}

VoxelMesh voxelize(const TriangleMesh& surface, const VoxelSettings& settings) {
  check(surface, settings);
  VoxelMesh mesh;
  lay_out_grid(bounding_box(surface), settings, mesh);
  CellGrid grid(mesh);
  mark_surface(surface, grid);
  mesh.report.surface_voxels =
      static_cast<std::size_t>(std::count(grid.cells.begin(), grid.cells.end(), kFull));
  if (settings.fill) mesh.report.filled_voxels = fill_interior(grid);
  keep_largest_piece(grid, mesh.report);
  build_elements(grid, mesh);
  return mesh;
}

VoxelMesh with_elements(const VoxelMesh& whole, std::span<const std::uint8_t> keep) {
  VoxelMesh mesh;
  mesh.edge = whole.edge;
  mesh.origin = whole.origin;
  mesh.dims = whole.dims;
  mesh.report = whole.report;
  CellGrid grid(mesh);
  for (std::size_t e = 0; e < keep.size(); ++e) {
    if (keep[e] != 0) grid.cells[whole.cell_of_element[e]] = kFull;
  }
  keep_largest_piece(grid, mesh.report);
  build_elements(grid, mesh);
  return mesh;
}

}  // namespace haptic
