// Statics for local detail, modes for global motion: what a step costs by each method and by the
// solvers that they replace, where they agree, where method 1 is stable, what they look like, and
// the same dent by a reduced body (docs/methods/static-dynamic.md; Sedaghat 2011, chapter 6).
#include "lab/experiments/static_dynamic.h"

namespace haptic {
namespace {

void compare_methods(Experiment& experiment) {
  const std::filesystem::path folder = experiment.path("models", "");
  const auto precise = CompliancePrecision::kDouble;
  const StaticDynamicCases cases{.cube = CondensedCase("cube", folder, "cube", {.modes = 10}),
                                 .hand = CondensedCase("hand", folder, "hand", {.modes = 15}),
                                 .exact_cube = CondensedCase("cube", folder, "exact_cube",
                                                             {.modes = 30, .precision = precise}),
                                 .exact_hand = CondensedCase("hand", folder, "exact_hand",
                                                             {.modes = 30, .precision = precise})};
  report_costs(experiment, cases);
  report_world_steps(experiment, folder);
  report_static_limit(experiment, cases);
  report_agreement(experiment, cases.exact_cube);
  report_stability(experiment, cases.exact_cube);
  report_energy(experiment, cases.exact_cube);
  compare_dents(experiment, cases.exact_cube);
  draw_deformations(experiment, cases);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "static_dynamic",
                                "Condensed statics coupled with modal dynamics, by both methods",
                                haptic::compare_methods);
}
