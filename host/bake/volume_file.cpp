#include "host/bake/volume_file.h"

#include <algorithm>

#include "host/mesh/tetrahedral_mesh_file.h"
#include "host/vega/vega_mesh.h"
#include "shared/error.h"

namespace haptic {
namespace {

SolidBody read_vega_file(const std::filesystem::path& path) {
  VegaMesh mesh = read_veg(path);
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
  const std::string ending = path.extension().string();
  if (ending != ".ele" && ending != ".node") return {path};
  std::filesystem::path elements = path, nodes = path;
  return {elements.replace_extension(".ele"), nodes.replace_extension(".node")};
}

SolidBody read_volume_file(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".veg") return read_vega_file(path);
  if (ending == ".msh" || ending == ".ele" || ending == ".node") {
    return solid_of_tetrahedra(read_tetrahedral_mesh(path));
  }
  throw InputError(path.string(), "", "found an ending that no reader knows",
                   ".msh (Gmsh), .ele (TetGen) or .veg (VegaFEM)");
}

}  // namespace haptic
