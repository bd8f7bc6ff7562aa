#include "rt/worlds/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "rt/dynamics/reduced_energy.h"
#include "rt/geometry/analytic_shape.h"
#include "rt/worlds/changed_defaults.h"
#include "rt/worlds/scene_keys.h"
#include "rt/worlds/scene_tables.h"
#include "rt/worlds/world_kinds.h"
#include "shared/config/modification_time.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {

namespace {

Pose read_pose(const TomlTable& table) {
  Pose pose;
  if (table.has("position")) {
    const std::vector<double> p = table.numbers("position", 3, NumberRange::any("m"));
    pose.position = {p[0], p[1], p[2]};
  }
  if (table.has("orientation")) {
    const std::vector<double> q = table.numbers("orientation", 4, NumberRange::any());
    pose.orientation = Quaternion(q[0], q[1], q[2], q[3]);
    const double norm = pose.orientation.norm();
    if (std::abs(norm - 1.0) > 1e-3) {
      table.refuse("orientation", fmt::format("found a quaternion of length {:.6g}", norm),
                   "w, x, y, z of length 1 within 0.001");
    }
    pose.orientation.normalize();
  }
  return pose;
}

BodyRole read_role(const TomlTable& table, const WorldKind& kind) {
  const std::string role = table.text("role");
  if (role == "held") return BodyRole::kHeld;
  if (role == "anchored") return BodyRole::kAnchored;
  if (role == "free") {
    if (!kind.has_free_bodies) {
      table.refuse("role", fmt::format("found \"free\" in world = \"{}\"", kind.name),
                   "\"anchored\" or \"held\"");
    }
    return BodyRole::kFree;
  }
  table.refuse("role", fmt::format("found \"{}\"", role), "\"anchored\", \"held\" or \"free\"");
}

std::filesystem::path read_model(const TomlTable& table) {
  const auto model = std::filesystem::absolute(table.file("model")).lexically_normal();
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(model, ignored)) {
    table.refuse("model", fmt::format("found no file {}", model.string()),
                 "a model written by `haptic bake`");
  }
  return model;
}

AnalyticShape read_shape(const TomlTable& table) {
  if (table.has("model")) table.refuse("shape", "found together with model", "one of the two");
  if (table.has("dimension")) table.refuse("dimension", "found for a shape", "a deformable model");
  const std::string name = table.text("shape");
  const std::optional<ShapeKind> kind = shape_kind(name);
  if (!kind) {
    table.refuse("shape", fmt::format("found \"{}\"", name),
                 "\"sphere\", \"box\", \"plane\", \"capsule\" or \"torus\"");
  }
  AnalyticShape shape;
  shape.kind = *kind;
  const auto keys = shape_sizes(shape.kind);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    shape.size[i] = table.number(keys[i], NumberRange::positive("m"));
  }
  if (shape.kind == ShapeKind::kTorus && shape.size[1] >= shape.size[0]) {
    table.refuse("tube", fmt::format("found {} m", shape.size[1]), "less than radius");
  }
  return shape;
}

Vector3 read_vector(const TomlTable& table, std::string_view key, std::string_view unit,
                    const Vector3& otherwise) {
  if (!table.has(key)) return otherwise;
  const std::vector<double> values = table.numbers(key, 3, NumberRange::between(-1e6, 1e6, unit));
  return {values[0], values[1], values[2]};
}

/// What only a free body has.
void read_motion(const TomlTable& table, SceneBody& body) {
  for (const char* key : {"velocity", "angular_velocity"}) {
    if (body.role != BodyRole::kFree && table.has(key)) {
      table.refuse(key, "found for a body that is not free", "role = \"free\"");
    }
  }
  body.velocity = {read_vector(table, "velocity", "m/s", Vector3::Zero()),
                   read_vector(table, "angular_velocity", "rad/s", Vector3::Zero())};
}

SceneBody read_body(const TomlTable& table, const WorldKind& kind,
                    const std::vector<SceneBody>& earlier) {
  SceneBody body;
  body.name = table.text("name");
  for (const SceneBody& other : earlier) {
    if (other.name == body.name) {
      table.refuse("name", fmt::format("found \"{}\" a second time", body.name), "a unique name");
    }
  }
  body.model = table.has("shape") ? BodySource(read_shape(table)) : read_model(table);
  body.role = read_role(table, kind);
  if (body.role == BodyRole::kHeld) {
    const auto held = std::find_if(earlier.begin(), earlier.end(),
                                   [](const SceneBody& b) { return b.role == BodyRole::kHeld; });
    const auto* const shape = std::get_if<AnalyticShape>(&body.model);
    if (shape != nullptr && shape->kind == ShapeKind::kPlane) {
      table.refuse("role", "found a plane, which is infinite, as the held body", "\"anchored\"");
    }
    if (held != earlier.end()) {
      table.refuse("role", fmt::format("found a second held body after \"{}\"", held->name),
                   "exactly one held body");
    }
  }
  if (body.role == BodyRole::kFree && std::holds_alternative<AnalyticShape>(body.model)) {
    table.refuse("shape", "found for a free body, which needs a mass",
                 "a model written by `haptic bake`");
  }
  body.pose = read_pose(table);
  read_motion(table, body);
  if (const auto dimension = table.optional_integer("dimension", 1, kMaxReducedDimension)) {
    body.dimension = static_cast<std::uint32_t>(*dimension);
  }
  table.finish();
  return body;
}

// A whole number of cycles per step, so that the slots of servo and world keep a fixed phase.
void read_servo_rate(const TomlTable& root, Scene& scene) {
  scene.servo_rate_hz = root.optional_number("servo_rate_hz", NumberRange::between(1.0, 1e5, "Hz"));
  const double ratio = scene.servo_rate() / scene.rate_hz;
  if (std::abs(ratio - std::round(ratio)) > 1e-9 * ratio || ratio < 1.0) {
    root.refuse("servo_rate_hz", fmt::format("found {:g} Hz", scene.servo_rate()),
                fmt::format("a whole multiple of rate_hz = {:g}", scene.rate_hz));
  }
  if (scene.cycles_a_step() > 1) {
    scene.world_timeout_s =
        root.number("world_timeout_s", NumberRange::positive("s"), scene.world_timeout_s);
  } else if (root.has("world_timeout_s")) {
    root.refuse("world_timeout_s", "found one rate for servo and world",
                "servo_rate_hz above rate_hz with it");
  }
}

const WorldKind& read_kind(const TomlTable& root) {
  const std::vector<std::string_view> names = world_kind_names();
  return find_world_kind(root.choice("world", names, names.front()));
}

Scene read_scene(const TomlDocument& document) {
  const TomlTable root = document.root();
  if (!root.has("body") && root.has("source")) {
    throw InputError(document.path().string(), "", "found a recipe (a table [source], no body)",
                     "a scene, which names the model that `haptic bake` makes of a recipe");
  }
  root.use_keys(scene_core_keys());
  Scene scene;
  scene.file = std::filesystem::absolute(document.path()).lexically_normal();
  scene.text = document.text();
  scene.kind = &read_kind(root);
  const KeyGroup of_kind = scene_keys_of(*scene.kind);
  root.use_keys({&of_kind, 1});
  scene.defaults = root.integer("defaults", 1, kDefaultsVersion, scene.defaults);
  scene.rate_hz = root.number("rate_hz", NumberRange::between(1.0, 1e5, "Hz"), scene.rate_hz);
  read_servo_rate(root, scene);
  scene.length_scale = root.number("length_scale", NumberRange::positive(), scene.length_scale);

  for (const TomlTable& table : root.tables("body"))
    scene.bodies.push_back(read_body(table, *scene.kind, scene.bodies));
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(),
                   [](const SceneBody& b) { return b.role == BodyRole::kHeld; })) {
    root.refuse("body", "found no body with role \"held\"", "exactly one held body");
  }
  if (!scene.kind->has_other_weights &&
      std::none_of(scene.bodies.begin(), scene.bodies.end(),
                   [](const SceneBody& b) { return b.role == BodyRole::kFree; }) &&
      root.has("gravity")) {
    root.refuse("gravity", "found without a body that it acts on", "a body with role = \"free\"");
  }
  scene.gravity = read_vector(root, "gravity", "m/s²", scene.gravity);
  if (const auto table = root.optional_table("coupling")) scene.coupling = read_coupling(*table);
  if (const auto table = root.optional_table("limits")) {
    scene.limits = read_limits(*table);
    scene.sets_overload = table->has("overload_slots") || table->has("overload_fraction") ||
                          table->has("overload_window_s");
  }
  if (const auto table = root.optional_table("passivity")) {
    scene.passivity = read_passivity(*table);
  }
  if (const auto table = root.optional_table("device")) scene.device = read_device(*table);
  scene.settings = scene.kind->read(root, scene);
  root.finish();
  return scene;
}

}  // namespace

Scene load_scene(const std::filesystem::path& path) {
  const std::int64_t modified_ns = modification_time_ns(path);
  Scene scene = read_scene(TomlDocument::load(path));
  scene.modified_ns = modified_ns;
  return scene;
}

Scene parse_scene(std::string text, const std::filesystem::path& path) {
  return read_scene(TomlDocument::parse(std::move(text), path));
}

}  // namespace haptic
