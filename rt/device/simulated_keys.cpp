#include "rt/device/simulated_keys.h"

#include <filesystem>
#include <string>
#include <utility>

namespace haptic {
namespace {

using S = SimulatedSettings;

const KeyWords<HandKind>& hand_words() {
  static const KeyWords<HandKind> words{{"scripted", HandKind::kScripted},
                                        {"spring-damper", HandKind::kSpringDamper},
                                        {"free", HandKind::kFree},
                                        {"steered", HandKind::kSteered}};
  return words;
}

std::string found_hand(const S& s) {
  return "found a property that a " + key_value::text(s.hand.kind, hand_words()) +
         " hand does not have";
}

DeclaredKey<S> for_moving_hand(DeclaredKey<S> key) {
  return std::move(key).only_if([](const S& s) { return s.hand.kind != HandKind::kScripted; },
                                found_hand, "hand = \"spring-damper\" or \"free\" with it");
}

bool has_size(const DeviceFault& fault) {
  return fault.kind == DeviceFaultKind::kJump || fault.kind == DeviceFaultKind::kLate ||
         fault.kind == DeviceFaultKind::kOld;
}

const KeySchema<DeviceFault>& fault_keys() {
  using F = DeviceFault;
  constexpr double kMax = F::kMaxValue;
  constexpr NumberRange kTime = NumberRange::between(0.0, kMax, "s");
  static const KeySchema<F> keys({
      key("kind", &F::kind, words_in_order<DeviceFaultKind>(kDeviceFaultNames), "Which fault.")
          .required(),
      key("at", &F::at, kTime, "Time of the fault, counted from the first exchange.").required(),
      key("lasts", &F::lasts, kTime, "Duration of the fault.").absent("0; one exchange"),
      DeclaredKey<F>({.path = "size",
                      .kind = KeyKind::kNumber,
                      .unit = "m or s",
                      .range = range_text(NumberRange::between(-kMax, kMax)),
                      .meaning = "Offset of a jump [m], delay of late or age of old [s], which are "
                                 ">= 0; only for these.",
                      .numbers = NumberRange::between(-kMax, kMax)},
                     [kTime](const TomlTable& table, F& fault) {
                       const bool jump = fault.kind == DeviceFaultKind::kJump;
                       fault.size = table.number(
                           "size", jump ? NumberRange::between(-kMax, kMax, "m") : kTime);
                     })
          .required_if([](const TomlTable&, const F& fault) { return has_size(fault); },
                       "required for jump, late and old")
          .only_if(has_size, "found a size of a fault that has none",
                   "kind = \"jump\", \"late\" or \"old\""),
  });
  return keys;
}

}  // namespace

const KeySchema<SimulatedSettings>& simulated_keys() {
  static const KeySchema<S> keys(
      {
          key("script", &S::script,
              "CSV file with the poses of the hand over time; not for a steered hand.")
              .absent("a hand at rest"),
          key_of<S>(
              "hand", inner(&S::hand, &HandSettings::kind), hand_words(),
              "How the hand moves: exactly on the script, pulled to it and pushed by the force, as "
              "a free handle, or pulled to a target that an operator moves.")
              .sets("hand.x hand.y hand.z hand.rx hand.ry hand.rz")
              .checked([](const TomlTable& table, const S& s) {
                if (s.hand.kind == HandKind::kSteered && table.has("script")) {
                  table.refuse("script", found_hand(s), "hand = \"spring-damper\" with it");
                }
              }),
          for_moving_hand(key_of<S>("mass", inner(&S::hand, &HandSettings::mass),
                                    NumberRange::positive("kg"),
                                    "Mass of hand and handle; not for a scripted hand.")),
          for_moving_hand(key_of<S>("stiffness", inner(&S::hand, &HandSettings::stiffness),
                                    NumberRange::non_negative("N/m"),
                                    "Spring that pulls the hand to its script or target; for "
                                    "spring-damper and steered."))
              .only_if([](const S& s) { return s.hand.kind != HandKind::kFree; }, found_hand,
                       "hand = \"spring-damper\" with it"),
          for_moving_hand(key_of<S>(
              "damping", inner(&S::hand, &HandSettings::damping),
              NumberRange::non_negative("N s/m"),
              "Damper of the hand, of a free handle that of the device; not for a scripted "
              "hand.")),
          for_moving_hand(key_of<S>("push", inner(&S::hand, &HandSettings::push),
                                    NumberRange::any("N"),
                                    "Constant force on a free handle, device frame."))
              .only_if([](const S& s) { return s.hand.kind == HandKind::kFree; }, found_hand,
                       "hand = \"free\" with it"),
          key_of<S>("encoder_step", inner(&S::encoder, &EncoderSettings::step),
                    NumberRange::non_negative("m"),
                    "Step to which each coordinate of the position is rounded; 0: exact."),
          key_of<S>("encoder_angle", inner(&S::encoder, &EncoderSettings::angle),
                    NumberRange::non_negative("rad"),
                    "Step to which each component of the rotation vector is rounded; 0: exact."),
          key_of<S>(
              "saturation",
              inner(&S::hardware, &SimulatedHardware::amplifier, &AmplifierSettings::saturation),
              NumberRange::positive("N"),
              "Largest force of the simulated amplifier along each axis.")
              .absent("none"),
          key_of<S>("delay",
                    inner(&S::hardware, &SimulatedHardware::amplifier, &AmplifierSettings::delay_s),
                    NumberRange::between(0.0, 1.0, "s"),
                    "Time from a command to its force, in whole exchanges."),
          key_of<S>(
              "watch_speed", inner(&S::hardware, &SimulatedHardware::watch, &HandleWatch::speed),
              NumberRange::positive("m/s"),
              "Speed above which a change of the position is taken for a jump of an encoder, a "
              "fault.")
              .absent("none"),
          key_of<S>(
              "watch_stuck_s",
              inner(&S::hardware, &SimulatedHardware::watch, &HandleWatch::stuck_s),
              NumberRange::positive("s"),
              "Time without any change under watch_stuck_force after which an encoder is taken for "
              "stuck, a fault.")
              .absent("none"),
          key_of<S>("watch_stuck_force",
                    inner(&S::hardware, &SimulatedHardware::watch, &HandleWatch::stuck_torque),
                    NumberRange::positive("N"),
                    "Least force under which an unchanged position counts for watch_stuck_s.")
              .absent("none"),
          tables_of<S>("faults", inner(&S::hardware, &SimulatedHardware::faults), fault_keys(),
                       "Faults that the device produces at given times."),
          key_of<S>("enable_button", inner(&S::hardware, &SimulatedHardware::enable_button),
                    IntegerRange{0, 31},
                    "Bit of the button that must be held to run; the simulated hand holds it.")
              .absent("none"),
      },
      [](const TomlTable&, S& s) {
        if (s.script.empty()) return;
        s.script = std::filesystem::absolute(s.script).lexically_normal();
      });
  return keys;
}

}  // namespace haptic
