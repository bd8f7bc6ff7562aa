#include "rt/worlds/solids/solids_keys.h"

namespace haptic::solids {

const KeySchema<BodyDynamics>& dynamics_keys() {
  using D = BodyDynamics;
  const auto is_newmark = [](const D& d) { return d.integrator == DynamicsIntegrator::kNewmark; };
  static const KeySchema<D> keys({
      key("integrator", &D::integrator,
          {{"newmark", DynamicsIntegrator::kNewmark},
           {"central-differences", DynamicsIntegrator::kCentralDifferences},
           {"modal", DynamicsIntegrator::kModal}},
          "How bodies that deform are integrated: implicitly, explicitly, or as linear modes."),
      key("newton_iterations", &D::newton_iterations, IntegerRange{1, 100},
          "Newton iterations of a step; only with integrator = \"newmark\".")
          .only_if(is_newmark, "found together with an integrator without a Newton iteration",
                   "integrator = \"newmark\""),
      key("contact", &D::implicit_contact, {{"implicit", true}, {"explicit", false}},
          "Whether contact forces are those of the step's end, found for all bodies together, or "
          "those of its start.")
          .absent("implicit; explicit where another key needs it"),
      key("contact_capacity", &D::contact_capacity, IntegerRange{16, 1'000'000},  // 1 GB of rows
          "Largest number of contacts in an implicit step; about 1 kB of memory each.")
          .absent(number_text(D::kContactCapacity))
          .only_if([](const D& d) { return d.implicit_contact != false; },
                   "found together with contact = \"explicit\"", "contact = \"implicit\""),
      key("pair_capacity", &D::pair_capacity, IntegerRange{1, 20'000},
          "Largest number of pairs of bodies with the same models and settings that are close at a "
          "time; more are a fault.")
          .absent("all pairs"),
      key("acceleration_limit", &D::acceleration_limit, NumberRange::positive("m kg^1/2 / s^2"),
          "Largest norm of the reduced acceleration of a body; only with integrator = "
          "\"newmark\".")
          .absent("no limit")
          .only_if(is_newmark, "found together with an integrator that does not cut its steps",
                   "integrator = \"newmark\""),
      key("material_ramp_s", &D::material_ramp_s, NumberRange::between(0.0, 60.0, "s"),
          "Duration of a change by haptic set."),
      // A body at the top of its flight is slower than 0.1 m/s for 20 ms, and must not stay there.
      key("sleep_speed", &D::sleep_speed, NumberRange::between(0.0, 0.1, "m/s"),
          "Speed below which bodies sleep after sleep_s; 0: none do. Only with implicit contact.")
          .checked([](const TomlTable& table, const D& d) {
            if (d.sleep_speed > 0.0 && d.implicit_contact == false) {
              table.refuse("sleep_speed", "found together with contact = \"explicit\"",
                           "contact = \"implicit\"");
            }
          }),
      key("sleep_s", &D::sleep_s, NumberRange::between(0.05, 60.0, "s"),
          "Time below sleep_speed after which bodies sleep; only with sleep_speed.")
          .only_if([](const D& d) { return d.sleep_speed > 0.0; }, "found without sleep_speed",
                   "sleep_speed > 0"),
      key("displacement_limit", &D::displacement_limit, NumberRange::positive("m"),
          "Root-mean-square displacement of a body beyond which its step is a fault.")
          .absent("ten times the body's diameter"),
  });
  return keys;
}

}  // namespace haptic::solids
