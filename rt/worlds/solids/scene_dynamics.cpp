#include <cstdint>

#include "rt/worlds/solids/solids_tables.h"

namespace haptic::solids {
namespace {

constexpr std::int64_t kLargestCapacity = 1'000'000;  // contacts: 1 GB of rows
/// A body at the top of its flight is slower than this for 20 ms, and must not stay there.
constexpr double kLargestSleepSpeed = 0.1;  // m/s
constexpr double kLeastSleep_s = 0.05;
constexpr std::int64_t kLargestPairCapacity = 20'000;  // as many pairs as without it

}  // namespace

BodyDynamics read_dynamics(const TomlTable& table) {
  BodyDynamics d;
  const std::string integrator =
      table.choice("integrator", {"newmark", "central-differences", "modal"}, "newmark");
  if (integrator == "central-differences") d.integrator = DynamicsIntegrator::kCentralDifferences;
  if (integrator == "modal") d.integrator = DynamicsIntegrator::kModal;
  if (const auto iterations = table.optional_integer("newton_iterations", 1, 100)) {
    if (d.integrator != DynamicsIntegrator::kNewmark) {
      table.refuse("newton_iterations",
                   "found together with an integrator without a Newton iteration",
                   "integrator = \"newmark\"");
    }
    d.newton_iterations = static_cast<std::uint32_t>(*iterations);
  }
  if (table.has("contact")) {
    d.implicit_contact =
        table.choice("contact", {"implicit", "explicit"}, "implicit") == "implicit";
  }
  if (const auto capacity = table.optional_integer("contact_capacity", 16, kLargestCapacity)) {
    if (d.implicit_contact == false) {
      table.refuse("contact_capacity", "found together with contact = \"explicit\"",
                   "contact = \"implicit\"");
    }
    d.contact_capacity = static_cast<std::uint32_t>(*capacity);
  }
  if (const auto capacity = table.optional_integer("pair_capacity", 1, kLargestPairCapacity)) {
    d.pair_capacity = static_cast<std::uint32_t>(*capacity);
  }
  d.acceleration_limit =
      table.optional_number("acceleration_limit", NumberRange::positive("m kg^1/2 / s^2"));
  if (d.acceleration_limit && d.integrator != DynamicsIntegrator::kNewmark) {
    table.refuse("acceleration_limit",
                 "found together with an integrator that does not cut its steps",
                 "integrator = \"newmark\"");
  }
  d.material_ramp_s =
      table.number("material_ramp_s", NumberRange::between(0.0, 60.0, "s"), d.material_ramp_s);
  d.sleep_speed =
      table.number("sleep_speed", NumberRange::between(0.0, kLargestSleepSpeed, "m/s"), 0.0);
  if (table.has("sleep_s") && d.sleep_speed == 0.0) {
    table.refuse("sleep_s", "found without sleep_speed", "sleep_speed > 0");
  }
  d.sleep_s = table.number("sleep_s", NumberRange::between(kLeastSleep_s, 60.0, "s"), d.sleep_s);
  if (d.sleep_speed > 0.0 && d.implicit_contact == false) {
    table.refuse("sleep_speed", "found together with contact = \"explicit\"",
                 "contact = \"implicit\"");
  }
  d.displacement_limit = table.optional_number("displacement_limit", NumberRange::positive("m"));
  table.finish();
  return d;
}

}  // namespace haptic::solids
