#include "host/formats/obj_in_order.h"

#include "host/formats/file_bytes.h"
#include "host/formats/polygon_soup.h"
#include "host/mesh/polygon_triangles.h"
#include "shared/error.h"

namespace haptic {

ObjSurface read_obj_surface(const std::filesystem::path& path) {
  const PolygonSoup soup = read_obj(read_file_bytes(path, "an OBJ surface"), path.string());
  ObjSurface surface;
  surface.mesh.vertices = soup.vertices;
  std::vector<Vector3> corners;
  std::vector<std::array<std::uint32_t, 3>> cut;
  for (std::size_t f = 0; f < soup.face_count(); ++f) {
    const std::uint32_t* const polygon = soup.corners.data() + soup.face_begin(f);
    const std::size_t size = soup.face_ends[f] - soup.face_begin(f);
    if (size == 4) surface.quads.push_back({polygon[0], polygon[1], polygon[2], polygon[3]});
    corners.clear();
    for (std::size_t c = 0; c < size; ++c) corners.push_back(soup.vertices[polygon[c]]);
    cut.clear();
    triangulate_polygon(corners, cut);
    for (const auto& [i, j, k] : cut) {
      surface.mesh.triangles.push_back({polygon[i], polygon[j], polygon[k]});
    }
  }
  if (surface.mesh.triangles.empty()) {
    throw InputError(path.string(), "", "no triangles", "an OBJ surface");
  }
  return surface;
}

TriangleMesh read_obj_in_order(const std::filesystem::path& path) {
  return read_obj_surface(path).mesh;
}

}  // namespace haptic
