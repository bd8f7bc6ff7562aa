// Which islands of a step are solved again: groups of bodies that are connected by rows. What one
// of them needs does not change the others.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// If the error of the joints falls to no less than this part of the one before, the joints are
/// linearised about the solution.
constexpr double kSlowClosing = 0.5;
/// Error of the joints, of what is permitted, above which the plain solutions have not converged.
constexpr double kFarOpen = 1e5;

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

/// Corrects the joints of the islands in closing_ in which one is open; these islands stay there.
/// @returns whether there are any
bool ImplicitStep::correct_joints(int closing) HAPTIC_REALTIME {
  if (joints_.empty()) return false;
  const BlockIslands& islands = solver_.islands();
  joints_.find_errors(solver_);
  std::ranges::fill(joint_error_, 0.0);
  for (const std::uint32_t joint : joints_.awake()) {
    double& largest = joint_error_[islands.first(joints_.block(joint))];
    largest = std::max(largest, joints_.error(joint));
  }
  const double closed = closing == kPlainClosings ? kFarOpen : 1.0;
  bool open = false;
  for (const std::uint32_t joint : joints_.awake()) {
    const std::uint32_t island = islands.first(joints_.block(joint));
    if (closing_[island] == 0 || joint_error_[island] <= closed) continue;
    open = true;
    if (joints_.is_stiffened(joint) ||
        joint_error_[island] > kSlowClosing * last_joint_error_[island]) {
      joints_.relinearise(joint, solver_);
    } else {
      joints_.shift(joint, solver_);
    }
  }
  joints_.end_relinearising(closing >= kPlainClosings, solver_);
  for (std::uint32_t block = 0; block < closing_.size(); ++block) {
    if (!(joint_error_[islands.first(block)] > closed)) closing_[block] = 0;
  }
  std::ranges::copy(joint_error_, last_joint_error_.begin());
  return open;
}

}  // namespace haptic::solids
