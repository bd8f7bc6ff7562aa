#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace haptic {

/// Points in units of the grid's spacing from its first node, and the faces between them.
struct VolumeSurface {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::array<std::uint32_t, 4>> quads;
};

/// Surface value = iso of samples at the nodes of a regular grid, by OpenVDB's volumeToMesh (dual
/// contouring, no adaptivity); faces towards larger values.
/// @param counts      nodes along x, y, z
/// @param values      of node (i,j,k) at (k*counts[1] + j)*counts[0] + i; all finite
/// @param background  value beyond the grid
VolumeSurface volume_surface(const std::array<std::uint32_t, 3>& counts,
                             std::span<const float> values, float background, double iso);

}  // namespace haptic
