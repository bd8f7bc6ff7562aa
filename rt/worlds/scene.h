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
#include "rt/device/servo_limits.h"
#include "rt/device/simulated_settings.h"
#include "rt/geometry/body_source.h"
#include "shared/assert.h"
#include "shared/math/pose.h"

namespace haptic {

class WorldSettings;
struct WorldKind;

/// Role of a body: anchored (deforms if its model is reduced), held, which follows the hand, or
/// free, which moves by contact and gravity.
enum class BodyRole : std::uint8_t { kAnchored, kHeld, kFree };

struct SceneBody {
  std::string name;
  BodySource model;  ///< a path is absolute and its file exists
  BodyRole role = BodyRole::kAnchored;
  Pose pose;  ///< model frame in the world; of the held body with the hand at the device's origin
  std::optional<std::uint32_t> dimension{};  ///< number of leading basis vectors; absent: all
  Twist velocity{};  ///< of the centre of mass at the start, world axes; only of a free body
};

/// Device of a scene: the simulated device described here, or that of the manifest `name` (or
/// path).
struct SceneDevice : SimulatedSettings {
  static constexpr const char* kSimulated = "simulated";
  std::string name = kSimulated;
  bool is_simulated() const { return name == kSimulated; }
};

/// Contents of a valid scene file: bodies, coupling, limits and device.
///
/// TOML (docs/contact.md, docs/devices.md); unknown keys, bodies that do not exist and values out
/// of range are rejected. Exactly one body is held. `settings` are those that only one kind of
/// world reads.
struct Scene {
  std::filesystem::path file;
  std::string text;                       ///< of the file
  std::int64_t modified_ns = 0;           ///< mtime of the file before it was read; 0: no file
  std::int64_t defaults = 1;              ///< version that it was written for (changed_defaults.h)
  double rate_hz = 1000.0;                ///< of the world's steps
  std::optional<double> servo_rate_hz{};  ///< of the device's exchanges; absent: rate_hz
  double world_timeout_s = 0.1;           ///< two rates: longest wait for a world step
  double length_scale = 1.0;              ///< simulated m per m of hand
  Vector3 gravity{0.0, -9.81, 0.0};       ///< on free bodies, world axes [m/s^2]
  std::vector<SceneBody> bodies;
  HeldBodySettings coupling;
  ServoLimits limits;          ///< as in the file; the servo uses lowered_to()
  bool sets_overload = false;  ///< has an overload key; if not, fit_to_device may set these
  PassivitySettings passivity;
  SceneDevice device;
  const WorldKind* kind = nullptr;                  ///< world_kind.h; load_scene always sets it
  std::shared_ptr<const WorldSettings> settings{};  ///< of that kind; copies of a scene share it

  double servo_rate() const { return servo_rate_hz.value_or(rate_hz); }  ///< Hz
  /// Servo cycles in a world step.
  std::uint32_t cycles_per_step() const {
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

/// The same from the text of a file; `path` is its name in messages.
Scene parse_scene(std::string text, const std::filesystem::path& path);

}  // namespace haptic
