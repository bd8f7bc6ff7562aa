#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rt/bodies/held_body_settings.h"
#include "rt/coupling/passivity_controller.h"
#include "rt/device/simulated_settings.h"
#include "rt/geometry/body_source.h"
#include "shared/assert.h"
#include "shared/math/pose.h"

namespace haptic {

class WorldSettings;
struct WorldKind;

/// What a body may do: stay anchored (and deform, if its model is reduced) or follow the hand.
enum class BodyRole : std::uint8_t { kAnchored, kHeld };

struct SceneBody {
  std::string name;
  BodySource model;  ///< a path is absolute and its file exists
  BodyRole role = BodyRole::kAnchored;
  Pose pose;  ///< model frame in the world; of the held body: where it is when the hand is at the
              ///< origin
  std::optional<std::uint32_t> dimension{};  ///< first basis vectors of the model that take part
};

/// Limits of what reaches the device; enforced by rt/servo, and never above the device's own.
/// Absent: the device's own, or what ServoLimits says.
struct SceneLimits {
  double force = 8.5;   ///< N
  double torque = 0.5;  ///< N·m
  double ramp_s = 0.5;  ///< from idle to full force [s]
  std::optional<double> slew_N_per_s;
  std::optional<double> torque_slew_Nm_per_s;
  std::optional<double> power;             ///< into the hand [W]
  std::optional<double> speed;             ///< m/s
  std::optional<double> angular_speed;     ///< rad/s
  std::optional<double> workspace_radius;  ///< m
  std::optional<double> impulse;           ///< of the force within impulse_window_s [N·s]
  std::optional<double> impulse_window_s;  ///< s
  std::optional<double> stale_s;           ///< longest life of an output [s]
  std::optional<double> stale_input_s;     ///< oldest reading of an engaged device [s]
  /// Late or missed slots: so many in a row, or such a share of those of a window [s].
  std::optional<std::int64_t> overload_slots;
  std::optional<double> overload_share, overload_window_s;
  double stop_s = 0.1;                        ///< of a controlled stop [s]
  std::optional<std::int64_t> enable_button;  ///< bit of the button that must be held to run
  std::optional<std::int64_t> stop_button;    ///< bit of the device's buttons: an emergency stop
};

/// What the hand holds: the simulated device described here, or the manifest of that name or path.
struct SceneDevice : SimulatedSettings {
  static constexpr const char* kSimulated = "simulated";
  std::string name = kSimulated;
  bool is_simulated() const { return name == kSimulated; }
};

/// A scene file, checked: what there is to touch and with what.
///
/// TOML (docs/contact.md, docs/devices.md); unknown keys, bodies that do not exist and values out
/// of range are refused. Exactly one body is held. What only one kind of world reads is in
/// `settings`.
struct Scene {
  std::filesystem::path file;
  double rate_hz = 1000.0;                ///< of the world's steps
  std::optional<double> servo_rate_hz{};  ///< of the device's exchanges; absent: rate_hz
  double world_timeout_s = 0.1;           ///< two rates: longest wait for a world step
  double length_scale = 1.0;              ///< simulated m per m of hand
  std::vector<SceneBody> bodies;
  HeldBodySettings coupling;
  SceneLimits limits;
  PassivitySettings passivity;
  SceneDevice device;
  const WorldKind* kind = nullptr;                  ///< world_kind.h; load_scene always sets it
  std::shared_ptr<const WorldSettings> settings{};  ///< of that kind; copies of a scene share it

  double servo_rate() const { return servo_rate_hz.value_or(rate_hz); }  ///< Hz
  /// Servo cycles in a world step.
  std::uint32_t cycles_a_step() const {
    return static_cast<std::uint32_t>(std::lround(servo_rate() / rate_hz));
  }
  std::size_t held_body() const {  ///< index into bodies
    std::size_t i = 0;
    while (i < bodies.size() && bodies[i].role != BodyRole::kHeld) ++i;
    HAPTIC_DEMAND(i < bodies.size());
    return i;
  }
};

/// @throws InputError: file and line, key, what was found, what was expected
Scene load_scene(const std::filesystem::path& path);

/// The same from text that was read already; `path` names the file.
Scene parse_scene(std::string text, const std::filesystem::path& path);

}  // namespace haptic
