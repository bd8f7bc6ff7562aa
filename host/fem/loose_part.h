#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// Elements that can move against the rest of a mesh, or against what is held, without strain.
struct LoosePart {
  enum class Why : std::uint8_t {
    kNotHeld,  ///< a piece without a held vertex; of a free mesh: a piece that is not the largest
    kTurns,    ///< a piece whose held vertices lie in a line
    kHinged    ///< joined to the rest by vertices or edges only
  };
  Why why = Why::kNotHeld;
  std::uint32_t element = 0;      ///< the first of the part
  std::size_t element_count = 0;  ///< of the part
  std::size_t pieces = 0;         ///< of the mesh: sets of elements that share no vertex
};

/// A part of `mesh` that makes the stiffness singular although the mesh as a whole is held, by the
/// motions of its parts: elements that share a face move together, others keep what they share.
/// None for a mesh that face neighbours join into one.
/// @param held vertices below mesh.vertex_count(); empty: a free mesh, whose own six motions are
///             not counted
/// Cost: a sort of the faces. Mechanisms of more than 200 hinged parts are not looked into.
std::optional<LoosePart> find_loose_part(const SolidMesh& mesh,
                                         std::span<const std::uint32_t> held);

}  // namespace haptic
