#pragma once

#include <array>
#include <vector>

#include "rt/worlds/solids/contact_set.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic::solids {

/// Number of blocks, each of one number, that describe the contacts and the coupling of a cycle.
inline constexpr std::size_t kContactBlocks = 8;

/// The blocks contact/points, contact/visited_nodes, contact/level, contact/node_budget,
/// coupling/saturation, contact/created_energy, contact/asleep and contact/without_row
/// (docs/contact.md, "State blocks"), as many as kContactBlocks.
std::vector<StateBlock> contact_blocks();

/// Values of the blocks after a touch, in their order: integers below 2^32, which are exact, and
/// the saturation.
/// @param created   energy that contacts have created [J]
/// @param asleep    number of bodies that sleep
/// @param without_row  number of points that press or come in for which the step had no row
/// @param coupling  simulated force of the coupling [N]
/// @param plateau   the largest such force [N], > 0; may be infinite
std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum, double created,
                                                  std::uint32_t asleep, std::uint32_t without_row,
                                                  const Vector3& coupling,
                                                  double plateau) HAPTIC_REALTIME;

}  // namespace haptic::solids
