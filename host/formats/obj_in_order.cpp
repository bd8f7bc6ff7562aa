#include "host/formats/obj_in_order.h"

#include <fmt/format.h>

#include "host/formats/file_bytes.h"
#include "host/formats/number_list.h"
#include "shared/error.h"

namespace haptic {

ObjSurface read_obj_surface(const std::filesystem::path& path) {
  const std::string bytes = read_file_bytes(path, "an OBJ surface");
  ObjSurface surface;
  TriangleMesh& mesh = surface.mesh;
  std::vector<std::uint32_t> polygon;
  for (std::size_t begin = 0, line = 1; begin < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    NumberList words(std::string_view(bytes).substr(begin, end - begin));
    begin = end + 1;
    const auto fail = [&](std::string_view found) {
      throw InputError(path.string(), fmt::format("line {}", line), found);
    };
    const std::string_view kind = words.word();
    if (kind == "v") {
      Vector3 v;
      for (int axis = 0; axis < 3; ++axis) {
        const auto x = words.real();
        if (!x) fail("a vertex without three finite coordinates");
        v[axis] = *x;
      }
      mesh.vertices.push_back(v);
    } else if (kind == "f") {
      polygon.clear();
      const auto count = static_cast<std::int64_t>(mesh.vertices.size());
      while (!words.empty()) {
        const std::string_view corner = words.word();  // v, v/t, v//n or v/t/n
        auto id = NumberList(corner.substr(0, corner.find('/'))).integer();
        if (id && *id < 0) *id += count + 1;
        if (!id || *id < 1 || *id > count)
          fail("a face with a vertex that is not defined above it");
        polygon.push_back(static_cast<std::uint32_t>(*id - 1));
      }
      if (polygon.size() < 3) fail("a face with fewer than three vertices");
      if (polygon.size() == 4) {
        surface.quads.push_back({polygon[0], polygon[1], polygon[2], polygon[3]});
      }
      for (std::size_t c = 2; c < polygon.size(); ++c) {
        mesh.triangles.push_back({polygon[0], polygon[c - 1], polygon[c]});
      }
    }
  }
  if (mesh.triangles.empty()) throw InputError(path.string(), "", "no triangles", "an OBJ surface");
  return surface;
}

TriangleMesh read_obj_in_order(const std::filesystem::path& path) {
  return read_obj_surface(path).mesh;
}

}  // namespace haptic
