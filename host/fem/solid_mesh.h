#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/assumed_strain_rule.h"
#include "host/fem/hexahedron_quadrature.h"
#include "host/fem/solid_material.h"
#include "host/fem/tetrahedron_geometry.h"
#include "shared/math/pose.h"

namespace haptic {

/// All elements of a mesh are of one kind.
enum class ElementKind { kHexahedron, kTetrahedron };

constexpr int corner_count(ElementKind kind) {
  return kind == ElementKind::kHexahedron ? 8 : 4;
}

/// Geometry that congruent elements (equal up to translation) share; one for a voxel mesh.
struct HexahedronShape {
  CornerVectors corners;            ///< relative to corner 0 [m]
  HexahedronQuadrature quadrature;  ///< 3x3x3, for energy, force, stiffness and mass
  /// For the Hessian at rest: 2x2x2 where that gives the same integrals (parallelepipeds), the
  /// 3x3x3 rule otherwise, so that H stays the exact derivative of K.
  HexahedronQuadrature hessian_quadrature;
};

/// What a mesh of equal boxes is besides its corners.
struct CellSettings {
  StrainSampling sampling = StrainSampling::kPointwise;
  std::vector<CellPart> parts;  ///< of each element; empty: all are whole
  std::vector<double> held;     ///< held_fraction of each element; empty: none is held

  /// Elements as published: whole, with strain where the integration points are.
  bool plain() const {
    return sampling == StrainSampling::kPointwise && parts.empty() && held.empty();
  }
  bool is_whole(std::size_t e) const {
    return (parts.empty() || parts[e] == kWholeCell) && (held.empty() || held[e] == 0.0);
  }
};

/// Materials of a mesh and the material of each element.
struct MaterialGroups {
  std::vector<SolidMaterial> materials;   ///< G >= 1
  std::vector<std::uint32_t> of_element;  ///< m ids below G; empty: all elements have group 0
};

/// The mesh the FEM works on: trilinear hexahedra or linear tetrahedra in material groups.
/// Immutable and checked: every index is valid, no element has a vertex twice, every vertex belongs
/// to an element, every element has a positive Jacobian, every number is finite, every material
/// stores energy.
class SolidMesh {
 public:
  /// From flat arrays, as in /mesh/vertices and /mesh/elements (or tetrahedra) of a model file.
  /// @param vertices n x 3 row-major [m]
  /// @param elements m x 8 or m x 4 vertex ids, VTK order
  /// @throws InputError naming the invalid vertex, element or group
  SolidMesh(ElementKind kind, std::span<const double> vertices,
            std::span<const std::uint32_t> elements, MaterialGroups groups);
  /// Hexahedra whose strain is sampled otherwise than at the points of their quadrature, or that
  /// the surface of the body cuts.
  /// @throws InputError besides if the elements are not equal axis-parallel boxes, or a part or a
  ///         held fraction does not fit its cell
  SolidMesh(std::span<const double> vertices, std::span<const std::uint32_t> elements,
            MaterialGroups groups, CellSettings cells);
  /// Homogeneous.
  SolidMesh(ElementKind kind, std::span<const double> vertices,
            std::span<const std::uint32_t> elements, const SolidMaterial& material)
      : SolidMesh(kind, vertices, elements, MaterialGroups{{material}, {}}) {}
  /// Homogeneous hexahedra.
  SolidMesh(std::span<const double> vertices, std::span<const std::uint32_t> elements,
            const SolidMaterial& material)
      : SolidMesh(ElementKind::kHexahedron, vertices, elements, material) {}

  ElementKind kind() const { return kind_; }
  int corners_per_element() const { return corner_count(kind_); }
  int vertex_count() const { return static_cast<int>(vertices_.size() / 3); }
  int element_count() const { return static_cast<int>(elements_.size()) / corners_per_element(); }

  std::span<const double> vertices() const { return vertices_; }         ///< n x 3 [m]
  std::span<const std::uint32_t> elements() const { return elements_; }  ///< m x 8 or m x 4
  Vector3 vertex(int v) const { return Vector3(&vertices_[3 * static_cast<std::size_t>(v)]); }
  /// Corners of an element, 8 or 4.
  std::span<const std::uint32_t> element(int e) const {
    const auto corners = static_cast<std::size_t>(corners_per_element());
    return std::span(elements_).subspan(corners * static_cast<std::size_t>(e), corners);
  }
  /// Undeformed corners [m], N = corners_per_element().
  template <int N>
  Eigen::Matrix<double, 3, N> corners(int e) const {
    Eigen::Matrix<double, 3, N> corners;
    const auto ids = element(e);
    for (int a = 0; a < N; ++a) {
      corners.col(a) = vertex(static_cast<int>(ids[static_cast<std::size_t>(a)]));
    }
    return corners;
  }

  int group_count() const { return static_cast<int>(groups_.materials.size()); }
  int group(int e) const {
    return groups_.of_element.empty()
               ? 0
               : static_cast<int>(groups_.of_element[static_cast<std::size_t>(e)]);
  }
  const SolidMaterial& material(int e) const {
    return groups_.materials[static_cast<std::size_t>(group(e))];
  }
  const MaterialGroups& groups() const { return groups_; }
  bool is_isotropic() const;  ///< in every group

  /// Classes of congruent hexahedra.
  int shape_count() const { return static_cast<int>(shapes_.size()); }
  const HexahedronShape& shape_at(int s) const { return shapes_[static_cast<std::size_t>(s)]; }
  const HexahedronShape& shape(int e) const {
    return shapes_[shape_of_element_[static_cast<std::size_t>(e)]];
  }
  int shape_index(int e) const {
    return static_cast<int>(shape_of_element_[static_cast<std::size_t>(e)]);
  }
  const TetrahedronGeometry& tetrahedron(int e) const {
    return tetrahedra_[static_cast<std::size_t>(e)];
  }

  const CellSettings& cells() const { return cells_; }
  /// Integration of an element whose settings are not plain.
  AssumedStrainRule cell_rule(int e) const;

  double element_volume(int e) const;  ///< m^3
  double volume() const;               ///< m^3
  double mass() const;                 ///< kg
  Vector3 lower() const;               ///< bounding box [m]
  Vector3 upper() const;

 private:
  void check_numbers() const;
  void check_connectivity() const;
  void build_hexahedra();
  void build_tetrahedra();
  void build_cells();

  ElementKind kind_;
  std::vector<double> vertices_;
  std::vector<std::uint32_t> elements_;
  MaterialGroups groups_;
  std::vector<HexahedronShape> shapes_;
  std::vector<std::uint32_t> shape_of_element_;
  std::vector<TetrahedronGeometry> tetrahedra_;
  CellSettings cells_;
  Vector3 edges_ = Vector3::Zero();             ///< of the boxes, where the settings are not plain
  std::vector<double> mean_shares_;             ///< of each group
  std::vector<AssumedStrainRule> whole_rules_;  ///< of each group
};

/// Block of nx x ny x nz cubes of edge h with its lower corner at the origin; vertex (i,j,k) has
/// id i + (nx+1) (j + (ny+1) k).
/// @throws InputError if a count is < 1 or h <= 0
SolidMesh make_box_mesh(int nx, int ny, int nz, double h, const SolidMaterial& material);
inline SolidMesh make_box_mesh(int nx, int ny, int nz, double h, const Material& material) {
  return make_box_mesh(nx, ny, nz, h, SolidMaterial(material));
}

/// The same block and vertices with each cube cut into six tetrahedra around its diagonal (Kuhn):
/// neighbouring cubes meet in the same triangles.
SolidMesh make_tetrahedral_box_mesh(int nx, int ny, int nz, double h,
                                    const SolidMaterial& material);

}  // namespace haptic
