#pragma once

#include <array>
#include <vector>

#include "rt/worlds/solids/contact_set.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Number of blocks, each of one number, that describe the contacts and the coupling of a cycle.
inline constexpr std::size_t kContactBlocks = 7;

/// The blocks contact/points, contact/visited_nodes, contact/level, contact/node_budget,
/// coupling/saturation, contact/created_energy and contact/asleep (docs/contact.md, "State
/// blocks"), as many as kContactBlocks.
std::vector<StateBlock> contact_blocks();

/// Values of the blocks after a touch, in their order: integers below 2^32, which are exact, and
/// the saturation.
/// @param created   energy that contacts have created [J]
/// @param asleep    number of bodies that sleep
/// @param coupling  simulated force of the coupling [N]
/// @param plateau   the largest such force [N], > 0; may be infinite
std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum, double created,
                                                  std::uint32_t asleep, const Vector3& coupling,
                                                  double plateau) HAPTIC_REALTIME;

}  // namespace haptic
