#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/hexahedron_quadrature.h"
#include "host/fem/material.h"
#include "shared/math/pose.h"

namespace haptic {

/// Geometry that congruent elements (equal up to translation) share; one for a voxel mesh.
struct HexahedronShape {
  CornerVectors corners;            ///< relative to corner 0 [m]
  HexahedronQuadrature quadrature;  ///< 3x3x3, for energy, force, stiffness and mass
  /// For the Hessian at rest: 2x2x2 where that gives the same integrals (parallelepipeds), the
  /// 3x3x3 rule otherwise, so that H stays the exact derivative of K.
  HexahedronQuadrature hessian_quadrature;
};

/// The mesh the FEM works on: trilinear hexahedra with one material, or one per element.
/// Immutable and checked: every index is valid, every vertex belongs to an element, every element
/// has a positive Jacobian, every number is finite.
class HexahedralMesh {
 public:
  /// From flat arrays, as in /mesh/vertices and /mesh/elements of a model file.
  /// @param vertices  n x 3 row-major [m]
  /// @param elements  m x 8 vertex ids, VTK order
  /// @param materials 1 (homogeneous) or m entries
  /// @throws InputError naming the vertex, element or material that does not hold
  HexahedralMesh(std::span<const double> vertices, std::span<const std::uint32_t> elements,
                 std::vector<Material> materials);
  HexahedralMesh(std::span<const double> vertices, std::span<const std::uint32_t> elements,
                 const Material& material)
      : HexahedralMesh(vertices, elements, std::vector<Material>{material}) {}

  int vertex_count() const { return static_cast<int>(vertices_.size() / 3); }
  int element_count() const { return static_cast<int>(elements_.size() / 8); }

  std::span<const double> vertices() const { return vertices_; }         ///< n x 3 [m]
  std::span<const std::uint32_t> elements() const { return elements_; }  ///< m x 8
  Vector3 vertex(int v) const { return Vector3(&vertices_[3 * static_cast<std::size_t>(v)]); }
  std::span<const std::uint32_t, 8> element(int e) const {
    return std::span<const std::uint32_t, 8>(&elements_[8 * static_cast<std::size_t>(e)], 8);
  }
  CornerVectors corners(int e) const;  ///< undeformed [m]
  const Material& material(int e) const {
    return materials_[materials_.size() == 1 ? 0 : static_cast<std::size_t>(e)];
  }
  const std::vector<Material>& materials() const { return materials_; }

  /// Classes of congruent elements.
  int shape_count() const { return static_cast<int>(shapes_.size()); }
  const HexahedronShape& shape(int e) const {
    return shapes_[shape_of_element_[static_cast<std::size_t>(e)]];
  }
  int shape_index(int e) const {
    return static_cast<int>(shape_of_element_[static_cast<std::size_t>(e)]);
  }

  double volume() const;  ///< m^3
  double mass() const;    ///< kg
  Vector3 lower() const;  ///< bounding box [m]
  Vector3 upper() const;

 private:
  std::vector<double> vertices_;
  std::vector<std::uint32_t> elements_;
  std::vector<Material> materials_;
  std::vector<HexahedronShape> shapes_;
  std::vector<std::uint32_t> shape_of_element_;
};

/// Block of nx x ny x nz cubes of edge h with its lower corner at the origin; vertex (i,j,k) has
/// id i + (nx+1) (j + (ny+1) k).
/// @throws InputError if a count is < 1 or h <= 0
HexahedralMesh make_box_mesh(int nx, int ny, int nz, double h, const Material& material);

}  // namespace haptic
