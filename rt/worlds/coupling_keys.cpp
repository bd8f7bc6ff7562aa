#include "rt/worlds/coupling_keys.h"

#include <utility>

#include "rt/worlds/coupling_parameters.h"
#include "rt/worlds/scene_tables.h"

namespace haptic {
namespace {

using H = HeldBodySettings;
using P = PassivitySettings;

DeclaredKey<H> for_static(DeclaredKey<H> key) {
  return std::move(key).only_if([](const H& h) { return h.mode == CouplingMode::kStatic; },
                                "found a key of the static mode", "none with \"dynamic\"");
}

DeclaredKey<H> for_dynamic(DeclaredKey<H> key) {
  return std::move(key).only_if([](const H& h) { return h.mode == CouplingMode::kDynamic; },
                                "found a key of the dynamic mode", "mode = \"dynamic\" with it");
}

}  // namespace

const KeySchema<HeldBodySettings>& coupling_keys() {
  static const KeySchema<H> keys({
      key("mode", &H::mode,
          {{"static", CouplingMode::kStatic}, {"dynamic", CouplingMode::kDynamic}},
          "Whether the held body follows the hand without mass, or as a mass on spring and "
          "damper."),
      key("grasp", &H::grasp, NumberRange::between(-1e6, 1e6, "m"),
          "Point that the hand holds, in the frame of the held body."),
      key("stiffness", &H::stiffness, range_of(kCouplingParameters[kCouplingStiffness], "N/m"),
          "Stiffness of the coupling, simulated; the hand feels it times length_scale.")
          .sets("coupling.stiffness"),
      key("rotational_stiffness", &H::rotational_stiffness,
          range_of(kCouplingParameters[kCouplingRotationalStiffness], "N·m/rad"),
          "Rotational stiffness of the coupling for small angles.")
          .sets("coupling.rotational_stiffness"),
      for_static(key("static_damping", &H::static_damping,
                     range_of(kCouplingParameters[kCouplingStaticDamping], ""),
                     "Part of each Newton step that is not taken; only with mode = "
                     "\"static\"."))
          .absent("0.5; 0 in the air, with implicit contact")
          .sets("coupling.static_damping"),
      for_static(key("limit_cycle_guard", &H::limit_cycle_guard,
                     "Whether steps are shortened while the body oscillates from step to step; "
                     "only with mode = \"static\".")),
      for_dynamic(key("mass", &H::mass, NumberRange::positive("kg"),
                      "Mass of the held body; only with mode = \"dynamic\".")),
      for_dynamic(key("inertia", &H::inertia, NumberRange::positive("kg m^2"),
                      "Moment of inertia about the grasp; only with mode = \"dynamic\"."))
          .absent("that of a solid ball of the bounding radius"),
      for_dynamic(key("damping_ratio", &H::damping_ratio, NumberRange::non_negative(),
                      "Damping of the coupling over critical damping; only with mode = "
                      "\"dynamic\".")),
      key("max_speed", &H::max_speed, NumberRange::positive("m/s"),
          "Speed of the hand that the held body can follow; it lags behind a faster hand.")
          .absent("0.6; none in worlds \"condensed\" and \"cloth\""),
      key("max_angular_speed", &H::max_angular_speed, NumberRange::positive("rad/s"),
          "Angular speed of the hand that the held body can follow.")
          .absent("6.283185307 (2 pi); none in worlds \"condensed\" and \"cloth\""),
      key("permitted_depth", &H::permitted_depth, NumberRange::positive("m"),
          "Depth of one point at which the simulated coupling saturates.")
          .absent("none: limits.force and limits.torque; one voxel with explicit contact"),
      key("contact_gradient", &H::contact_gradient,
          {{"mirror", ContactGradient::kMirror}, {"direct", ContactGradient::kDirect}},
          "Derivative of the contact wrench that contacts without the key gradient use; direct "
          "only with explicit contact."),
      key("saturation_gradient", &H::saturation_gradient,
          {{"secant", SaturationGradient::kSecant}, {"tangent", SaturationGradient::kTangent}},
          "Stiffness of a saturated coupling in the Newton step; tangent only with explicit "
          "contact."),
      key("max_stiffness", &H::max_stiffness, NumberRange::positive("N/m"),
          "Largest stiffness at the hand; not with limit_to_device.")
          .absent("no limit"),
      key("limit_to_device", &H::limit_to_device,
          "Whether the device's stiffness rating limits the stiffness at the hand.")
          .checked([](const TomlTable& table, const H& h) {
            if (h.limit_to_device && table.has("max_stiffness")) {
              table.refuse("max_stiffness", "found max_stiffness together with limit_to_device",
                           "one of the two");
            }
          }),
      key("clutch_button", &H::clutch_button, IntegerRange{0, 31},
          "Bit of the device's button that lets the hand move without the held body.")
          .absent("no clutch"),
      key("clutch_fade_s", &H::clutch_fade_s, NumberRange::non_negative("s"),
          "Time from the release of the clutch to full force; only with clutch_button.")
          .only_if([](const H& h) { return h.clutch_button.has_value(); }, "found no clutch",
                   "clutch_button = 0..31 with it"),
  });
  return keys;
}

const KeySchema<PassivitySettings>& passivity_keys() {
  static const KeySchema<P> keys(
      {
          key("enabled", &P::enabled, "Whether damping is added.").absent("true"),
          key("reference", &P::reference,
              {{"stored", PassivityReference::kStored}, {"zero", PassivityReference::kZero}},
              "Energy below which damping acts: what the coupling stores, or zero."),
          key("max_damping", &P::max_damping, NumberRange::non_negative("N s/m"),
              "Largest damping that is added; for rotations times the square of length."),
          key("device_damping", &P::device_damping, NumberRange::non_negative("N s/m"),
              "Damping of the device itself, which covers a part of the deficit."),
          key("length", &P::length, NumberRange::positive("m"),
              "Lever arm at which rotations count as motion."),
          key("tolerance", &P::tolerance, NumberRange::non_negative("J"),
              "Deficit of energy up to which no damping is added."),
          key("max_surplus", &P::max_surplus, NumberRange::non_negative("J"),
              "Largest surplus of energy that is kept for later.")
              .absent("no limit"),
          key("max_deficit", &P::max_deficit, NumberRange::non_negative("J"),
              "Deficit of energy above which the excess is discarded."),
      },
      [](const TomlTable& table, P& p) { p.enabled = p.enabled || !table.has("enabled"); });
  return keys;
}

}  // namespace haptic
