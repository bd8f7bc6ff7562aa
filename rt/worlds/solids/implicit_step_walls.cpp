// The unknowns of contacts with a wall: one for each pair, by how much the wall gives way.

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {

/// Their blocks are the last ones.
void ImplicitStep::set_up_walls(std::span<const ContactSet::Pair> pairs,
                                std::size_t first_unknown) {
  wall_of_.assign(pairs.size(), -1);
  for (std::uint32_t p = 0; p < pairs.size(); ++p) {
    if (pairs[p].contact.settings().wall == 0.0) continue;
    wall_of_[p] = static_cast<std::ptrdiff_t>(walls_.size());
    walls_.push_back({p, static_cast<std::uint32_t>(body_of_block_.size()),
                      static_cast<Eigen::Index>(first_unknown++)});
    body_of_block_.push_back(static_cast<std::uint32_t>(pairs[p].points));
  }
}

/// The spring K of each wall, K (D + x) = sum of the points' forces, with D at the start of the
/// step that of its positions. Damping acts on the wall as a whole, with the factor of a point of
/// the stiffness K at the depth D. Source: docs/methods/contact-and-coupling.md, "Wall".
void ImplicitStep::add_walls(const ContactSet& contacts) HAPTIC_REALTIME {
  for (Wall& wall : walls_) {
    wall.give = 0.0;
    solver_.matrix()(wall.unknown, wall.unknown) =
        contacts.pairs()[wall.pair].contact.settings().wall;
  }
  if (walls_.empty()) return;
  for (const std::uint32_t p : contacts.close()) {
    if (wall_of_[p] < 0) continue;
    Wall& wall = walls_[static_cast<std::size_t>(wall_of_[p])];
    const ContactPair& contact = contacts.pairs()[p].contact;
    wall.give = contact.give();
    const double stiffness = contact.settings().wall;
    solver_.matrix()(wall.unknown, wall.unknown) *=
        1.0 + contact.settings().damping * wall.give / dt_;
    solver_.load()[wall.unknown] = -stiffness * wall.give;
  }
}

/// D of a pair at the end of the step [m].
double ImplicitStep::give_at_end(std::uint32_t pair) const HAPTIC_REALTIME {
  const Wall* const wall = wall_of(pair);
  return wall == nullptr ? 0.0 : wall->give + solver_.step()[wall->unknown];
}

/// The distance of a point to a wall also grows by what the wall gives way, measured along the
/// normal. @param slope  of the field's value along the normal
void ImplicitStep::couple_wall(const Frame& frame, std::uint32_t pair, std::uint32_t contact,
                               double slope, double* row) HAPTIC_REALTIME {
  wall_shares_[contact] = 1.0 / slope;
  if (const Wall* const wall = wall_of(pair)) row[frame.rows->offset(wall->block)] = 1.0 / slope;
}

}  // namespace haptic::solids
