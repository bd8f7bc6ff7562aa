#pragma once

#include <array>
#include <vector>

#include "rt/worlds/solids/contact_set.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic::solids {

/// Number of blocks, each of one number, that describe the contacts, the coupling and the
/// deformation of a cycle.
inline constexpr std::size_t kContactBlocks = 12;

/// The blocks contact/points, contact/visited_nodes, contact/level, contact/node_budget,
/// coupling/saturation, contact/created_energy, contact/asleep, contact/without_row, contact/work,
/// coupling/speed, deformation/compression and coupling/excess (docs/contact.md, "State blocks"),
/// as many as kContactBlocks.
std::vector<StateBlock> contact_blocks();

/// What the sum over the pairs does not have.
struct ContactFigures {
  double saturation = 0.0;        ///< simulated force of the coupling over the largest such force
  double created_J = 0.0;         ///< energy that contacts have created
  double work_J = 0.0;            ///< of the contacts since the start, without sign
  std::uint32_t asleep = 0;       ///< bodies that sleep
  std::uint32_t without_row = 0;  ///< points that press or come in for which the step had no row
  double speed = 0.0;             ///< HeldBody::speed_fraction
  double excess = 0.0;            ///< HeldBody::felt_excess
  double compression = 0.0;       ///< largest DeformationSamples::compression of the bodies
};

/// Values of the blocks after a touch, in their order: integers below 2^32, which are exact, and
/// the figures.
std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum,
                                                  const ContactFigures& figures) HAPTIC_REALTIME;

}  // namespace haptic::solids
