#include "host/window/mouse_hand.h"

#include <algorithm>

namespace haptic {
namespace {

constexpr std::array kKeys = {"hand.x", "hand.y", "hand.z"};

Vector3 position_of(const PoseRecord& pose) {
  return {pose.position_m[0], pose.position_m[1], pose.position_m[2]};
}

/// Sets the coordinates that have changed since they were last set. A value outside the parameter's
/// range is clamped to it, so that a hand at the border slides along it.
std::string set_changed(CommandClient& daemon, std::array<std::optional<double>, 3>& sent,
                        const Vector3& target) {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const double wanted = target[static_cast<int>(i)];
    if (sent[i] == wanted) continue;
    CommandReply reply = daemon.send(CommandKind::kSet, kKeys[i], wanted);
    if (reply.answer == CommandAnswer::kOutOfRange && reply.minimum < reply.maximum) {
      reply = daemon.send(CommandKind::kSet, kKeys[i],
                          std::clamp(wanted, reply.minimum, reply.maximum));
    }
    if (reply.answer != CommandAnswer::kApplied) return refusal_of(kKeys[i], reply);
    sent[i] = wanted;
  }
  return {};
}

}  // namespace

void MouseHand::take(const SampleRecord& now, double length_scale) {
  taken_ = Taken{position_of(now.manipulandum_pose), position_of(now.device_pose), length_scale};
}

void MouseHand::move_to(const Vector3& world) {
  const Vector3 target = taken_->device + (world - taken_->world) / taken_->length_scale;
  if (!target.allFinite()) return;
  thread_.post(
      [sent = sent_, target](CommandClient& daemon) { return set_changed(daemon, *sent, target); });
}

}  // namespace haptic
