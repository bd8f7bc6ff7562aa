#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace haptic {

/// Particles of a rectangular grid: particle (i, j) has the number j nx + i.
struct GridSize {
  std::uint32_t nx = 0, ny = 0;
};

/// Rest shape of a cloth. Each vertex is a particle.
struct ClothMesh {
  std::vector<std::array<double, 3>> vertices;          ///< m
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< counter-clockwise from the front
  /// Quadrilaterals that pairs of the triangles form, corners in order. Their diagonals are shear
  /// directions and not threads. May be empty.
  std::vector<std::array<std::uint32_t, 4>> quads;
  /// Set where vertices and quads are a rectangular grid.
  std::optional<GridSize> grid;
};

/// Rectangle of nx x ny particles in the plane z = 0, x from 0 to `width`, y from 0 to `height`;
/// its front looks along +z. The diagonals of the triangles alternate, so none is preferred.
/// Source: docs/methods/cloth.md, "Topology".
/// @param width, height  m, > 0
/// @throws InputError if a side has fewer than 2 particles or no length, or the grid has more than
///         2^31 particles
ClothMesh make_grid(GridSize size, double width, double height);

/// Checks that the triangles are a manifold of one orientation, and that a spring can be at every
/// edge: finite vertices, each used; indices in range; no triangle without area (below 1e-12 of
/// its longest side squared) or twice; at most two triangles at an edge, in opposite directions;
/// one fan of triangles at a vertex. Quads must be two of the triangles.
/// @param source  file or scene that the mesh is from, for the message
/// @throws InputError with the first defect found
void check_cloth_mesh(const ClothMesh& mesh, std::string_view source);

/// The mass of every particle: M / n [kg].
/// @throws InputError if the total is not a number > 0
std::vector<double> uniform_masses(double total, std::size_t particles);

/// An undirected edge. a < b.
struct MeshEdge {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t a = 0, b = 0;
  /// Third vertices of the triangles at the edge, in the order of the triangles; kNone at a border.
  std::uint32_t opposite[2] = {kNone, kNone};
};

/// Edges of a checked mesh, ordered by a, then b.
std::vector<MeshEdge> mesh_edges(const ClothMesh& mesh);

}  // namespace haptic
