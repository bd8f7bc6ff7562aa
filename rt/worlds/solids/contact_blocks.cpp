#include "rt/worlds/solids/contact_blocks.h"

#include "rt/worlds/coupling_blocks.h"

namespace haptic::solids {

std::vector<StateBlock> contact_blocks() {
  return {
      {.name = "contact/points", .unit = "1", .meaning = "points in contact, each counted once"},
      {.name = "contact/visited_nodes",
       .unit = "nodes",
       .meaning = "point-tree nodes evaluated, sum over the pairs"},
      {.name = "contact/level",
       .unit = "1",
       .meaning = "finest point-tree level rendered, from 1; smallest over the pairs"},
      {.name = "contact/node_budget",
       .unit = "nodes",
       .meaning = "nodes a traversal may visit; smallest over the pairs, 0: all",
       .measured = true},
      saturation_block(),
      {.name = "contact/created_energy",
       .unit = "J",
       .meaning = "energy that contacts have created and damping has not taken out"},
      {.name = "contact/asleep", .unit = "1", .meaning = "bodies that sleep"},
      {.name = "contact/without_row",
       .unit = "1",
       .meaning = "points that press or come in for which the step had no row"},
      {.name = "contact/work",
       .unit = "J",
       .meaning = "work of the contacts since the start, without sign"},
      speed_block(),
      {.name = "deformation/compression",
       .unit = "1",
       .meaning = "largest part of a length by which elements are compressed"},
      excess_block()};
}

std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum,
                                                  const ContactFigures& figures) HAPTIC_REALTIME {
  return {static_cast<double>(sum.contacts),
          static_cast<double>(sum.visited_nodes),
          static_cast<double>(sum.level),
          static_cast<double>(sum.node_budget),
          figures.saturation,
          figures.created_J,
          static_cast<double>(figures.asleep),
          static_cast<double>(figures.without_row),
          figures.work_J,
          figures.speed,
          figures.compression,
          figures.excess};
}

}  // namespace haptic::solids
