#include "rt/worlds/condensed/condensed_tables.h"

#include <fmt/format.h>

#include <variant>

namespace haptic::condensed {

namespace {

constexpr std::int64_t kMostModes = 4096;
constexpr double kLongestRelease_s = 10.0;
constexpr double kLargestViscosity = 1e6;  // N s/m

void read_coupling_table(const TomlTable& table, CondensedSettings& s) {
  const bool statics =
      table.choice("coupling", {"multipliers", "statics"}, "multipliers") == "statics";
  if (statics) s.coupling = CondensedSettings::Coupling::kStatics;
  std::string integrator = table.choice("integrator", {"exact", "implicit", "symplectic"}, "exact");
  if (statics && !table.has("integrator")) integrator = "implicit";
  if (integrator == (statics ? "exact" : "symplectic")) {
    table.refuse("integrator",
                 fmt::format("found \"{}\" together with coupling = \"{}\"", integrator,
                             statics ? "statics" : "multipliers"),
                 statics ? "\"implicit\" or \"symplectic\"" : "\"exact\" or \"implicit\"");
  }
  s.integrator = integrator == "exact"      ? ModalIntegrator::kExact
                 : integrator == "implicit" ? ModalIntegrator::kImplicit
                                            : ModalIntegrator::kSymplectic;
  if (const auto modes = table.optional_integer("modes", 0, kMostModes)) {
    s.modes = static_cast<std::uint32_t>(*modes);
  }
  s.corotated = table.boolean("corotated", false);
  if (s.corotated && s.coupling == CondensedSettings::Coupling::kStatics) {
    table.refuse("corotated", "found together with coupling = \"statics\"",
                 "coupling = \"multipliers\"");
  }
  s.release_s = table.number("release_s", NumberRange::between(0.0, kLongestRelease_s, "s"), 0.0);
  table.finish();
}

void read_points(const TomlTable& table, CondensedSettings& s) {
  if (!table.has("points")) return;
  const std::vector<double> xyz = table.numbers("points", 0, NumberRange::between(-1e3, 1e3, "m"));
  if (xyz.empty() || xyz.size() % 3 != 0) {
    table.refuse("points", fmt::format("found {} numbers", xyz.size()),
                 "x, y, z of every point of the stylus, one after the other");
  }
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    s.points.emplace_back(xyz[i], xyz[i + 1], xyz[i + 2]);
}

void read_contact_table(const TomlTable& table, CondensedSettings& s) {
  read_points(table, s);
  s.stick = table.boolean("stick", false);
  for (const char* key : {"friction", "viscosity"}) {
    if (s.stick && table.has(key)) {
      table.refuse(key, "found together with stick = true", "stick = false");
    }
  }
  s.friction = table.number("friction", NumberRange::between(0.0, CondensedSettings::kMostFriction),
                            s.friction);
  NumberRange viscosity = NumberRange::between(0.0, kLargestViscosity, "N s/m");
  viscosity.minimum_excluded = true;
  s.viscosity = table.optional_number("viscosity", viscosity);
  s.capacity = static_cast<std::size_t>(table.integer(
      "capacity", 1, CondensedSettings::kMostContacts, static_cast<std::int64_t>(s.capacity)));
  if (s.points.size() > s.capacity) {
    table.refuse("points", fmt::format("found {} points", s.points.size()),
                 fmt::format("at most the capacity of {} contacts", s.capacity));
  }
  table.finish();
}

}  // namespace

std::shared_ptr<const WorldSettings> read_condensed(const TomlTable& root, const Scene& core) {
  auto settings = std::make_shared<CondensedSettings>();
  std::size_t anchored = 0;
  for (std::size_t i = 0; i < core.bodies.size(); ++i) {
    const SceneBody& body = core.bodies[i];
    if (body.dimension) {
      root.refuse("body", fmt::format("found \"{}\" with dimension", body.name),
                  "[condensed] modes: the number of modes of the condensed body");
    }
    if (body.role != BodyRole::kAnchored) continue;
    settings->body = i;
    ++anchored;
    if (std::holds_alternative<AnalyticShape>(body.model)) {
      root.refuse("body", fmt::format("found \"{}\", a shape, as the anchored body", body.name),
                  "a model baked with [condensed]");
    }
  }
  if (anchored != 1) {
    root.refuse("body", fmt::format("found {} anchored bodies in world = \"condensed\"", anchored),
                "exactly one, a model baked with [condensed]");
  }
  if (const auto table = root.optional_table("condensed")) read_coupling_table(*table, *settings);
  if (const auto table = root.optional_table("contact")) read_contact_table(*table, *settings);
  return settings;
}

}  // namespace haptic::condensed
