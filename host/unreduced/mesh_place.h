#pragma once

#include <array>
#include <cstdint>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// A material point of a mesh: u = sum weights u_vertex.
struct MeshPlace {
  std::array<std::uint32_t, 8> vertices{};
  std::array<double, 8> weights{};
  std::size_t count = 0;  ///< entries that are used

  static MeshPlace at_vertex(std::uint32_t vertex) { return {{vertex}, {1.0}, 1}; }
  /// The vertex with the largest weight; the first among equals.
  std::uint32_t main_vertex() const;
};

/// The point of the mesh nearest to a point: in the element that contains it or else is nearest,
/// the lowest id among equals. In hexahedra that are no axis-parallel boxes, the nearest vertex.
MeshPlace nearest_place(const SolidMesh& mesh, const Vector3& point);

/// Id of the vertex nearest to a point; the lowest among equals. @param vertices n x 3, n >= 1
std::uint32_t nearest_vertex(std::span<const double> vertices, const Vector3& point);

}  // namespace haptic
