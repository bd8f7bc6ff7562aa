#pragma once

#include <filesystem>
#include <optional>

#include "host/mesh/component_union.h"
#include "host/mesh/mesh_report.h"
#include "host/mesh/wall_thickness.h"

namespace haptic {

/// What a surface file contains, as a bake with default keys would read it.
struct SurfaceInspection {
  BoundingBox box;    ///< of the file's coordinates
  MeshReport report;  ///< of the cleaned surface, in the file's unit
  SurfaceCrossings crossings;
  std::optional<ThinnestPlace> thinnest;  ///< of a closed surface without overlaps
};

/// @throws InputError as parse_surface
SurfaceInspection inspect_surface(const std::filesystem::path& path);

/// A recipe that would bake the surface: deformable, held at its lowest part, with a resolution
/// that puts three cells through the thinnest wall, within 16 to 96.
std::string recipe_for(const std::filesystem::path& path, const SurfaceInspection& surface);

}  // namespace haptic
