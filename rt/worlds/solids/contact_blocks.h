#pragma once

#include <array>
#include <vector>

#include "rt/worlds/solids/contact_set.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Number of blocks, each of one number, that describe the contacts and the coupling of a cycle.
inline constexpr std::size_t kContactBlocks = 5;

/// The blocks contact/points, contact/visited_nodes, contact/level, contact/node_budget and
/// coupling/saturation (docs/contact.md, "State blocks"), as many as kContactBlocks.
std::vector<StateBlock> contact_blocks();

/// Values of the blocks after a touch, in their order: integers below 2^32, which are exact, and
/// the saturation.
/// @param coupling  simulated force of the coupling [N]
/// @param plateau   the largest such force [N], > 0; may be infinite
std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum,
                                                  const Vector3& coupling,
                                                  double plateau) HAPTIC_REALTIME;

}  // namespace haptic
