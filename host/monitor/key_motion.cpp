#include "host/monitor/key_motion.h"

#include <algorithm>
#include <utility>

namespace haptic {

KeyMotion::KeyMotion(std::vector<KeyBinding> bindings) : bindings_(std::move(bindings)) {
  for (const KeyBinding& binding : bindings_) {
    const auto same = std::ranges::find(axes_, binding.parameter, &Axis::parameter);
    axis_of_.push_back(static_cast<std::size_t>(same - axes_.begin()));
    if (same == axes_.end()) axes_.push_back({binding.parameter, 0.0, 0.0, 0.0});
  }
}

void KeyMotion::start(std::size_t axis, double minimum, double maximum, double target) {
  Axis& of = axes_[axis];
  of.minimum = minimum;
  of.maximum = maximum;
  of.target = std::clamp(target, minimum, maximum);
  of.is_unsent = false;
}

void KeyMotion::take_over(std::string_view parameter, double target) {
  for (Axis& axis : axes_) {
    if (axis.parameter != parameter) continue;
    axis.target = std::clamp(target, axis.minimum, axis.maximum);
    axis.is_unsent = false;
  }
}

void KeyMotion::press(Key key, double now_s) {
  const auto last = reported_s_.find(key);
  const bool repeats = last != reported_s_.end() && now_s - last->second <= kRepeat_s;
  const double time = repeats ? now_s - last->second : kTap_s;
  reported_s_[key] = now_s;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    const KeyBinding& binding = bindings_[i];
    if (key != binding.less && key != binding.more) continue;
    Axis& axis = axes_[axis_of_[i]];
    const double step = binding.speed * time * (key == binding.more ? 1.0 : -1.0);
    const double target = std::clamp(axis.target + step, axis.minimum, axis.maximum);
    axis.is_unsent = axis.is_unsent || target != axis.target;
    axis.target = target;
  }
}

std::optional<std::size_t> KeyMotion::next_unsent() const {
  for (std::size_t i = 1; i <= axes_.size(); ++i) {
    const std::size_t axis = (last_sent_ + i) % axes_.size();
    if (axes_[axis].is_unsent) return axis;
  }
  return std::nullopt;
}

void KeyMotion::sent(std::size_t axis) {
  axes_[axis].is_unsent = false;
  last_sent_ = axis;
}

void KeyMotion::refused(std::size_t axis, double minimum, double maximum) {
  Axis& of = axes_[axis];
  of.target = std::clamp(of.target, minimum, maximum);
  of.is_unsent = true;
  last_sent_ = axis;
}

}  // namespace haptic
