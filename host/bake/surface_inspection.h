#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "host/mesh/component_union.h"
#include "host/mesh/mesh_report.h"
#include "host/mesh/tetrahedral_mesh.h"
#include "host/mesh/wall_thickness.h"

namespace haptic {

/// Elements of a volume mesh.
struct VolumeInspection {
  std::size_t vertices = 0, elements = 0;
  bool cubes = false;              ///< not tetrahedra
  std::vector<NamedGroup> groups;  ///< of Gmsh
  std::size_t repeated = 0;        ///< listed again and left out
  std::size_t left_out = 0;        ///< vertices of no element
};

/// What a surface file, or the boundary of a volume mesh, contains, as a bake with default keys
/// would read it.
struct SurfaceInspection {
  BoundingBox box;    ///< of the file's coordinates
  MeshReport report;  ///< of the cleaned surface, in the file's unit
  SurfaceCrossings crossings;
  std::optional<ThinnestPlace> thinnest;  ///< of a closed surface without overlaps
  std::optional<VolumeInspection> volume;
};

/// @param path of a surface or a volume mesh (is_volume_file)
/// @throws InputError as parse_surface or read_volume_file
SurfaceInspection inspect_surface(const std::filesystem::path& path);

/// A recipe that would bake it: deformable, held at its lowest part, with its own elements, or a
/// resolution that puts three cells through the thinnest wall, within 16 to 96.
std::string recipe_for(const std::filesystem::path& path, const SurfaceInspection& surface);

}  // namespace haptic
