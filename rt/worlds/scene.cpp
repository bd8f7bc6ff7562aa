#include "rt/worlds/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "rt/dynamics/reduced_energy.h"
#include "rt/worlds/parameter_ranges.h"
#include "shared/assert.h"
#include "shared/config/toml_reader.h"

namespace haptic {

namespace {

NumberRange range_of(ReducedWorldParameter parameter, std::string_view unit) {
  const World::Parameter& p = kReducedWorldParameters[parameter];
  return NumberRange::between(p.minimum, p.maximum, unit);
}

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

BodyRole read_role(const TomlTable& table) {
  const std::string role = table.text("role");
  if (role == "held") return BodyRole::kHeld;
  if (role == "anchored") return BodyRole::kAnchored;
  if (role == "free") {
    table.refuse("role", "found \"free\", a role that the reduced world does not have",
                 "\"anchored\" or \"held\"");
  }
  table.refuse("role", fmt::format("found \"{}\"", role), "\"anchored\" or \"held\"");
}

SceneBody read_body(const TomlTable& table, const std::vector<SceneBody>& earlier) {
  SceneBody body;
  body.name = table.text("name");
  for (const SceneBody& other : earlier) {
    if (other.name == body.name) {
      table.refuse("name", fmt::format("found \"{}\" a second time", body.name),
                   "a name of its own");
    }
  }
  body.model = std::filesystem::absolute(table.file("model")).lexically_normal();
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(body.model, ignored)) {
    table.refuse("model", fmt::format("found no file {}", body.model.string()),
                 "a model written by `haptic bake`");
  }
  body.role = read_role(table);
  if (body.role == BodyRole::kHeld) {
    const auto held = std::find_if(earlier.begin(), earlier.end(),
                                   [](const SceneBody& b) { return b.role == BodyRole::kHeld; });
    if (held != earlier.end()) {
      table.refuse("role", fmt::format("found a second held body beside \"{}\"", held->name),
                   "exactly one held body");
    }
  }
  body.pose = read_pose(table);
  if (const auto dimension = table.optional_integer("dimension", 1, kMaxReducedDimension)) {
    body.dimension = static_cast<std::uint32_t>(*dimension);
  }
  table.finish();
  return body;
}

std::size_t read_body_name(const TomlTable& table, std::string_view key,
                           const std::vector<SceneBody>& bodies) {
  const std::string name = table.text(key);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == name) return i;
    names.push_back(bodies[i].name);
  }
  const std::string_view near = nearest_word(name, names);
  table.refuse(key, fmt::format("found \"{}\"", name),
               near.empty() ? fmt::format("the name of a body: {}", fmt::join(names, ", "))
                            : fmt::format("the name of a body, perhaps \"{}\"", near));
}

SceneContact read_contact(const TomlTable& table, const Scene& scene) {
  SceneContact contact{};
  contact.points = read_body_name(table, "points", scene.bodies);
  contact.field = read_body_name(table, "field", scene.bodies);
  if (contact.points == contact.field) {
    table.refuse("field", "found the body that carries the points", "another body");
  }
  const std::size_t held = scene.held_body();
  if (contact.points != held && contact.field != held) {
    table.refuse("field", "found a pair of two anchored bodies",
                 fmt::format("the held body \"{}\" on one side", scene.bodies[held].name));
  }
  for (const SceneContact& other : scene.contacts) {
    if (other.points == contact.points && other.field == contact.field) {
      table.refuse("field", "found the same pair a second time", "each pair once");
    }
  }
  contact.stiffness = table.number("stiffness", range_of(kContactStiffness, "N/m"), 200.0);
  table.finish();
  return contact;
}

SceneDynamics read_dynamics(const TomlTable& table) {
  SceneDynamics d;
  const std::string integrator =
      table.choice("integrator", {"newmark", "central-differences", "modal"}, "newmark");
  if (integrator == "central-differences") d.integrator = DynamicsIntegrator::kCentralDifferences;
  if (integrator == "modal") d.integrator = DynamicsIntegrator::kModal;
  if (const auto iterations = table.optional_integer("newton_iterations", 1, 100)) {
    if (d.integrator != DynamicsIntegrator::kNewmark) {
      table.refuse("newton_iterations", "found beside an integrator without a Newton iteration",
                   "integrator = \"newmark\"");
    }
    d.newton_iterations = static_cast<std::uint32_t>(*iterations);
  }
  d.material_ramp_s =
      table.number("material_ramp_s", NumberRange::between(0.0, 60.0, "s"), d.material_ramp_s);
  d.displacement_limit = table.optional_number("displacement_limit", NumberRange::positive("m"));
  table.finish();
  return d;
}

SceneCoupling read_coupling(const TomlTable& table) {
  SceneCoupling c;
  c.stiffness = table.number("stiffness", range_of(kCouplingStiffness, "N/m"), c.stiffness);
  c.rotational_stiffness =
      table.number("rotational_stiffness", range_of(kCouplingRotationalStiffness, "N·m/rad"),
                   c.rotational_stiffness);
  c.static_damping =
      table.number("static_damping", range_of(kCouplingStaticDamping, ""), c.static_damping);
  c.max_speed = table.number("max_speed", NumberRange::positive("m/s"), c.max_speed);
  c.max_angular_speed =
      table.number("max_angular_speed", NumberRange::positive("rad/s"), c.max_angular_speed);
  c.permitted_depth = table.optional_number("permitted_depth", NumberRange::positive("m"));
  c.contact_gradient = table.choice("contact_gradient", {"mirror", "direct"}, "mirror") == "direct"
                           ? ContactGradient::kDirect
                           : ContactGradient::kMirror;
  c.saturation_gradient =
      table.choice("saturation_gradient", {"secant", "tangent"}, "secant") == "tangent"
          ? SaturationGradient::kTangent
          : SaturationGradient::kSecant;
  table.finish();
  return c;
}

SceneLimits read_limits(const TomlTable& table) {
  SceneLimits l;
  l.force = table.number("force", NumberRange::positive("N"), l.force);
  l.torque = table.number("torque", NumberRange::positive("N·m"), l.torque);
  l.ramp_s = table.number("ramp_s", NumberRange::non_negative("s"), l.ramp_s);
  l.slew_N_per_s = table.optional_number("slew_N_per_s", NumberRange::positive("N/s"));
  l.speed = table.optional_number("speed", NumberRange::positive("m/s"));
  l.workspace_radius = table.optional_number("workspace_radius", NumberRange::positive("m"));
  table.finish();
  return l;
}

SceneDevice read_device(const TomlTable& table) {
  SceneDevice d;
  d.name = table.text("name", d.name);
  if (table.has("script"))
    d.script = std::filesystem::absolute(table.file("script")).lexically_normal();
  if (table.choice("hand", {"scripted", "spring-damper"}, "scripted") == "spring-damper") {
    d.hand.kind = HandKind::kSpringDamper;
    d.hand.mass = table.number("mass", NumberRange::positive("kg"), d.hand.mass);
    d.hand.stiffness =
        table.number("stiffness", NumberRange::non_negative("N/m"), d.hand.stiffness);
    d.hand.damping = table.number("damping", NumberRange::non_negative("N s/m"), d.hand.damping);
  } else {
    for (const std::string_view key : {"mass", "stiffness", "damping"}) {
      if (table.has(key)) {
        table.refuse(key, "found a property that a scripted hand does not have",
                     "hand = \"spring-damper\" beside it");
      }
    }
  }
  table.finish();
  return d;
}

}  // namespace

std::size_t Scene::held_body() const {
  const auto held = std::find_if(bodies.begin(), bodies.end(),
                                 [](const SceneBody& b) { return b.role == BodyRole::kHeld; });
  HAPTIC_DEMAND(held != bodies.end());
  return static_cast<std::size_t>(held - bodies.begin());
}

Scene load_scene(const std::filesystem::path& path) {
  const TomlDocument document = TomlDocument::load(path);
  const TomlTable root = document.root();
  Scene scene;
  scene.file = std::filesystem::absolute(path).lexically_normal();
  scene.rate_hz = root.number("rate_hz", NumberRange::between(1.0, 1e5, "Hz"), scene.rate_hz);
  scene.length_scale = root.number("length_scale", NumberRange::positive(), scene.length_scale);

  for (const TomlTable& table : root.tables("body"))
    scene.bodies.push_back(read_body(table, scene.bodies));
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(),
                   [](const SceneBody& b) { return b.role == BodyRole::kHeld; })) {
    root.refuse("body", "found no body with role \"held\"", "exactly one held body");
  }
  for (const TomlTable& table : root.tables("contact")) {
    scene.contacts.push_back(read_contact(table, scene));
  }
  if (const auto table = root.optional_table("dynamics")) scene.dynamics = read_dynamics(*table);
  if (const auto table = root.optional_table("coupling")) scene.coupling = read_coupling(*table);
  if (const auto table = root.optional_table("limits")) scene.limits = read_limits(*table);
  if (const auto table = root.optional_table("device")) scene.device = read_device(*table);
  root.finish();
  return scene;
}

}  // namespace haptic
