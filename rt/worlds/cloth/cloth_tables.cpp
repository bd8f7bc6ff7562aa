#include "rt/worlds/cloth/cloth_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace haptic::cloth {

namespace {

constexpr std::int64_t kMostSubsteps = 64;
constexpr std::int64_t kMostIterations = 1000;
constexpr std::int64_t kMostPasses = 64;

Vector3 read_vector(const TomlTable& table, std::string_view key, double most,
                    std::string_view unit, const Vector3& absent) {
  if (!table.has(key)) return absent;
  const std::vector<double> v = table.numbers(key, 3, NumberRange::between(-most, most, unit));
  return {v[0], v[1], v[2]};
}

bool is_runge_kutta(ClothMethod method) {
  return method == ClothMethod::kEuler || method == ClothMethod::kMidpoint ||
         method == ClothMethod::kRungeKutta4;
}

void read_method(const TomlTable& table, ClothSettings& s) {
  const std::string name = table.choice("integrator", kClothMethods, kClothMethods[0]);
  s.method =
      static_cast<ClothMethod>(std::ranges::find(kClothMethods, name) - kClothMethods.begin());
  s.substeps = static_cast<std::uint32_t>(table.integer("substeps", 1, kMostSubsteps, s.substeps));
  for (const char* key : {"iterations", "tolerance"}) {
    if (table.has(key) && !s.has_solver()) {
      table.refuse(key, fmt::format("found together with integrator = \"{}\"", name),
                   "implicit-euler, adaptive-imex or bdf2, which have a linear solver");
    }
  }
  s.iterations =
      static_cast<std::uint32_t>(table.integer("iterations", 1, kMostIterations, s.iterations));
  if (table.has("passes") && !s.implicit_contact()) {
    table.refuse("passes", fmt::format("found together with integrator = \"{}\"", name),
                 "implicit-euler, which solves contacts");
  }
  s.passes = static_cast<std::uint32_t>(table.integer("passes", 1, kMostPasses, s.passes));
  s.tolerance = table.number("tolerance", NumberRange::between(1e-14, 0.5), s.tolerance);
  s.step_tolerance = table.optional_number("step_tolerance", NumberRange::positive("m"));
  if (s.step_tolerance && !is_runge_kutta(s.method)) {
    table.refuse("step_tolerance", fmt::format("found together with integrator = \"{}\"", name),
                 "euler, midpoint or rk4, whose step it controls");
  }
}

void read_air(const TomlTable& table, ClothSettings& s) {
  s.drag =
      table.number("drag", NumberRange::between(0.0, ClothSettings::kLargestDrag, "kg/s"), s.drag);
  const NumberRange by_area =
      NumberRange::between(0.0, ClothSettings::kLargestDragPerArea, "N s/m^3");
  if (table.has("drag") && table.has("drag_per_area")) {
    table.refuse("drag_per_area", "found together with drag", "one of the two");
  }
  s.drag_per_area = table.number("drag_per_area", by_area, s.drag_per_area);
  s.wind = read_vector(table, "wind", ClothSettings::kFastestAir, "m/s", s.wind);
  s.wind_pressure =
      table.number("wind_pressure", NumberRange::between(0.0, 1e3, "kg/m^3"), s.wind_pressure);
  s.gust = read_vector(table, "gust", ClothSettings::kFastestAir, "m/s", s.gust);
  s.gust_coefficient =
      table.number("gust_coefficient", NumberRange::between(0.0, 1e3, "kg/s"), s.gust_coefficient);
  if (table.has("gust_coefficient") && table.has("gust_per_area")) {
    table.refuse("gust_per_area", "found together with gust_coefficient", "one of the two");
  }
  if (table.has("gust_per_area")) s.gust_coefficient = 0.0;
  s.gust_per_area = table.number("gust_per_area", by_area, s.gust_per_area);
  s.gust_period = table.number("gust_period", NumberRange::between(0.1, 100.0, "s"), s.gust_period);
}

void read_strain(const TomlTable& table, ClothSettings& s) {
  s.strain_limit = table.optional_number("strain_limit", NumberRange::between(0.0, 10.0));
  for (const char* key : {"strain_least", "strain_sweeps", "strain_order"}) {
    if (table.has(key) && !s.strain_limit) {
      table.refuse(key, "found without strain_limit", "strain_limit, the largest strain");
    }
  }
  s.strain_least = table.number("strain_least", NumberRange::between(0.0, 1.0), s.strain_least);
  s.strain_sweeps =
      static_cast<std::uint32_t>(table.integer("strain_sweeps", 1, 100, s.strain_sweeps));
  s.strain_ordered =
      table.choice("strain_order", {"springs", "most-stretched-first"}, "springs") != "springs";
}

void read_cloth_table(const TomlTable& table, ClothSettings& s) {
  read_method(table, s);
  read_air(table, s);
  read_strain(table, s);
  NumberRange thickness = NumberRange::positive("m");
  thickness.maximum = 1.0;
  s.thickness = table.number("thickness", thickness, s.thickness);
  s.self_contact = table.boolean("self_contact", s.self_contact);
  table.finish();
}

void read_contact_table(const TomlTable& table, ClothSettings& s) {
  for (const char* const key : {"stiffness", "foundation"}) {
    if (!table.has(key) || s.implicit_contact()) continue;
    table.refuse(key,
                 fmt::format("found together with integrator = \"{}\"",
                             kClothMethods[static_cast<std::size_t>(s.method)]),
                 "implicit-euler, with which the cloth touches bodies");
  }
  s.contact_foundation = table.has("foundation");
  if (s.contact_foundation && table.has("stiffness")) {
    table.refuse("stiffness", "found together with foundation",
                 "one of the two: of each point, or of each area");
  }
  NumberRange foundation = NumberRange::between(0.0, ClothSettings::kMaxFoundation, "N/m^3");
  foundation.minimum_excluded = true;
  s.contact_stiffness =
      s.contact_foundation
          ? table.number("foundation", foundation)
          : table.number("stiffness",
                         NumberRange::between(0.0, ClothSettings::kMaxStiffness, "N/m"),
                         s.contact_stiffness);
  s.contact_friction = table.number(
      "friction", NumberRange::between(0.0, ClothSettings::kMostFriction), s.contact_friction);
  s.contact_capacity = static_cast<std::size_t>(
      table.integer("capacity", 1, static_cast<std::int64_t>(ClothSettings::kMostContacts),
                    static_cast<std::int64_t>(s.contact_capacity)));
  table.finish();
}

void read_grab(const TomlTable& table, ClothSettings& s) {
  s.grab_button = table.optional_integer("grab_button", 0, 31);
  s.grab_force = table.optional_number("grab_force", NumberRange::positive("N"));
  for (const char* key : {"grab_s", "slip_force"}) {
    if (table.has(key) && !s.grab_force) {
      table.refuse(key, "found without grab_force", "grab_force, which grabs by pressing");
    }
  }
  if (table.has("grab_reach") && !s.grab_force && !s.grab_button) {
    table.refuse("grab_reach", "found without grab_button and grab_force", "one of the two");
  }
  s.grab_reach = table.number("grab_reach", NumberRange::positive("m"), s.grab_reach);
  s.grab_s = table.number("grab_s", NumberRange::between(0.01, 10.0, "s"), s.grab_s);
  s.slip_force = table.number("slip_force", NumberRange::positive("N"), s.slip_force);
}

void read_touch_table(const TomlTable& table, ClothSettings& s) {
  const bool point = table.choice("hand", {"tool", "point"}, "tool") == "point";
  s.hand = point ? ClothSettings::Hand::kPoint : ClothSettings::Hand::kTool;
  for (const char* key : {"radius", "friction", "shading", "grab_button", "grab_force", "grab_s",
                          "grab_reach", "slip_force"}) {
    if (table.has(key) && !point) {
      table.refuse(key, "found together with hand = \"tool\"", "hand = \"point\"");
    }
  }
  NumberRange radius = NumberRange::positive("m");
  radius.maximum = 0.1;
  s.touch_radius = table.number("radius", radius, s.touch_radius);
  s.touch_friction = table.number(
      "friction", NumberRange::between(0.0, ClothSettings::kMostFriction), s.touch_friction);
  const std::string shading =
      table.choice("shading", {"none", "interpolated", "sub-proxy"}, "none");
  if (shading == "interpolated") s.shading = ClothSettings::Shading::kInterpolated;
  if (shading == "sub-proxy") s.shading = ClothSettings::Shading::kSubProxy;
  read_grab(table, s);
  table.finish();
}

/// A body in whose lee there is no wind: an anchored one, of finite extent.
std::size_t read_wind_shadow(const TomlTable& table, const Scene& core, std::size_t cloth) {
  const std::string name = table.text("body");
  const auto found = std::ranges::find(core.bodies, name, &SceneBody::name);
  const auto index = static_cast<std::size_t>(found - core.bodies.begin());
  const bool anchored = found != core.bodies.end() && found->role == BodyRole::kAnchored;
  if (!anchored || index == cloth) {
    table.refuse("body", fmt::format("found \"{}\"", name),
                 "the name of an anchored body that is not the cloth");
  }
  if (const auto* const shape = std::get_if<AnalyticShape>(&found->model);
      shape != nullptr && shape->kind == ShapeKind::kPlane) {
    table.refuse("body", fmt::format("found \"{}\", a plane", name), "a body of finite extent");
  }
  table.finish();
  return index;
}

/// The body of the cloth: of that name, or the only anchored one with a model.
std::size_t cloth_body(const TomlTable& root, const std::optional<TomlTable>& table,
                       const Scene& core) {
  const auto may_be_cloth = [](const SceneBody& body) {
    return body.role == BodyRole::kAnchored && !std::holds_alternative<AnalyticShape>(body.model);
  };
  if (table && table->has("body")) {
    const std::string name = table->text("body");
    const auto found = std::ranges::find(core.bodies, name, &SceneBody::name);
    if (found == core.bodies.end() || !may_be_cloth(*found)) {
      table->refuse("body", fmt::format("found \"{}\"", name),
                    "the name of an anchored body with a model");
    }
    return static_cast<std::size_t>(found - core.bodies.begin());
  }
  if (std::ranges::count_if(core.bodies, may_be_cloth) != 1) {
    root.refuse("cloth",
                fmt::format("found {} anchored bodies with a model and no key body",
                            std::ranges::count_if(core.bodies, may_be_cloth)),
                "body = the name of the one that was baked with [cloth]");
  }
  return static_cast<std::size_t>(std::ranges::find_if(core.bodies, may_be_cloth) -
                                  core.bodies.begin());
}

}  // namespace

SceneClothConstraint read_cloth_constraint(const TomlTable& table, std::size_t index) {
  using Kind = SceneClothConstraint::Kind;
  SceneClothConstraint c;
  c.key = fmt::format("constraint[{}]", index);
  const std::string kind =
      table.choice("kind", {"pin", "plane", "line", "sphere", "follow"}, "pin");
  c.kind = kind == "pin"      ? Kind::kPin
           : kind == "plane"  ? Kind::kPlane
           : kind == "line"   ? Kind::kLine
           : kind == "sphere" ? Kind::kSphere
                              : Kind::kFollow;
  const int selections = int(table.has("particles")) + int(table.has("set")) +
                         int(table.has("low") || table.has("high"));
  if (selections != 1) {
    table.refuse(
        "", fmt::format("found {} ways to name particles", selections),
        "one of: particles, their numbers; set, a border of the grid; low and high, a box");
  }
  if (table.has("particles")) {
    for (const std::int64_t i : table.integers("particles", 0, 0xffffffffLL)) {
      c.particles.push_back(static_cast<std::uint32_t>(i));
    }
    if (c.particles.empty()) table.refuse("particles", "found none", "numbers of particles");
  } else if (table.has("set")) {
    c.set = table.choice("set",
                         {"corners", "bottom", "top", "left", "right", "bottom-corners",
                          "top-corners", "left-corners", "right-corners"},
                         "");
  } else {
    const NumberRange range = NumberRange::between(-1e3, 1e3, "m");
    const std::vector<double> low = table.numbers("low", 3, range);
    const std::vector<double> high = table.numbers("high", 3, range);
    c.within = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  }
  if (c.kind == Kind::kPlane || c.kind == Kind::kLine) {
    const char* const key = c.kind == Kind::kPlane ? "normal" : "direction";
    const std::vector<double> d = table.numbers(key, 3, NumberRange::between(-1e3, 1e3));
    c.direction = {d[0], d[1], d[2]};
    if (!(c.direction.norm() > 1e-9)) table.refuse(key, "found no direction", "a vector");
    c.direction.normalize();
  }
  if (c.kind == Kind::kSphere) {
    const std::vector<double> p = table.numbers("centre", 3, NumberRange::between(-1e3, 1e3, "m"));
    c.centre = {p[0], p[1], p[2]};
  }
  if (c.kind == Kind::kFollow) {
    const std::vector<double> a =
        table.numbers("amplitude", 3, NumberRange::between(-10.0, 10.0, "m"));
    c.amplitude = {a[0], a[1], a[2]};
    c.frequency = table.number("frequency", NumberRange::between(0.0, 100.0, "Hz"));
  }
  table.finish();
  return c;
}

std::shared_ptr<const WorldSettings> read_cloth(const TomlTable& root, const Scene& core) {
  auto settings = std::make_shared<ClothSettings>();
  const std::optional<TomlTable> cloth = root.optional_table("cloth");
  settings->body = cloth_body(root, cloth, core);
  if (cloth) read_cloth_table(*cloth, *settings);
  if (const auto table = root.optional_table("contact")) read_contact_table(*table, *settings);
  if (const auto table = root.optional_table("touch")) read_touch_table(*table, *settings);
  for (const TomlTable& table : root.tables("wind_shadow")) {
    settings->wind_shadows.push_back(read_wind_shadow(table, core, settings->body));
  }
  for (const TomlTable& table : root.tables("constraint")) {
    settings->constraints.push_back(read_cloth_constraint(table, settings->constraints.size()));
  }
  if (settings->hand == ClothSettings::Hand::kPoint &&
      core.coupling.mode == CouplingMode::kDynamic) {
    root.refuse("coupling", "found mode = \"dynamic\" and a point in the hand, which has no mass",
                "mode = \"static\", or [touch] hand = \"tool\"");
  }
  if (settings->hand == ClothSettings::Hand::kTool && !settings->implicit_contact()) {
    root.refuse("cloth",
                fmt::format("found integrator = \"{}\" and a tool in the hand",
                            kClothMethods[static_cast<std::size_t>(settings->method)]),
                "integrator = \"implicit-euler\", or [touch] hand = \"point\"");
  }
  return settings;
}

}  // namespace haptic::cloth
