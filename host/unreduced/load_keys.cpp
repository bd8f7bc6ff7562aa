#include "host/unreduced/load_keys.h"

#include <fmt/format.h>

#include <array>

namespace haptic {
namespace {

/// Its square and the square of its work are far below overflow.
constexpr double kMaxForce_N = 1e12;

const KeySchema<PlaceChoice>& place_keys() {
  using P = PlaceChoice;
  static const KeySchema<P> keys(
      {
          key("vertex", &P::vertex, IntegerRange{0, 0xffffffffLL}, "Number of the vertex, from 0.")
              .absent("required, or near"),
          key("near", &P::near, NumberRange::any("m"),
              "Point in the frame of the model; its nearest point in an element is meant.")
              .absent("required, or vertex"),
      },
      [](const TomlTable& table, const P& place) {
        const bool near = table.has("near");
        if (place.vertex.has_value() != near) return;
        table.refuse("", near ? "found both \"vertex\" and \"near\"" : "found neither",
                     "either \"vertex\" (an id) or \"near\" = [x, y, z] [m]");
      });
  return keys;
}

const KeySchema<ScriptedLoad>& scripted_load_keys() {
  using L = ScriptedLoad;
  static const KeySchema<L> keys(
      {
          part(&L::place, place_keys()),
          key("force_N", &L::force, NumberRange::any("N"),
              fmt::format("Force at the place; its length is at most {} N.",
                          number_text(kMaxForce_N)))
              .required()
              .checked([](const TomlTable& table, const L& load) {
                if (load.force.norm() <= kMaxForce_N) return;
                table.refuse("force_N", fmt::format("found {:.4g} N", load.force.norm()),
                             fmt::format("at most {:g} N", kMaxForce_N));
              }),
          key("from_s", &L::from, NumberRange::non_negative("s"),
              "Time at which the force begins."),
          key("to_s", &L::to, NumberRange::non_negative("s"),
              "Time at which the force ends, after from_s.")
              .absent("the end"),
      },
      [](const TomlTable& table, const L& load) {
        if (load.to > load.from) return;
        table.refuse("to_s", fmt::format("found {}", load.to),
                     fmt::format("a time after from_s = {} [s]", load.from));
      });
  return keys;
}

}  // namespace

const KeySchema<LoadScript>& load_script_keys() {
  using S = LoadScript;
  static const KeySchema<S> keys({
      key("dt_s", &S::dt, NumberRange::positive("s"), "Time of a step.").required(),
      key("steps", &S::steps, IntegerRange{1, 100'000'000}, "Number of steps.").required(),
      key("gravity", &S::gravity, NumberRange::any("m/s^2"), "Acceleration of the whole body."),
      key("damping", &S::damping, NumberRange::non_negative(),
          "Rayleigh coefficients alpha of the mass [1/s] and beta of the stiffness [s].")
          .absent("the model's"),
      tables("load", &S::loads, scripted_load_keys(), "A force at one place over a span of time.")
          .absent("none; required without gravity"),
      tables("probe", &S::probes, place_keys(), "A place whose displacement is logged."),
  });
  return keys;
}

std::span<const KeyGroup> load_keys() {
  static const std::array kGroups = {
      KeyGroup{"load-script", "", "", "", load_script_keys().described()}};
  return kGroups;
}

}  // namespace haptic
