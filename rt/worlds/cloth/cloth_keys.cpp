#include "rt/worlds/cloth/cloth_keys.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace haptic::cloth {
namespace {

using S = ClothSettings;

constexpr NumberRange kAir = NumberRange::between(-S::kMaxAirSpeed, S::kMaxAirSpeed, "m/s");
constexpr NumberRange kPerArea = NumberRange::between(0.0, S::kMaxDragPerArea, "N s/m^3");

bool is_runge_kutta(const S& s) {
  return s.method == ClothMethod::kEuler || s.method == ClothMethod::kMidpoint ||
         s.method == ClothMethod::kRungeKutta4;
}

std::string found_integrator(const S& s) {
  return fmt::format("found together with integrator = \"{}\"",
                     kClothMethods[static_cast<std::size_t>(s.method)]);
}

DeclaredKey<S> for_solvers(DeclaredKey<S> key) {
  return std::move(key).only_if(
      &S::has_solver, found_integrator,
      "implicit-euler, adaptive-imex or bdf2, which have a linear solver");
}

DeclaredKey<S> for_implicit_contact(DeclaredKey<S> key) {
  return std::move(key).only_if(&S::implicit_contact, found_integrator,
                                "implicit-euler, with which the cloth touches bodies");
}

DeclaredKey<S> for_strain_limit(DeclaredKey<S> key) {
  return std::move(key).only_with("strain_limit", "strain_limit, the largest strain");
}

DeclaredKey<S> for_point(DeclaredKey<S> key) {
  return std::move(key).only_if([](const S& s) { return s.hand == S::Hand::kPoint; },
                                "found together with hand = \"tool\"", "hand = \"point\"");
}

const KeySchema<S>& cloth_table() {
  static const KeySchema<S> keys(
      {
          key("body", &S::body_name, "Name of the anchored body that is the cloth.")
              .absent("the only anchored body with a model"),
          key("integrator", &S::method, words_in_order<ClothMethod>(kClothMethods),
              "How the cloth is advanced in time; only implicit-euler touches bodies and tools."),
          key("substeps", &S::substeps, IntegerRange{1, 64},
              "Steps of the cloth in a step of the world."),
          for_solvers(key("iterations", &S::iterations, IntegerRange{1, 1000},
                          "Most iterations of the linear solver in a solution; for "
                          "implicit-euler, adaptive-imex and bdf2.")),
          key("passes", &S::passes, IntegerRange{1, 64},
              "Most solutions of a step, each for the contacts that pressed at the end of the "
              "last; for implicit-euler.")
              .only_if(&S::implicit_contact, found_integrator,
                       "implicit-euler, which solves contacts"),
          for_solvers(key("tolerance", &S::tolerance, NumberRange::between(1e-14, 0.5),
                          "Relative residual at which the linear solver ends; for implicit-euler, "
                          "adaptive-imex and bdf2.")),
          key("step_tolerance", &S::step_tolerance, NumberRange::positive("m"),
              "Largest difference of a step from two halves, which controls the step; for euler, "
              "midpoint and rk4.")
              .absent("fixed step")
              .only_if(is_runge_kutta, found_integrator,
                       "euler, midpoint or rk4, whose step it controls"),
          key("drag", &S::drag, NumberRange::between(0.0, S::kMaxDrag, "kg/s"),
              "Drag of the air on each particle.")
              .sets("cloth.drag"),
          key("drag_per_area", &S::drag_per_area, kPerArea,
              "Drag of the air by area of the cloth, whatever its grid; not with drag.")
              .not_with("drag")
              .sets("cloth.drag_per_area"),
          key("wind", &S::wind, kAir, "Velocity of the air, world axes.")
              .sets("cloth.wind_x cloth.wind_y cloth.wind_z"),
          key("wind_pressure", &S::wind_pressure, NumberRange::between(0.0, 1e3, "kg/m^3"),
              "Pressure of the wind over the square of its normal velocity: half the density of "
              "air."),
          key("gust", &S::gust, kAir, "Direction and strength of gusts, world axes."),
          key("gust_coefficient", &S::gust_coefficient, NumberRange::between(0.0, 1e3, "kg/s"),
              "Force of gusts on each particle over gust."),
          key("gust_per_area", &S::gust_per_area, kPerArea,
              "Force of gusts by area of the cloth over gust; not with gust_coefficient.")
              .not_with("gust_coefficient"),
          key("gust_period", &S::gust_period, NumberRange::between(0.1, 100.0, "s"),
              "Time after which gusts repeat backwards."),
          key("strain_limit", &S::strain_limit, NumberRange::between(0.0, 10.0),
              "Largest strain of the threads, approached by sweeps after each step.")
              .absent("no limit"),
          for_strain_limit(
              key("strain_least", &S::strain_least, NumberRange::between(0.0, 1.0),
                  "Least length of a thread over that at rest; only with strain_limit.")),
          for_strain_limit(key("strain_sweeps", &S::strain_sweeps, IntegerRange{1, 100},
                               "Sweeps over the threads after each step; only with "
                               "strain_limit.")),
          for_strain_limit(
              key("strain_order", &S::strain_ordered,
                  {{"springs", false}, {"most-stretched-first", true}},
                  "Order in which a sweep corrects the threads; only with strain_limit.")),
          key("thickness", &S::thickness, NumberRange::positive_up_to(1.0, "m"),
              "Thickness of the cloth in contact; with self_contact below the distances at rest."),
          key("self_contact", &S::self_contact, "Whether layers of the cloth are kept apart."),
      },
      [](const TomlTable& table, S& s) {
        if (table.has("gust_per_area")) s.gust_coefficient = 0.0;
      });
  return keys;
}

const KeySchema<SceneWindShadow>& wind_shadow_keys() {
  static const KeySchema<SceneWindShadow> keys(
      {key("body", &SceneWindShadow::name,
           "Name of an anchored body of finite extent; in the lee of the sphere around it is no "
           "wind.")
           .required()});
  return keys;
}

const KeySchema<S>& contact_table() {
  static const KeySchema<S> keys(
      {
          for_implicit_contact(key("stiffness", &S::contact_stiffness,
                                   NumberRange::between(0.0, S::kMaxStiffness, "N/m"),
                                   "Stiffness of each point that touches; only with integrator = "
                                   "\"implicit-euler\"."))
              .not_with("foundation", "one of the two: of each point, or of each area")
              .sets("contact.stiffness"),
          for_implicit_contact(
              key("foundation", &S::contact_stiffness,
                  NumberRange::positive_up_to(S::kMaxFoundation, "N/m^3"),
                  "In place of stiffness: of each area that touches, the same for a cloth of any "
                  "grid; only with integrator = \"implicit-euler\"."))
              .absent("none"),
          key("friction", &S::contact_friction, NumberRange::between(0.0, S::kMaxFriction),
              "Coulomb's coefficient of friction; haptic set changes that with bodies and a tool.")
              .sets("contact.friction"),
          key("capacity", &S::contact_capacity,
              IntegerRange{1, static_cast<std::int64_t>(S::kMaxContacts)},
              "Largest number of contacts with a body in a step; those that store most are kept."),
      },
      [](const TomlTable& table, S& s) { s.contact_foundation = table.has("foundation"); });
  return keys;
}

const KeySchema<S>& touch_table() {
  static const KeySchema<S> keys({
      key("hand", &S::hand, {{"tool", S::Hand::kTool}, {"point", S::Hand::kPoint}},
          "Whether the hand holds the held body as a rigid tool, or a point."),
      for_point(key("radius", &S::touch_radius, NumberRange::positive_up_to(0.1, "m"),
                    "Radius of the point; only with hand = \"point\".")),
      for_point(key("friction", &S::touch_friction, NumberRange::between(0.0, S::kMaxFriction),
                    "Friction of the point on the cloth; only with hand = \"point\".")),
      for_point(key("shading", &S::shading,
                    {{"none", S::Shading::kNone},
                     {"interpolated", S::Shading::kInterpolated},
                     {"sub-proxy", S::Shading::kSubProxy}},
                    "How the force is smoothed across edges of triangles; only with hand = "
                    "\"point\".")),
      for_point(key("grab_button", &S::grab_button, IntegerRange{0, 31},
                    "Bit of the device's button that grabs the cloth; only with hand = "
                    "\"point\".")),
      for_point(key("grab_force", &S::grab_force, NumberRange::positive("N"),
                    "Force with which pressing grabs the cloth; only with hand = \"point\".")),
      for_point(key("grab_s", &S::grab_s, NumberRange::between(0.01, 10.0, "s"),
                    "Time for which grab_force must press; only with grab_force."))
          .only_with("grab_force", "grab_force, which grabs by pressing"),
      for_point(key("grab_reach", &S::grab_reach, NumberRange::positive("m"),
                    "Distance of the farthest particle that is grabbed; only with grab_button or "
                    "grab_force."))
          .only_if([](const S& s) { return s.grab_force || s.grab_button; },
                   "found without grab_button and grab_force", "one of the two"),
      for_point(key("slip_force", &S::slip_force, NumberRange::positive("N"),
                    "Force at which what pressing has grabbed slips out; only with grab_force."))
          .only_with("grab_force", "grab_force, which grabs by pressing"),
  });
  return keys;
}

}  // namespace

const KeySchema<SceneClothConstraint>& cloth_constraint_keys() {
  using C = SceneClothConstraint;
  using Kind = C::Kind;
  const auto is = [](Kind kind) { return [kind](const C& c) { return c.kind == kind; }; };
  constexpr NumberRange kPlace = NumberRange::between(-1e3, 1e3, "m");
  constexpr NumberRange kDirection = NumberRange::between(-1e3, 1e3);
  const auto box = [](C& c) -> C::Box& { return c.within ? *c.within : c.within.emplace(); };
  static const KeySchema<C> keys(
      {
          key("kind", &C::kind,
              {{"pin", Kind::kPin},
               {"plane", Kind::kPlane},
               {"line", Kind::kLine},
               {"sphere", Kind::kSphere},
               {"follow", Kind::kFollow}},
              "Whether particles stay at their place, in a plane, on a line, at their distance "
              "from a centre, or are shaken."),
          key("particles", &C::particles, IntegerRange{0, 0xffffffffLL},
              "Numbers of the particles, from 0.")
              .absent("required, or set, or low and high")
              .checked([](const TomlTable& table, const C& c) {
                if (c.particles.empty()) {
                  table.refuse("particles", "found none", "numbers of particles");
                }
              }),
          key("set", &C::set,
              {{"corners", "corners"},
               {"bottom", "bottom"},
               {"top", "top"},
               {"left", "left"},
               {"right", "right"},
               {"bottom-corners", "bottom-corners"},
               {"top-corners", "top-corners"},
               {"left-corners", "left-corners"},
               {"right-corners", "right-corners"}},
              "Border of a grid, or its ends; left is low x, bottom low y.")
              .absent("required, or particles, or low and high"),
          key_of<C>(
              "low", [box](C& c) -> Vector3& { return box(c).low; }, kPlace,
              "Lower corner of the box whose particles at rest are held, frame of the "
              "model.")
              .required_with("high", "required, or particles or set"),
          key_of<C>(
              "high", [box](C& c) -> Vector3& { return box(c).high; }, kPlace,
              "Upper corner of the box whose particles at rest are held, frame of the "
              "model.")
              .required_with("low", "required, or particles or set"),
          key("normal", &C::direction, kDirection, "Normal of the plane, world axes.")
              .required_where(is(Kind::kPlane), "required for a plane"),
          key("direction", &C::direction, kDirection, "Direction of the line, world axes.")
              .required_where(is(Kind::kLine), "required for a line"),
          key("centre", &C::centre, kPlace, "Centre of the sphere, world.")
              .required_where(is(Kind::kSphere), "required for a sphere"),
          key("amplitude", &C::amplitude, NumberRange::between(-10.0, 10.0, "m"),
              "Amplitude of the sinusoidal motion that is followed, world axes.")
              .required_where(is(Kind::kFollow), "required to follow"),
          key("frequency", &C::frequency, NumberRange::between(0.0, 100.0, "Hz"),
              "Frequency of the motion that is followed.")
              .required_where(is(Kind::kFollow), "required to follow"),
      },
      [](const TomlTable& table, C& c) {
        const int selections = int(!c.particles.empty()) + int(!c.set.empty()) + int(!!c.within);
        if (selections != 1) {
          table.refuse(
              "", fmt::format("found {} ways to name particles", selections),
              "one of: particles, their numbers; set, a border of the grid; low and high, a box");
        }
        if (c.kind == Kind::kPlane || c.kind == Kind::kLine) {
          if (!(c.direction.norm() > 1e-9)) {
            table.refuse(c.kind == Kind::kPlane ? "normal" : "direction", "found no direction",
                         "a vector");
          }
          c.direction.normalize();
        }
      });
  return keys;
}

const KeySchema<ClothSettings>& cloth_keys() {
  static const KeySchema<S> keys({
      table("cloth", cloth_table(), "The cloth, how it is advanced, and the air."),
      tables("wind_shadow", &S::wind_shadows, wind_shadow_keys(),
             "A body that keeps the wind off the cloth."),
      tables("constraint", &S::constraints, cloth_constraint_keys(),
             "Holds particles, which particles, set, or low and high name."),
      table("contact", contact_table(),
            "Contact of the cloth with bodies, with a tool and with itself."),
      table("touch", touch_table(), "What the hand holds, and how a point touches the cloth.")
          .absent("a tool"),
  });
  return keys;
}

}  // namespace haptic::cloth
