#pragma once

#include <filesystem>
#include <vector>

#include "host/field/surface_distance.h"
#include "host/mesh/placement.h"

namespace haptic {

/// A shell read from a file, in the order of the file.
struct FilePoints {
  std::vector<Vector3> points;   ///< model frame [m]
  std::vector<Vector3> normals;  ///< inward; zero where the file gives none
};

/// Reads points from text, `x y z` or `x y z nx ny nz` on a line, '#' starts a comment. The
/// coordinates are those of the source mesh's file; normals are unit and point inward.
/// @param surface contact surface of the body
/// @throws InputError naming file and line: words that are not numbers, a point further from the
///         surface than a twentieth of its longest side, a normal that is not unit within 1e-3 or
///         does not face inward, no points, more than four million
FilePoints read_point_file(const std::filesystem::path& path, const Placement& placement,
                           const SurfaceDistance& surface);

}  // namespace haptic
