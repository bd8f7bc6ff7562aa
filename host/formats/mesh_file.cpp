#include "host/formats/mesh_file.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "host/files/mesh_kind.h"
#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "shared/error.h"

namespace haptic {

SurfaceFile read_surface_file(const std::filesystem::path& path) {
  const std::string extension = lower_case_extension(path);
  if (!is_surface_file(path)) {
    throw InputError(path.string(), "",
                     extension.empty() ? "no file extension"
                                       : fmt::format("unknown mesh format \"{}\"", extension),
                     "a mesh file in .obj, .stl or .ply");
  }
  return parse_surface(read_file_bytes(path, "an OBJ, STL or PLY mesh"), extension, path.string());
}

TriangleMesh read_mesh(const std::filesystem::path& path) {
  return read_surface_file(path).mesh;
}

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# {} vertices, {} triangles, metres\n", mesh.vertices.size(),
                 mesh.triangles.size());
  for (const Vector3& v : mesh.vertices) {
    fmt::format_to(out, "v {:.9g} {:.9g} {:.9g}\n", v.x(), v.y(), v.z());
  }
  for (const auto& [i, j, k] : mesh.triangles) {
    fmt::format_to(out, "f {} {} {}\n", i + 1, j + 1, k + 1);
  }

  replace_file(path, {std::string_view(text.data(), text.size())});
}

}  // namespace haptic
