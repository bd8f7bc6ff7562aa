#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "host/window/command_thread.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/math/pose.h"

namespace haptic {

/// The mouse as a hand: moves the target of a daemon's steered hand (docs/devices.md) while it is
/// dragged, through the parameters hand.x, hand.y and hand.z.
class MouseHand {
 public:
  explicit MouseHand(std::string daemon_name) : thread_(std::move(daemon_name)) {}

  /// Takes hold of the hand where it is. @param length_scale simulated m per m of hand, > 0
  void take(const SampleRecord& now, double length_scale);
  bool holds() const { return taken_.has_value(); }
  void let_go() { taken_.reset(); }
  /// Where the hand was taken, in the world [m]. @pre holds()
  const Vector3& taken_at() const { return taken_->world; }
  /// The manipulandum shall go to a place in the world [m], as far as the parameters reach.
  /// @pre holds()
  void move_to(const Vector3& world);
  /// Why the last command was refused; empty if it was applied.
  std::string message() const { return thread_.message(); }

 private:
  struct Taken {
    Vector3 world, device;  ///< manipulandum and hand when it was taken [m]
    double length_scale = 1.0;
  };
  using Sent = std::array<std::optional<double>, 3>;

  std::optional<Taken> taken_;
  std::shared_ptr<Sent> sent_ = std::make_shared<Sent>();  ///< of the thread: what it has set
  CommandThread thread_;
};

}  // namespace haptic
