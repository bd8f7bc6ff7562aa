#include "rt/worlds/condensed/condensed_keys.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace haptic::condensed {
namespace {

using S = CondensedSettings;

constexpr NumberRange kPlace = NumberRange::between(-1e3, 1e3, "m");

bool is_driven_by_statics(const S& s) {
  return s.coupling == S::Coupling::kStatics;
}

void check_integrator(const TomlTable& table, const S& s) {
  const bool statics = is_driven_by_statics(s);
  if (s.integrator != (statics ? ModalIntegrator::kExact : ModalIntegrator::kSymplectic)) return;
  table.refuse("integrator",
               fmt::format("found \"{}\" together with coupling = \"{}\"", table.text("integrator"),
                           statics ? "statics" : "multipliers"),
               statics ? "\"implicit\" or \"symplectic\"" : "\"exact\" or \"implicit\"");
}

const KeySchema<S>& condensed_table() {
  static const KeySchema<S> keys(
      {
          key("coupling", &S::coupling,
              {{"multipliers", S::Coupling::kMultipliers}, {"statics", S::Coupling::kStatics}},
              "Whether statics and modes are solved together, or the forces of the statics drive "
              "the modes in the next step, which has a stability limit."),
          key("integrator", &S::integrator,
              {{"exact", ModalIntegrator::kExact},
               {"implicit", ModalIntegrator::kImplicit},
               {"symplectic", ModalIntegrator::kSymplectic}},
              "Integrator of the modes: exact rings with the recipe's frequency and damping at any "
              "rate, implicit is the published backward Euler; symplectic only with coupling = "
              "\"statics\", exact only with \"multipliers\".")
              .absent("exact; implicit with coupling = \"statics\"")
              .checked(check_integrator),
          key("modes", &S::modes, IntegerRange{0, 4096},
              "Number of lowest modes in use; the rest of the motion is static.")
              .absent("all of the model's"),
          key("corotated", &S::corotated,
              "Whether every part of the body turns with the modes, for large bending and twist; "
              "not with coupling = \"statics\".")
              .checked([](const TomlTable& table, const S& s) {
                if (!s.corotated || !is_driven_by_statics(s)) return;
                table.refuse("corotated", "found together with coupling = \"statics\"",
                             "coupling = \"multipliers\"");
              }),
          key("release_s", &S::release_s, NumberRange::between(0.0, 10.0, "s"),
              "Time constant with which the dent of a contact that ends recovers; 0: in one step."),
      },
      [](const TomlTable& table, S& s) {
        if (is_driven_by_statics(s) && !table.has("integrator")) {
          s.integrator = ModalIntegrator::kImplicit;
        }
      });
  return keys;
}

DeclaredKey<S> points_key() {
  return {{.path = "points",
           .kind = KeyKind::kNumbers,
           .unit = "m",
           .range = array_text("numbers", 0, kPlace),
           .absent = "the tool's field",
           .meaning = "Points of a stylus in the frame of the held body: x, y, z of each, one "
                      "after the other."},
          [](const TomlTable& table, S& s) {
            const std::vector<double> xyz = table.numbers("points", 0, kPlace);
            if (xyz.empty() || xyz.size() % 3 != 0) {
              table.refuse("points", fmt::format("found {} numbers", xyz.size()),
                           "x, y, z of every point of the stylus, one after the other");
            }
            for (std::size_t i = 0; i < xyz.size(); i += 3)
              s.points.emplace_back(xyz[i], xyz[i + 1], xyz[i + 2]);
          }};
}

DeclaredKey<S> for_sliding(DeclaredKey<S> key) {
  return std::move(key).only_if([](const S& s) { return !s.stick; },
                                "found together with stick = true", "stick = false");
}

const KeySchema<S>& contact_table() {
  static const KeySchema<S> keys(
      {
          points_key(),
          key("stick", &S::stick,
              "Whether contacts do not slide while they press; not with friction or viscosity."),
          for_sliding(key("friction", &S::friction, NumberRange::between(0.0, S::kMaxFriction),
                          "Coulomb's coefficient of friction."))
              .sets("contact.friction"),
          for_sliding(key("viscosity", &S::viscosity, NumberRange::positive_up_to(1e6, "N s/m"),
                          "Resistance of each contact that slides below the limit of friction."))
              .absent("dry friction"),
          key("capacity", &S::capacity, IntegerRange{1, static_cast<std::int64_t>(S::kMaxContacts)},
              "Largest number of contacts in a step; those that press and the deepest are kept."),
      },
      [](const TomlTable& table, S& s) {
        if (s.points.size() > s.capacity) {
          table.refuse("points", fmt::format("found {} points", s.points.size()),
                       fmt::format("at most the capacity of {} contacts", s.capacity));
        }
      });
  return keys;
}

/// Index of the only anchored body, a model.
std::size_t find_body(const TomlTable& root, const Scene& core) {
  std::size_t found = 0, anchored = 0;
  for (std::size_t i = 0; i < core.bodies.size(); ++i) {
    const SceneBody& body = core.bodies[i];
    if (body.dimension) {
      root.refuse("body", fmt::format("found \"{}\" with dimension", body.name),
                  "[condensed] modes: the number of modes of the condensed body");
    }
    if (body.role != BodyRole::kAnchored) continue;
    found = i;
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
  return found;
}

}  // namespace

const KeySchema<CondensedSettings>& condensed_keys() {
  static const KeySchema<S> keys({
      table("condensed", condensed_table(), "How statics and modes of the body are coupled."),
      table("contact", contact_table(), "Contact of the tool with the condensed body."),
  });
  return keys;
}

std::shared_ptr<const WorldSettings> read_condensed(const TomlTable& root, const Scene& core) {
  auto settings = std::make_shared<CondensedSettings>();
  settings->body = find_body(root, core);
  condensed_keys().read_some(root, *settings);
  return settings;
}

}  // namespace haptic::condensed
