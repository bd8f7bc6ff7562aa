#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// A mesh whose elements are halves in each direction of those of another one.
struct RefinedMesh {
  SolidMesh mesh;
  std::vector<std::uint32_t> fixed;  ///< ascending: between fixed vertices
};

/// Each element cut into eight of its kind, group and strain sampling.
/// @param mesh of whole elements, none of them held in part @param fixed vertices, in any order
RefinedMesh refined(const SolidMesh& mesh, std::span<const std::uint32_t> fixed);

}  // namespace haptic
