#include "rt/worlds/solids/contact_blocks.h"

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
      {.name = "coupling/saturation",
       .unit = "1",
       .meaning = "simulated force of the coupling over its largest value"},
      {.name = "contact/created_energy",
       .unit = "J",
       .meaning = "energy that contacts have created and damping has not taken out"},
      {.name = "contact/asleep", .unit = "1", .meaning = "bodies that sleep"},
      {.name = "contact/without_row",
       .unit = "1",
       .meaning = "points that press or come in for which the step had no row"}};
}

std::array<double, kContactBlocks> contact_values(const ContactSet::Sum& sum, double created,
                                                  std::uint32_t asleep, std::uint32_t without_row,
                                                  const Vector3& coupling,
                                                  double plateau) HAPTIC_REALTIME {
  return {static_cast<double>(sum.contacts), static_cast<double>(sum.visited_nodes),
          static_cast<double>(sum.level),    static_cast<double>(sum.node_budget),
          coupling.norm() / plateau,         created,
          static_cast<double>(asleep),       static_cast<double>(without_row)};
}

}  // namespace haptic::solids
