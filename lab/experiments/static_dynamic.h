#pragma once

#include "lab/experiments/condensed_case.h"
#include "lab/experiments/experiment.h"

namespace haptic {

/// The cube and the hand of scenes/condensed, and what they are compared with.
struct StaticDynamicCases {
  CondensedCase cube, hand;  ///< as shipped: single precision, 10 and 15 modes
  CondensedCase exact_cube;  ///< double precision, 30 modes
  CondensedCase exact_hand;
};

inline constexpr condensed::ModalCoupling kBothMethods[] = {
    condensed::ModalCoupling::kStaticsDriveDynamics, condensed::ModalCoupling::kMultipliers};

inline const char* name_of_method(condensed::ModalCoupling coupling) {
  return coupling == condensed::ModalCoupling::kMultipliers ? "method 2" : "method 1";
}

/// Largest stable step of method 1 with these contacts, as StabilityLimit computes it [s].
double computed_limit(const CondensedModel& model, std::size_t modes, RayleighDamping damping,
                      std::span<const condensed::ContactRow> rows);

/// Microseconds of a step by every solver, beside Sedaghat 2011, table 6-3.
void report_costs(Experiment& experiment, const StaticDynamicCases& cases);
/// Microseconds of the world's step with a stylus, at 1 kHz.
void report_world_steps(Experiment& experiment, const std::filesystem::path& folder);
/// Both methods at rest against full statics.
void report_static_limit(Experiment& experiment, const StaticDynamicCases& cases);
/// How far the two methods are apart, against the step.
void report_agreement(Experiment& experiment, const CondensedCase& cube);
/// Largest stable step of method 1, measured and computed, against the number of modes.
void report_stability(Experiment& experiment, const CondensedCase& cube);
/// Energy over many steps of free motion and of a held contact.
void report_energy(Experiment& experiment, const CondensedCase& cube);
/// Full statics, modes alone and both coupled on a poked cube; a hand that is bent and poked.
void draw_deformations(Experiment& experiment, const StaticDynamicCases& cases);
/// A dent by the condensed body and by a reduced body on the same mesh, under the same force.
void compare_dents(Experiment& experiment, const CondensedCase& cube);

/// Condensed nodes on which the experiments press.
inline const Vector3 kCubeTop{0.0, 0.05, 0.0};       ///< near the middle of the upper face
inline const Vector3 kHandPalm{0.06, 0.02, 0.0};     ///< near the middle of the palm
inline const Vector3 kHandFinger{0.175, 0.02, 0.0};  ///< near the tip of the middle finger

}  // namespace haptic
