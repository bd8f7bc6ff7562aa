#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A surface and the quadrilaterals among its polygons.
struct ObjSurface {
  TriangleMesh mesh;
  std::vector<std::array<std::uint32_t, 4>>
      quads;  ///< corners in order; convex ones are cut from first to third
};

/// An OBJ surface with its vertices in the order of the file, as .interp weights count them;
/// polygons are cut into triangles. The general reader (host/formats/mesh_file.h) joins equal
/// vertices.
/// @throws InputError with the line that is invalid
ObjSurface read_obj_surface(const std::filesystem::path& path);

/// Its triangles alone.
TriangleMesh read_obj_in_order(const std::filesystem::path& path);

}  // namespace haptic
