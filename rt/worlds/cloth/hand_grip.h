#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Decides when a point in the hand takes hold of a particle, and when it lets go.
///
/// By the button: while it is down. By the gesture: pressing with at least `press_force` for
/// `press_s` takes hold, and a pull of more than `slip_force` slips out; then pressing counts anew
/// once the hand has let go of the cloth. Source: docs/methods/cloth.md, "Picking".
class HandGrip {
 public:
  struct Settings {
    std::optional<std::int64_t> button;  ///< bit of the device's buttons
    double reach = 0.02;                 ///< farthest particle that is taken [m], > 0
    std::optional<double> press_force;   ///< N, > 0; absent: no gesture
    double press_s = 0.3;                ///< s
    double slip_force = 6.0;             ///< N
  };

  /// @param dt  of a cycle [s]
  HandGrip(const Settings& settings, double dt) : settings_(settings), dt_(dt) {}

  /// Once a cycle.
  /// @param buttons  of the device
  /// @param device   position of the hand [m] @param x  particles [m], 3n values
  /// @param press    force with which the hand presses on the cloth, or, where it holds a particle,
  ///                 pulls at it [N]
  void update(std::uint64_t buttons, const Vector3& device, std::span<const double> x,
              double press) HAPTIC_REALTIME;

  std::optional<std::uint32_t> held() const HAPTIC_REALTIME { return held_; }
  void reset() HAPTIC_REALTIME;

 private:
  std::optional<std::uint32_t> nearest(const Vector3& device,
                                       std::span<const double> x) const HAPTIC_REALTIME;

  Settings settings_;
  double dt_;
  std::optional<std::uint32_t> held_;
  bool down_ = false, by_gesture_ = false;
  bool slipped_ = false;  // and presses still
  double pressed_s_ = 0.0;
};

}  // namespace haptic::cloth
