#include "rt/worlds/scene_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "rt/device/simulated_keys.h"
#include "rt/dynamics/quartic_layout.h"
#include "rt/geometry/analytic_shape.h"
#include "rt/worlds/changed_defaults.h"
#include "rt/worlds/coupling_keys.h"
#include "rt/worlds/world_kind.h"
#include "rt/worlds/world_kinds.h"

namespace haptic {
namespace {

using S = Scene;
using B = SceneBody;

constexpr double kMaxMotion = 1e6;  // m/s, rad/s, m/s²

const AnalyticShape* shape_of(const B& body) {
  return std::get_if<AnalyticShape>(&body.model);
}

AnalyticShape& make_shape(B& body) {
  if (shape_of(body) == nullptr) body.model = AnalyticShape{};
  return std::get<AnalyticShape>(body.model);
}

KeyWords<ShapeKind> shape_words() {
  KeyWords<ShapeKind> words;
  for (const ShapeKind kind : {ShapeKind::kSphere, ShapeKind::kBox, ShapeKind::kPlane,
                               ShapeKind::kCapsule, ShapeKind::kTorus}) {
    words.emplace_back(name_of(kind), kind);
  }
  return words;
}

/// A size of the shapes that have one of this name, which is the `element`-th of each.
DeclaredKey<B> size_key(std::string_view name, std::size_t element, std::string_view meaning) {
  return key_of<B>(
             name, [element](B& body) -> double& { return make_shape(body).size[element]; },
             NumberRange::positive("m"), meaning)
      .required_where(
          [name](const B& body) {
            const AnalyticShape* const shape = shape_of(body);
            if (shape == nullptr) return false;
            const auto sizes = shape_sizes(shape->kind);
            return std::ranges::find(sizes, name) != sizes.end();
          },
          "required");
}

DeclaredKey<B> for_free_body(DeclaredKey<B> key) {
  return std::move(key).only_if([](const B& body) { return body.role == BodyRole::kFree; },
                                "found for a body that is not free", "role = \"free\"");
}

void check_body(const TomlTable& table, B& body) {
  if (auto* const model = std::get_if<std::filesystem::path>(&body.model)) {
    *model = std::filesystem::absolute(*model).lexically_normal();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(*model, ignored)) {
      table.refuse("model", fmt::format("found no file {}", model->string()),
                   "a model written by `haptic bake`");
    }
    return;
  }
  if (body.role == BodyRole::kHeld && shape_of(body)->kind == ShapeKind::kPlane) {
    table.refuse("role", "found a plane, which is infinite, as the held body", "\"anchored\"");
  }
}

const KeySchema<B>& body_keys() {
  static const KeySchema<B> keys(
      {
          key("name", &B::name, "Unique name of the body.").required(),
          key_of<B>(
              "model",
              [](B& body) -> std::filesystem::path& {
                return std::get<std::filesystem::path>(body.model);
              },
              AnyValue{}, "Model file that haptic bake has written.")
              .required_if([](const TomlTable& table, const B&) { return !table.has("shape"); },
                           "required, or shape"),
          key_of<B>(
              "shape", [](B& body) -> ShapeKind& { return make_shape(body).kind; }, shape_words(),
              "Rigid body with a field by formula, instead of a model; held or anchored, a plane "
              "anchored.")
              .absent("required, or model")
              .not_with("model"),
          size_key("radius", 0,
                   "Radius of a sphere or a capsule; of a torus that of its circle in z = 0."),
          size_key("x", 0, "Side of a box along x."),
          size_key("y", 1, "Side of a box along y."),
          size_key("z", 2, "Side of a box along z."),
          size_key("size", 0,
                   "Side of the square that is drawn for a plane, which itself has no bounds."),
          size_key("length", 1, "Distance of the centres of a capsule's caps, along z."),
          size_key("tube", 1, "Radius of the tube of a torus, below radius.")
              .checked([](const TomlTable& table, const B& body) {
                const auto& [radius, tube, none] = shape_of(body)->size;
                if (tube >= radius) {
                  table.refuse("tube", fmt::format("found {} m", tube), "less than radius");
                }
              }),
          key("role", &B::role,
              {{"anchored", BodyRole::kAnchored},
               {"held", BodyRole::kHeld},
               {"free", BodyRole::kFree}},
              "Whether the body stays in place, follows the hand, or moves by contact and gravity.")
              .required(),
          key_of<B>("position", inner(&B::pose, &Pose::position), NumberRange::any("m"),
                    "Origin of the model in the world; of the held body when the hand is at its "
                    "origin."),
          key_of<B>("orientation", inner(&B::pose, &Pose::orientation), UnitQuaternion{},
                    "Orientation of the model in the world: unit quaternion w, x, y, z."),
          for_free_body(key_of<B>("velocity", inner(&B::velocity, &Twist::linear),
                                  NumberRange::between(-kMaxMotion, kMaxMotion, "m/s"),
                                  "Velocity of the centre of mass at the start, world axes; only "
                                  "of a free body.")),
          for_free_body(key_of<B>("angular_velocity", inner(&B::velocity, &Twist::angular),
                                  NumberRange::between(-kMaxMotion, kMaxMotion, "rad/s"),
                                  "Angular velocity at the start, world axes; only of a free "
                                  "body.")),
          key("dimension", &B::dimension, IntegerRange{1, kMaxReducedDimension},
              "Number of basis vectors in use, from the first, and the most that can be set later; "
              "only of a reduced model.")
              .absent("all of the model's")
              .only_if([](const B& body) { return shape_of(body) == nullptr; }, "found for a shape",
                       "a deformable model")
              .sets("BODY.dimension"),
      },
      check_body);
  return keys;
}

/// A row of kServoLimitTable as a key.
DeclaredKey<ServoLimits> limit_key(const ServoLimitRow& row) {
  std::string meaning = std::string(row.meaning) + ".";
  meaning[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(meaning[0])));
  const IntegerRange whole{static_cast<std::int64_t>(row.range.minimum),
                           static_cast<std::int64_t>(row.range.maximum), row.range.unit};
  if (row.buttons != nullptr) {
    DocumentKey bit = key_value::describe<std::int64_t>(whole);
    bit.path = row.key();
    bit.absent = "none";
    bit.meaning = meaning;
    return {std::move(bit), [&row, whole](const TomlTable& table, ServoLimits& limits) {
              limits.*row.buttons = 1u << table.integer(row.key(), whole.minimum, whole.maximum);
            }};
  }
  DeclaredKey<ServoLimits> limit = row.count != nullptr
                                       ? key(row.key(), row.count, whole, meaning)
                                       : key(row.key(), row.value, row.range, meaning);
  if (!row.absent.empty()) limit = std::move(limit).absent(std::string(row.absent));
  return row.set ? std::move(limit).sets(std::string(row.name)) : limit;
}

const KeySchema<ServoLimits>& limit_keys() {
  static const KeySchema<ServoLimits> keys(
      [] {
        std::vector<DeclaredKey<ServoLimits>> all;
        for (const ServoLimitRow& row : kServoLimitTable) all.push_back(limit_key(row));
        return all;
      }(),
      [](const TomlTable& table, ServoLimits& limits) {
        if (limits.stop_buttons != 0 && limits.stop_buttons == limits.enable_buttons) {
          table.refuse("enable_button", "found the stop_button", "a button other than stop_button");
        }
      });
  return keys;
}

const KeySchema<SceneDevice>& device_keys() {
  static const KeySchema<SceneDevice> keys(
      {key("name", &SceneDevice::name,
           "\"simulated\", with the other keys of the table, or the name or path of a manifest.")},
      [](const TomlTable& table, SceneDevice& device) {
        if (device.is_simulated()) {
          simulated_keys().read_some(table, device);
          return;
        }
        for (const char* key : {"script", "hand", "encoder_step", "encoder_angle"}) {
          if (table.has(key)) {
            table.refuse(key, "found a property of the simulated device",
                         "name = \"simulated\" with it, or the key in the device's manifest");
          }
        }
      });
  return keys;
}

}  // namespace

const KeySchema<Scene>& world_key() {
  static const KeySchema<S> keys = [] {
    KeyWords<const WorldKind*> kinds;
    for (const std::string_view name : world_kind_names()) {
      kinds.emplace_back(name, &find_world_kind(name));
    }
    const std::string first(kinds.front().first);
    return KeySchema<S>({key("world", &S::kind, kinds,
                             "Kind of world, which decides what other tables the scene has.")
                             .absent(first)},
                        [first](const TomlTable&, S& scene) {
                          if (scene.kind == nullptr) scene.kind = &find_world_kind(first);
                        });
  }();
  return keys;
}

const KeySchema<Scene>& scene_keys() {
  static const KeySchema<S> keys({
      key("defaults", &S::defaults, IntegerRange{1, kDefaultsVersion},
          "Version of the defaults that the scene was written for; hapticd --check names those "
          "that have changed since. All scenes run with the present ones."),
      key("rate_hz", &S::rate_hz, NumberRange::between(1.0, 1e5, "Hz"),
          "Steps of the world per second."),
      // A whole number of cycles per step, so that the slots of servo and world keep a fixed phase.
      key("servo_rate_hz", &S::servo_rate_hz, NumberRange::between(1.0, 1e5, "Hz"),
          "Exchanges with the device per second, a whole multiple of rate_hz.")
          .absent("rate_hz")
          .checked([](const TomlTable& table, const S& s) {
            const double ratio = s.servo_rate() / s.rate_hz;
            if (std::abs(ratio - std::round(ratio)) > 1e-9 * ratio || ratio < 1.0) {
              table.refuse("servo_rate_hz", fmt::format("found {:g} Hz", s.servo_rate()),
                           fmt::format("a whole multiple of rate_hz = {:g}", s.rate_hz));
            }
          }),
      key("world_timeout_s", &S::world_timeout_s, NumberRange::positive("s"),
          "Longest wait for a step of the world before a fault; only with servo_rate_hz above "
          "rate_hz.")
          .only_if([](const S& s) { return s.cycles_per_step() > 1; },
                   "found one rate for servo and world", "servo_rate_hz above rate_hz with it"),
      key("length_scale", &S::length_scale, NumberRange::positive(),
          "Simulated metres per metre of hand."),
      key("gravity", &S::gravity, NumberRange::between(-kMaxMotion, kMaxMotion, "m/s²"),
          "Acceleration of free bodies and cloths, world axes; only in a scene that has one."),
      tables("body", &S::bodies, body_keys(), "A body; exactly one is held.").absent("required"),
      table("coupling", &S::coupling, coupling_keys(),
            "Spring between the hand and the held body."),
      table("passivity", &S::passivity, passivity_keys(),
            "Controller that adds damping where the device port would give energy.")
          .absent("energy is observed, no damping is added"),
      // The keys of the last two tables are groups of their own.
      DeclaredKey<S>({.path = "limits",
                      .kind = KeyKind::kTable,
                      .unit = "-",
                      .absent = "the defaults",
                      .meaning = "Limits of what reaches the hand; no value exceeds that of the "
                                 "device's manifest."},
                     [](const TomlTable& root, S& s) {
                       const TomlTable table = root.table("limits");
                       limit_keys().read(table, s.limits);
                       s.sets_overload = table.has("overload_slots") ||
                                         table.has("overload_fraction") ||
                                         table.has("overload_window_s");
                     }),
      table("device", &S::device, device_keys(),
            "Device that the scene runs on; hapticd --device overrides it.")
          .absent("a simulated hand at rest"),
  });
  return keys;
}

std::span<const KeyGroup> scene_core_keys() {
  static const std::array groups = {
      KeyGroup{"scene", "", "", "", world_key().described()},
      KeyGroup{"scene", "", "", "", scene_keys().described()},
      KeyGroup{"scene", "", "", "limits.", limit_keys().described()},
      KeyGroup{"scene", "", "", "device.", simulated_keys().described()},
  };
  return groups;
}

KeyGroup scene_keys_of(const WorldKind& kind) {
  return {"scene", "world", kind.name, "",
          kind.keys != nullptr ? kind.keys() : std::span<const DocumentKey>{}};
}

}  // namespace haptic
