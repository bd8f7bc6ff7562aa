#include "rt/contact/level_fade.h"

#include <algorithm>

namespace haptic {

LevelFade::LevelFade(std::uint32_t fade_cycles, std::uint32_t levels, std::size_t shell_dimension,
                     std::size_t field_dimension)
    : fade_cycles_(fade_cycles),
      levels_(levels),
      sums_{{levels, shell_dimension, field_dimension},
            {levels, shell_dimension, field_dimension}} {
  carried_.shell.assign(shell_dimension, 0.0);
  carried_.field.assign(field_dimension, 0.0);
}

void LevelFade::clear_history() HAPTIC_REALTIME {
  sums_[0].clear_history();
  sums_[1].clear_history();
  remaining_ = change_ = force_ = 0.0;
  depth_ = contacts_ = 0;
}

void LevelFade::apply(std::uint32_t depth, std::uint32_t contacts) HAPTIC_REALTIME {
  change_ = 0.0;
  if (changes(depth, contacts)) {
    carry(depth);
  } else {
    fade(contacts);
  }
  depth_ = depth;
  contacts_ = contacts;
  const Vector3& force = sums_[now_].down_to(depth).wrench.force;
  force_ = (force + remaining_ * carried_.wrench.force).norm();
  now_ = 1 - now_;
}

/// Whether the rendered levels differ from those of the last cycle and this changes the force.
bool LevelFade::changes(std::uint32_t depth, std::uint32_t contacts) const HAPTIC_REALTIME {
  if (fade_cycles_ == 0 || depth == depth_ || sums_[1 - now_].level() == 0) return false;
  // No change of force without contact before, or if finer levels find no contact now.
  return contacts_ > 0 && (contacts > 0 || depth < depth_);
}

void LevelFade::carry(std::uint32_t depth) HAPTIC_REALTIME {
  const LevelSums &now = sums_[now_], &before = sums_[1 - now_];
  if (depth > depth_) {
    take_up(now.down_to(depth_), now.down_to(depth));
  } else {
    take_up(before.down_to(depth_), before.down_to(depth));
  }
  remaining_ = 1.0;
  pressed_ = now.down_to(depth).pressed;
}

/// carried = remaining * carried + plus - minus.
void LevelFade::take_up(const ContactForces& plus, const ContactForces& minus) HAPTIC_REALTIME {
  const double remaining = remaining_;
  if (remaining == 0.0) {
    carried_.wrench = {};
    std::ranges::fill(carried_.shell, 0.0);
    std::ranges::fill(carried_.field, 0.0);
  }
  const auto add = [remaining](auto& to, const auto& a, const auto& b)
                       HAPTIC_REALTIME { to = remaining * to + a - b; };
  add(carried_.wrench.force, plus.wrench.force, minus.wrench.force);
  add(carried_.wrench.torque, plus.wrench.torque, minus.wrench.torque);
  for (std::size_t j = 0; j < carried_.shell.size(); ++j) {
    add(carried_.shell[j], plus.shell[j], minus.shell[j]);
  }
  for (std::size_t j = 0; j < carried_.field.size(); ++j) {
    add(carried_.field[j], plus.field[j], minus.field[j]);
  }
}

void LevelFade::fade(std::uint32_t contacts) HAPTIC_REALTIME {
  if (remaining_ == 0.0) return;
  // The carried force ends with its contact; the next contact starts without it.
  if (contacts == 0 && pressed_ > 0.0) {
    remaining_ = 0.0;
    return;
  }
  const ContactForces& now = sums_[now_].down_to(sums_[now_].level());
  double aim = std::max(0.0, remaining_ - 1.0 / fade_cycles_);
  // Without contact on the remaining levels at the change (pressed_ = 0) only time counts.
  if (now.pressed < pressed_) aim = std::min(aim, now.pressed / pressed_);
  double step = remaining_ - aim;
  double jump = step * carried_.wrench.force.norm();
  if (std::max(contacts, contacts_) >= kFewestContacts) {
    const Vector3 still = now.wrench.force + remaining_ * carried_.wrench.force;
    // |still| can fall by the jump; relative to the force after it, too, the limit is
    // kMaxForceFraction.
    const double force = std::max(std::min(still.norm(), force_), kRounding * now.pressed);
    const double most = kMaxForceFraction / (1.0 + kMaxForceFraction) * force;
    if (jump > most) {
      step *= most / jump;
      jump = most;
    }
  }
  remaining_ -= step;
  change_ = jump;
}

}  // namespace haptic
