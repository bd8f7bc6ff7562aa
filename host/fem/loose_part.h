#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// Elements that can move relative to the rest of a mesh, or to the fixed vertices, without strain.
struct LoosePart {
  enum class Why : std::uint8_t {
    kNotHeld,  ///< a piece without a fixed vertex; of a free mesh: a piece that is not the largest
    kTurns,    ///< a piece whose fixed vertices are collinear
    kHinged    ///< joined to the rest by vertices or edges only
  };
  Why why = Why::kNotHeld;
  std::uint32_t element = 0;      ///< the first of the part
  std::size_t element_count = 0;  ///< of the part
  std::size_t pieces = 0;         ///< of the mesh: sets of elements that share no vertex
};

/// A part of `mesh` that makes the stiffness singular although the mesh as a whole is constrained.
/// Elements that share a face move together as one body; bodies that share only vertices or edges
/// are hinged there. No value for a mesh whose elements are all connected through faces.
/// @param held vertices below mesh.vertex_count(); empty: a free mesh, whose six rigid motions are
///             not counted Cost: a sort of the faces. Mechanisms of more than 200 hinged parts are
///             not examined.
std::optional<LoosePart> find_loose_part(const SolidMesh& mesh,
                                         std::span<const std::uint32_t> held);

}  // namespace haptic
