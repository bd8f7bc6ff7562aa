// Which islands of a step are solved again: groups of bodies that are connected by rows. What one
// of them needs does not change the others.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Friction has another solution if it exceeds what the normal forces allow by this fraction.
constexpr double kFrictionError = 0.1;
/// If the error of the joints falls to no less than this part of the one before, the joints are
/// linearised about the solution.
constexpr double kSlowClosing = 0.5;

}  // namespace

/// Marks every block of each island that has a marked block.
void ImplicitStep::spread_marks(std::span<char> marks) HAPTIC_REALTIME {
  const BlockIslands& islands = solver_.islands();
  for (std::uint32_t i = 0; i < islands.count(); ++i) {
    const auto is_marked = [&](std::uint32_t block) HAPTIC_REALTIME { return marks[block] != 0; };
    if (std::ranges::none_of(islands.blocks(i), is_marked)) continue;
    for (const std::uint32_t block : islands.blocks(i)) marks[block] = 1;
  }
}

/// Whether the last solution can have changed a body of a pair.
bool ImplicitStep::may_change(const ContactSet::Pair& pair) const HAPTIC_REALTIME {
  for (const std::size_t body : {pair.points, pair.field}) {
    const Rigid& rigid = rigid_[body];
    const Shape& shape = shapes_[body];
    if (rigid.first_unknown >= 0 && solved_[rigid.block] != 0) return true;
    if (shape.first_unknown >= 0 && solved_[shape.block] != 0) return true;
  }
  return false;
}

/// Marks the islands in which the friction forces, summed over all points, exceed what the normal
/// forces of the last solution allow. Their limits come from the solution before it, in which other
/// points may have been in contact. @returns whether there are any
bool ImplicitStep::exceeds_friction() HAPTIC_REALTIME {
  const BlockIslands& islands = solver_.islands();
  std::ranges::fill(excess_, 0.0);
  std::ranges::fill(friction_sum_, 0.0);
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    const Tangent& tangent = tangents_[i];
    const double(&s)[2] = solver_.stretch(i);
    const double force =
        std::min(tangent.stiffness * std::sqrt(s[0] * s[0] + s[1] * s[1]), solver_.limit(i));
    const double allowed = tangent.coefficient * solver_.normal_force(tangent.normal);
    const std::uint32_t island = islands.first(block_of(tangent.pair));
    excess_[island] += std::max(0.0, force - allowed);
    friction_sum_[island] += std::max(force, allowed);
  }
  bool any = false;
  for (std::uint32_t block = 0; block < marked_.size(); ++block) {
    const std::uint32_t island = islands.first(block);
    marked_[block] = excess_[island] > kFrictionError * friction_sum_[island] ? 1 : 0;
    any = any || marked_[block] != 0;
  }
  return any;
}

/// Corrects the joints of the islands in closing_ in which one is open; these islands stay there.
/// @returns whether there are any
bool ImplicitStep::correct_joints() HAPTIC_REALTIME {
  if (joints_.empty()) return false;
  const BlockIslands& islands = solver_.islands();
  joints_.find_errors(solver_);
  std::ranges::fill(joint_error_, 0.0);
  for (const std::uint32_t joint : joints_.awake()) {
    double& largest = joint_error_[islands.first(joints_.block(joint))];
    largest = std::max(largest, joints_.error(joint));
  }
  bool open = false;
  for (const std::uint32_t joint : joints_.awake()) {
    const std::uint32_t island = islands.first(joints_.block(joint));
    if (closing_[island] == 0 || joint_error_[island] <= 1.0) continue;
    open = true;
    if (joint_error_[island] > kSlowClosing * last_joint_error_[island]) {
      joints_.relinearise(joint, solver_);
    } else {
      joints_.shift(joint, solver_);
    }
  }
  for (std::uint32_t block = 0; block < closing_.size(); ++block) {
    if (!(joint_error_[islands.first(block)] > 1.0)) closing_[block] = 0;
  }
  std::ranges::copy(joint_error_, last_joint_error_.begin());
  return open;
}

}  // namespace haptic::solids
