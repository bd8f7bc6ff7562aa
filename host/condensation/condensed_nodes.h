#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/stvk_model.h"

namespace haptic {

/// Mesh vertices that static condensation retains: those of all boundary elements, without the
/// fixed ones, ascending. A boundary element has a face that no other element shares, or is among
/// `surface_elements`, the elements that contain a vertex of the surface mesh. So each node that a
/// point of the surface follows is retained; the other nodes belong to inner elements alone.
/// Source: Sedaghat 2011, section 5.3.
/// @param surface_elements ids of elements, in any order, duplicates allowed
std::vector<std::uint32_t> condensed_nodes(const StvkModel& model,
                                           std::span<const std::uint32_t> surface_elements);

/// Free degrees of freedom of nodes, 3 a node, in the order of the nodes.
/// @param nodes free vertices of the mesh
std::vector<int> free_dofs_of(const StvkModel& model, std::span<const std::uint32_t> nodes);

}  // namespace haptic
