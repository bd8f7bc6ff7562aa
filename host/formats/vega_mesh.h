#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace haptic {

/// Orthotropic material as VegaFEM names it: moduli in a local frame whose axes are the columns of
/// `axes`; nu_ab is the contraction along b under a pull along a, so nu_ab / E_a = nu_ba / E_b.
struct Orthotropy {
  double e1 = 0, e2 = 0, e3 = 0;                       ///< Young's moduli [Pa] > 0
  double nu12 = 0, nu23 = 0, nu31 = 0;                 ///< Poisson ratios
  double g12 = 0, g23 = 0, g31 = 0;                    ///< shear moduli [Pa] > 0
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< rotation, local -> model

  /// C_ijkl in model axes as a symmetric 6 x 6 over the pairs 11, 22, 33, 12, 13, 23 with plain
  /// tensor components (shear diagonal = G) [Pa], as host/fem/elasticity.h.
  Eigen::Matrix<double, 6, 6> elasticity() const;
};

/// A `*MATERIAL` of a .veg file: isotropic by E and nu, or orthotropic.
struct VegaMaterial {
  std::string name;
  double density = 1000.0;      ///< kg/m^3
  double youngs_modulus = 1e9;  ///< Pa, isotropic only
  double poisson_ratio = 0.45;  ///< isotropic only
  std::optional<Orthotropy> orthotropy;
};

/// Volume mesh of a .veg file. VegaFEM's cube corners are in the order (000) (100) (110) (010)
/// (001) (101) (111) (011), which is VTK's hexahedron order, so nothing is permuted.
struct VegaMesh {
  std::vector<double> vertices;                 ///< n x 3 [m]
  int corners_per_element = 8;                  ///< 4: TET, 8: CUBIC
  std::vector<std::uint32_t> elements;          ///< m x corners_per_element, 0-based
  std::vector<VegaMaterial> materials;          ///< at least one
  bool has_materials = true;                    ///< false: the file has none, this is the default
  std::vector<std::uint32_t> element_material;  ///< m, index into materials

  std::size_t vertex_count() const { return vertices.size() / 3; }
  std::size_t element_count() const {
    return elements.size() / static_cast<std::size_t>(corners_per_element);
  }
};

/// Reads VegaFEM's text mesh: *VERTICES, *ELEMENTS (TET or CUBIC), *MATERIAL (ENU, ORTHOTROPIC and
/// its short forms), *SET, *REGION, `#` comments, `*INCLUDE file` from the folder of the first
/// file; 0- or 1-based ids. As in VegaFEM, a later region overrides an earlier one, and an element
/// without a region has the last material (without any material: E = 1e9 Pa, nu = 0.45, 1000
/// kg/m^3).
/// @throws InputError with file and line. Hyperelastic materials (MOONEYRIVLIN) have no polynomial
///         force and are refused; so are binary meshes.
VegaMesh read_veg(const std::filesystem::path& path);

/// The file itself and every file that it includes, in the order of reading.
/// @throws InputError if one cannot be read
std::vector<std::filesystem::path> veg_file_parts(const std::filesystem::path& path);

/// Writes the same, 1-based, one set and one region per material (none without materials), numbers
/// with 17 digits.
/// @throws OperationError if the file cannot be written
void write_veg(const std::filesystem::path& path, const VegaMesh& mesh);

}  // namespace haptic
