#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/vdb/volume_surface.h"

namespace haptic {

/// A closed surface in units of a grid's spacing; its orientation does not matter.
struct ClosedPart {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  bool is_cavity = false;  ///< removes what it encloses
};

/// Surface of what the parts enclose, each added to or removed from those before it: by OpenVDB's
/// meshToLevelSet and volumeToMesh, outward; flat parts have large faces. @param parts the first of
/// them no cavity
VolumeSurface union_surface(std::span<const ClosedPart> parts);

}  // namespace haptic
