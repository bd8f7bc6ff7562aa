#include "host/formats/tetrahedral_mesh_file.h"

#include <fmt/format.h>

#include <cctype>

#include "host/formats/tetrahedral_mesh_parts.h"
#include "shared/error.h"

namespace haptic {

TetrahedralMesh read_tetrahedral_mesh(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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
