#pragma once

#include <array>
#include <vector>

#include "rt/worlds/solids/contact_set.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Number of blocks, each of one number, that describe the contacts of a cycle.
inline constexpr std::size_t kContactBlocks = 4;

/// The blocks contact/points, contact/visited_nodes, contact/level and contact/node_budget
/// (docs/contact.md, "State blocks"), as many as kContactBlocks.
std::vector<StateBlock> contact_blocks();

/// Values of the blocks after a touch, in their order: integers below 2^32, which are exact.
std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum) HAPTIC_REALTIME;

}  // namespace haptic
