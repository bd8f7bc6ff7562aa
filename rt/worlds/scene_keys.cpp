#include "rt/worlds/scene_keys.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rt/device/servo_limits.h"
#include "rt/device/simulated_keys.h"
#include "rt/worlds/world_kind.h"
#include "rt/worlds/world_kinds.h"
#include "shared/config/key_recorder.h"

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kSceneCore[] = {
    {"defaults", kInteger, "1", "1 to 2", "1",
     "Version of the defaults that the scene was written for; hapticd --check names those that "
     "have "
     "changed since. All scenes run with the present ones."},
    {"rate_hz", kNumber, "Hz", "1 to 1e5", "1000", "Steps of the world per second."},
    {"servo_rate_hz", kNumber, "Hz", "1 to 1e5", "rate_hz",
     "Exchanges with the device per second, a whole multiple of rate_hz."},
    {"world_timeout_s", kNumber, "s", "> 0", "0.1",
     "Longest wait for a step of the world before a fault; only with servo_rate_hz above rate_hz."},
    {"length_scale", kNumber, "1", "> 0", "1", "Simulated metres per metre of hand."},
    {"gravity", kNumbers, "m/s²", "3 numbers, each -1e6 to 1e6", "[0, -9.81, 0]",
     "Acceleration of free bodies and cloths, world axes; only in a scene that has one."},

    {"body[]", kTables, "-", "", "required", "A body; exactly one is held."},
    {"body[].name", kText, "-", "", "required", "Unique name of the body."},
    {"body[].model", kFile, "-", "", "required, or shape",
     "Model file that haptic bake has written."},
    {"body[].shape", kChoice, "-", "sphere, box, plane, capsule, torus", "required, or model",
     "Rigid body with a field by formula, instead of a model; held or anchored, a plane anchored."},
    {"body[].radius", kNumber, "m", "> 0", "required",
     "Radius of a sphere or a capsule; of a torus that of its circle in z = 0."},
    {"body[].x", kNumber, "m", "> 0", "required", "Side of a box along x."},
    {"body[].y", kNumber, "m", "> 0", "required", "Side of a box along y."},
    {"body[].z", kNumber, "m", "> 0", "required", "Side of a box along z."},
    {"body[].size", kNumber, "m", "> 0", "required",
     "Side of the square that is drawn for a plane, which itself has no bounds."},
    {"body[].length", kNumber, "m", "> 0", "required",
     "Distance of the centres of a capsule's caps, along z."},
    {"body[].tube", kNumber, "m", "> 0", "required",
     "Radius of the tube of a torus, below radius."},
    {"body[].role", kChoice, "-", "anchored, held, free", "required",
     "Whether the body stays in place, follows the hand, or moves by contact and gravity."},
    {"body[].position", kNumbers, "m", "3 numbers", "[0, 0, 0]",
     "Origin of the model in the world; of the held body when the hand is at its origin."},
    {"body[].orientation", kNumbers, "1", "4 numbers", "[1, 0, 0, 0]",
     "Orientation of the model in the world: unit quaternion w, x, y, z."},
    {"body[].velocity", kNumbers, "m/s", "3 numbers, each -1e6 to 1e6", "[0, 0, 0]",
     "Velocity of the centre of mass at the start, world axes; only of a free body."},
    {"body[].angular_velocity", kNumbers, "rad/s", "3 numbers, each -1e6 to 1e6", "[0, 0, 0]",
     "Angular velocity at the start, world axes; only of a free body."},
    {"body[].dimension", kInteger, "1", "1 to 64", "all of the model's",
     "Number of basis vectors in use, from the first, and the most that can be set later; only of "
     "a "
     "reduced model.",
     "BODY.dimension"},

    {"coupling", kTable, "-", "", "the defaults", "Spring between the hand and the held body."},
    {"coupling.mode", kChoice, "-", "static, dynamic", "static",
     "Whether the held body follows the hand without mass, or as a mass on spring and damper."},
    {"coupling.grasp", kNumbers, "m", "3 numbers, each -1e6 to 1e6", "[0, 0, 0]",
     "Point that the hand holds, in the frame of the held body."},
    {"coupling.stiffness", kNumber, "N/m", "1 to 1e5", "400",
     "Stiffness of the coupling, simulated; the hand feels it times length_scale.",
     "coupling.stiffness"},
    {"coupling.rotational_stiffness", kNumber, "N·m/rad", "0.0001 to 100", "0.5",
     "Rotational stiffness of the coupling for small angles.", "coupling.rotational_stiffness"},
    {"coupling.static_damping", kNumber, "1", "0 to 0.99",
     "0.5; 0 in the air, with implicit contact",
     "Part of each Newton step that is not taken; only with mode = \"static\".",
     "coupling.static_damping"},
    {"coupling.limit_cycle_guard", kFlag, "-", "", "false",
     "Whether steps are shortened while the body oscillates from step to step; only with mode = "
     "\"static\"."},
    {"coupling.mass", kNumber, "kg", "> 0", "0.05",
     "Mass of the held body; only with mode = \"dynamic\"."},
    {"coupling.inertia", kNumber, "kg m^2", "> 0", "that of a solid ball of the bounding radius",
     "Moment of inertia about the grasp; only with mode = \"dynamic\"."},
    {"coupling.damping_ratio", kNumber, "1", ">= 0", "1",
     "Damping of the coupling over critical damping; only with mode = \"dynamic\"."},
    {"coupling.max_speed", kNumber, "m/s", "> 0", "0.6; none in worlds \"condensed\" and \"cloth\"",
     "Speed of the hand that the held body can follow; it lags behind a faster hand."},
    {"coupling.max_angular_speed", kNumber, "rad/s", "> 0",
     "6.283185307 (2 pi); none in worlds \"condensed\" and \"cloth\"",
     "Angular speed of the hand that the held body can follow."},
    {"coupling.permitted_depth", kNumber, "m", "> 0",
     "none: limits.force and limits.torque; one voxel with explicit "
     "contact",
     "Depth of one point at which the simulated coupling saturates."},
    {"coupling.contact_gradient", kChoice, "-", "mirror, direct", "mirror",
     "Derivative of the contact wrench that contacts without the key gradient use; direct only "
     "with "
     "explicit contact."},
    {"coupling.saturation_gradient", kChoice, "-", "secant, tangent", "secant",
     "Stiffness of a saturated coupling in the Newton step; tangent only with explicit contact."},
    {"coupling.max_stiffness", kNumber, "N/m", "> 0", "no limit",
     "Largest stiffness at the hand; not with limit_to_device."},
    {"coupling.limit_to_device", kFlag, "-", "", "false",
     "Whether the device's stiffness rating limits the stiffness at the hand."},
    {"coupling.clutch_button", kInteger, "1", "0 to 31", "no clutch",
     "Bit of the device's button that lets the hand move without the held body."},
    {"coupling.clutch_fade_s", kNumber, "s", ">= 0", "0.2",
     "Time from the release of the clutch to full force; only with clutch_button."},

    {"passivity", kTable, "-", "", "energy is observed, no damping is added",
     "Controller that adds damping where the device port would give energy."},
    {"passivity.enabled", kFlag, "-", "", "true", "Whether damping is added."},
    {"passivity.reference", kChoice, "-", "stored, zero", "stored",
     "Energy below which damping acts: what the coupling stores, or zero."},
    {"passivity.max_damping", kNumber, "N s/m", ">= 0", "5",
     "Largest damping that is added; for rotations times the square of length."},
    {"passivity.device_damping", kNumber, "N s/m", ">= 0", "0",
     "Damping of the device itself, which covers a part of the deficit."},
    {"passivity.length", kNumber, "m", "> 0", "0.05",
     "Lever arm at which rotations count as motion."},
    {"passivity.tolerance", kNumber, "J", ">= 0", "1e-6",
     "Deficit of energy up to which no damping is added."},
    {"passivity.max_surplus", kNumber, "J", ">= 0", "no limit",
     "Largest surplus of energy that is kept for later."},
    {"passivity.max_deficit", kNumber, "J", ">= 0", "0.02",
     "Deficit of energy above which the excess is discarded."},

    {"limits", kTable, "-", "", "the defaults",
     "Limits of what reaches the hand; no value exceeds that of the device's manifest."},
    {"device", kTable, "-", "", "a simulated hand at rest",
     "Device that the scene runs on; hapticd --device overrides it."},
    {"device.name", kText, "-", "", "simulated",
     "\"simulated\", with the other keys of the table, or the name or path of a manifest."},
};

/// The choices are the kinds of world in this program.
class WorldKey {
 public:
  WorldKey() {
    const std::vector<std::string_view> names = world_kind_names();
    key_[0] = {.path = "world",
               .kind = kChoice,
               .unit = "-",
               .range = fmt::format("{}", fmt::join(names, ", ")),
               .absent = std::string(names.front()),
               .meaning = "Kind of world, which decides what other tables the scene has."};
  }
  WorldKey(const WorldKey&) = delete;
  WorldKey& operator=(const WorldKey&) = delete;
  std::span<const DocumentKey> keys() const { return key_; }

 private:
  std::array<DocumentKey, 1> key_{};
};

/// Defaults of limits that are not the number of their member.
constexpr std::pair<std::string_view, std::string_view> kLimitDefaults[] = {
    {"stale_s", "0.02; none on a simulated or replayed device"},
    {"stale_input_s", "five periods, at least 0.02"},
    {"workspace_radius", "reach of the device"},
    {"overload_slots", "20; more on a device without motors"},
    {"overload_fraction", "0.3; 0.95 on a device without motors"},
    {"overload_window_s", "0.2; 0.5 on a device without motors"},
};

std::string default_of(const ServoLimitRow& row) {
  for (const auto& [key, words] : kLimitDefaults) {
    if (key == row.key()) return std::string(words);
  }
  if (row.buttons != nullptr) return "none";
  if (row.count != nullptr) {
    return number_text(static_cast<double>(ServoLimits{}.*row.count));
  }
  const double value = ServoLimits{}.*row.value;
  return std::isfinite(value) ? number_text(value) : "that of the device";
}

/// The rows of kServoLimitTable as keys.
std::vector<DocumentKey> limit_keys() {
  std::vector<DocumentKey> keys;
  for (const ServoLimitRow& row : kServoLimitTable) {
    std::string meaning = std::string(row.meaning) + ".";
    meaning[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(meaning[0])));
    keys.push_back({.path = std::string(row.name),
                    .kind = row.value != nullptr ? kNumber : kInteger,
                    .unit = row.range.unit.empty() ? "1" : std::string(row.range.unit),
                    .range = range_text(row.range),
                    .absent = default_of(row),
                    .meaning = std::move(meaning),
                    .parameters = row.set ? std::string(row.name) : std::string()});
  }
  return keys;
}

}  // namespace

std::span<const KeyGroup> scene_core_keys() {
  static const WorldKey world;
  static const std::vector<DocumentKey> limits = limit_keys();
  static const std::array groups = {
      KeyGroup{"scene", "", "", "", world.keys()},
      KeyGroup{"scene", "", "", "", kSceneCore},
      KeyGroup{"scene", "", "", "", limits},
      KeyGroup{"scene", "", "", "device.", simulated_keys()},
  };
  return groups;
}

KeyGroup scene_keys_of(const WorldKind& kind) {
  return {"scene", "world", kind.name, "",
          kind.keys != nullptr ? kind.keys() : std::span<const DocumentKey>{}};
}

}  // namespace haptic
