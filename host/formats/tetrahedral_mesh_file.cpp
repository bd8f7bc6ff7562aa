#include "host/formats/tetrahedral_mesh_file.h"

#include <fmt/format.h>

#include "host/files/mesh_kind.h"
#include "host/formats/tetrahedral_mesh_parts.h"
#include "shared/error.h"

namespace haptic {

TetrahedralMesh read_tetrahedral_mesh(const std::filesystem::path& path) {
  const std::string extension = lower_case_extension(path);
  TetrahedralMesh mesh;
  if (extension == ".msh") {
    mesh = read_gmsh(path);
  } else if (extension == ".mesh") {
    mesh = read_medit(path);
  } else if (extension == ".ele" || extension == ".node") {
    mesh = read_tetgen(path);
  } else {
    throw InputError(path.string(), "",
                     extension.empty()
                         ? "no file extension"
                         : fmt::format("unknown volume mesh format \"{}\"", extension),
                     "Gmsh's .msh, MEDIT's .mesh or TetGen's .ele");
  }
  orient(mesh, path.string());
  return mesh;
}

}  // namespace haptic
