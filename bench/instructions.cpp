// A number of Newmark steps and nothing else, for callgrind: bench/instruction_counts.sh.
#include <cstdio>
#include <cstdlib>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/newmark_integrator.h"

int main(int argc, char** argv) {
  using namespace haptic;
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s R STEPS\n", argv[0]);
    return 2;
  }
  const auto r = static_cast<std::uint32_t>(std::atoi(argv[1]));
  RandomCoefficients c(r);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < r; ++i) {
    for (std::uint32_t j = i; j < r; ++j) c.quadratic[at++] = i == j ? 1e4 : 0.0;
  }
  const ReducedEnergy energy = c.energy();
  NewmarkIntegrator integrator(energy, 1e-3, {0.5, 1e-4});
  const Eigen::VectorXd f = random_state(r, 2, 1e-3);
  for (int step = std::atoi(argv[2]); step > 0; --step) {
    if (integrator.step({f.data(), r}) != StepResult::kOk) return 1;
  }
  return 0;
}
