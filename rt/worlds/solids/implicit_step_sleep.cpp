// Bodies that sleep: they have no rows and no part in the system of a step.

#include <algorithm>
#include <limits>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {

/// The held body never sleeps, even where it deforms.
void ImplicitStep::set_up_sleep() {
  stay_awake_[0] = 1;
  if (const Shape& shape = shapes_[held_body_]; shape.first_unknown >= 0) {
    stay_awake_[shape.block] = 1;
  }
  find_still();
}

/// The block that decides whether a body sleeps; kNoBlock: it does not move at all.
std::uint32_t ImplicitStep::own_block(std::size_t body) const HAPTIC_REALTIME {
  if (rigid_[body].first_unknown >= 0) return rigid_[body].block;
  return shapes_[body].first_unknown >= 0 ? shapes_[body].block : ContactSolver::kNoBlock;
}

void ImplicitStep::find_still() HAPTIC_REALTIME {
  for (std::size_t body = 0; body < still_.size(); ++body) {
    const std::uint32_t block = own_block(body);
    still_[body] = block == ContactSolver::kNoBlock || sleep_.sleeps(block) ? 1 : 0;
  }
  joints_.leave_out(still_);
}

void ImplicitStep::wake_all() HAPTIC_REALTIME {
  sleep_.wake_all();
  find_still();
}

void ImplicitStep::wake_pulled() HAPTIC_REALTIME {
  if (pull_.body() == Pull::kNoBody) return;
  sleep_.wake(own_block(pull_.body()));
  find_still();
}

/// Moves the targets of the joints on, and wakes the bodies whose targets change.
void ImplicitStep::wake_driven() HAPTIC_REALTIME {
  joints_.advance_targets();
  const std::uint32_t before = sleep_.count();
  for (std::uint32_t joint = 0; joint < joints_.size(); ++joint) {
    if (!joints_.is_driven(joint)) continue;
    for (const std::size_t body : joints_.bodies(joint)) {
      if (moves(body)) sleep_.wake(own_block(body));
    }
  }
  if (sleep_.count() != before) find_still();
}

bool ImplicitStep::wake_touched(const ContactSet& contacts) HAPTIC_REALTIME {
  if (sleep_.count() == 0) return false;
  const std::uint32_t before = sleep_.count();
  for (const std::uint32_t i : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[i];
    if (pair.contact.contacts().empty() && pair.contact.near().empty()) continue;
    for (const std::size_t body : {pair.points, pair.field}) {
      if (still_[body] != 0 && own_block(body) != ContactSolver::kNoBlock) {
        sleep_.wake(own_block(body));
      }
    }
  }
  if (sleep_.count() == before) return false;
  find_still();
  return true;
}

/// Raises speeds_ where slow is not at rest: without limit where a target or a pull moves a body;
/// where a damped servo creeps, by its relaxation time over sleep_s. So its bodies, too, stop no
/// more than sleep_speed times sleep_s before where they would come to rest.
void ImplicitStep::raise_speeds_of_driven() HAPTIC_REALTIME {
  constexpr double kFast = std::numeric_limits<double>::infinity();
  if (pull_.body() != Pull::kNoBody) speeds_[own_block(pull_.body())] = kFast;
  if (joints_.empty()) return;
  const BlockIslands& islands = solver_.islands();
  std::ranges::fill(creeps_, 1.0);
  for (const std::uint32_t joint : joints_.awake()) {
    const std::uint32_t block = joints_.block(joint);
    if (joints_.is_driven(joint)) speeds_[block] = kFast;
    double& creep = creeps_[islands.first(block)];
    creep = std::max(creep, joints_.relaxation_s(joint) / sleep_s_);
  }
  for (std::uint32_t block = 0; block < speeds_.size(); ++block) {
    speeds_[block] *= creeps_[islands.first(block)];
  }
}

void ImplicitStep::fall_asleep(const ContactSet& contacts) HAPTIC_REALTIME {
  if (!sleep_.is_used()) return;
  std::ranges::fill(speeds_, 0.0);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const std::size_t body = free_[i].member.body;
    speeds_[rigid_[body].block] += way(body, free_motion(i)) / dt_;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t body = members_[i].body;
    speeds_[shapes_[body].block] += deformation(body, 1.0 / dt_, change(i));
  }
  raise_speeds_of_driven();
  const auto fallen = sleep_.observe(solver_.islands(), speeds_, stay_awake_);
  if (fallen.empty()) return;
  const auto falls = [&](std::uint32_t block)
                         HAPTIC_REALTIME { return std::ranges::binary_search(fallen, block); };
  for (const Member& member : members_) {
    if (falls(shapes_[member.body].block)) member.dynamics->halt();
  }
  for (Free& free : free_) {
    if (!falls(rigid_[free.member.body].block)) continue;
    free.member.dynamics->halt();
    rigid_[free.member.body].late.setZero();
    rigid_[free.member.body].rolling.setZero();
    prepare(free);
  }
  for (const std::uint32_t block : fallen) solver_.forget(block);
  find_still();
  for (const std::uint32_t i : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[i];
    if (still_[pair.points] != 0 && still_[pair.field] != 0) energy_.forget(i);
  }
}

}  // namespace haptic::solids
