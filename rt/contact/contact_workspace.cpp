#include "rt/contact/contact_workspace.h"

#include <algorithm>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

ContactWorkspace::ContactWorkspace(const PointShell& shell, const PointTree& tree,
                                   const SignedField& field, const ContactSettings& settings,
                                   HeldSide held, std::span<const float> area_weights)
    : held_(held),
      traversal_(shell, tree, field, settings.traversal),
      law_(shell, tree, field, settings, held, area_weights),
      level_forces_(shell, tree, field, settings, held, area_weights),
      fade_(settings.traversal.degradation.fade_cycles, tree.level_count(), shell.dimension(),
            field.dimension()),
      q_(shell.dimension()),
      shell_force_(shell.dimension()),
      field_force_(field.dimension()) {}

void ContactWorkspace::serve(const PointShell& shell, const SignedField& field) HAPTIC_REALTIME {
  traversal_.serve(field);
  law_.serve(shell, field);
  level_forces_.serve(shell, field);
}

void ContactWorkspace::clear_history() HAPTIC_REALTIME {
  traversal_.clear_history();
  law_.clear_history();
  fade_.clear_history();
}

void ContactWorkspace::clear() HAPTIC_REALTIME {
  clear_history();
  traversal_.clear();
  law_.clear();
  take_result();
}

void ContactWorkspace::fade(const BodyMotion& shell, const BodyMotion& field,
                            std::span<const TouchingPoint> touching) HAPTIC_REALTIME {
  level_forces_.gather(law_, shell, field, touching, traversal_.level(), fade_.sums());
  const std::uint32_t depth = traversal_.was_cut() ? traversal_.level() : traversal_.levels();
  fade_.apply(depth, result_.contacts);
  result_.carried_change = fade_.change();
  const double remaining = fade_.remaining();
  if (remaining == 0.0) return;
  const ContactForces& carried = fade_.carried();
  for (std::size_t j = 0; j < shell_force_.size(); ++j)
    shell_force_[j] += remaining * carried.shell[j];
  for (std::size_t j = 0; j < field_force_.size(); ++j)
    field_force_[j] += remaining * carried.field[j];
  if (held_ == HeldSide::kNeither) return;
  result_.carried = {remaining * carried.wrench.force, remaining * carried.wrench.torque};
  result_.on_held.force += result_.carried.force;
  result_.on_held.torque += result_.carried.torque;
}

void ContactWorkspace::take_result() HAPTIC_REALTIME {
  result_ = law_.result();
  result_.visited_nodes = traversal_.visited_nodes();
  std::ranges::copy(law_.reduced_force_of_shell(), shell_force_.begin());
  std::ranges::copy(law_.reduced_force_of_field(), field_force_.begin());
}

}  // namespace haptic
