#include "host/bake/volume_file.h"

#include <algorithm>

#include "host/files/mesh_kind.h"
#include "host/formats/tetrahedral_mesh_file.h"
#include "host/formats/vega_mesh.h"
#include "shared/error.h"

namespace haptic {
namespace {

FileMaterials materials_of(const VegaMesh& mesh) {
  FileMaterials file;
  file.given = mesh.has_materials;
  for (const VegaMaterial& m : mesh.materials) {
    FileMaterial& material = file.materials.emplace_back();
    material.name = m.name;
    material.density = m.density;
    if (m.orthotropy) {
      material.elasticity = m.orthotropy->elasticity();
    } else {
      material.isotropic = {m.youngs_modulus, m.poisson_ratio};
    }
  }
  if (file.materials.size() > 1) file.of_element = mesh.element_material;
  return file;
}

SolidBody solid_of(VegaMesh mesh, const std::filesystem::path& path) {
  if (mesh.corners_per_element == 8) {
    return solid_of_cubes(std::move(mesh.vertices), std::move(mesh.elements), path.string());
  }
  TetrahedralMesh tetrahedra;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    tetrahedra.vertices.emplace_back(&mesh.vertices[3 * v]);
  }
  tetrahedra.tetrahedra.resize(mesh.element_count());
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    std::copy_n(&mesh.elements[4 * e], 4, tetrahedra.tetrahedra[e].begin());
  }
  orient(tetrahedra, path.string());
  return solid_of_tetrahedra(std::move(tetrahedra));
}

}  // namespace

std::vector<std::filesystem::path> volume_file_parts(const std::filesystem::path& path) {
  if (path.empty()) return {};
  const std::string ending = lower_case_extension(path);
  if (ending == ".veg") return veg_file_parts(path);
  if (ending != ".ele" && ending != ".node") return {path};
  std::filesystem::path elements = path, nodes = path;
  return {elements.replace_extension(".ele"), nodes.replace_extension(".node")};
}

VolumeFile read_volume_file(const std::filesystem::path& path) {
  if (!is_volume_file(path)) {
    throw InputError(path.string(), "", "found an unsupported file extension",
                     ".msh (Gmsh), .mesh (MEDIT), .ele (TetGen) or .veg (VegaFEM)");
  }
  if (lower_case_extension(path) == ".veg") {
    VegaMesh mesh = read_veg(path);
    FileMaterials materials = materials_of(mesh);
    return {solid_of(std::move(mesh), path), std::move(materials)};
  }
  return {solid_of_tetrahedra(read_tetrahedral_mesh(path)), {}};
}

}  // namespace haptic
