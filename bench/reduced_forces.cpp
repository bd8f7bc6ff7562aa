// Reduced force and stiffness in one pass over the distinct coefficients, and a whole Newmark step,
// beside the classical packed form: cubic force and quadratic stiffness, each one GEMV (design
// section 8). Arbitrary coefficients: the work does not depend on their values.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "rt/dynamics/newmark_integrator.h"
#include "tests/oracle/packed_polynomials.h"
#include "tests/rt/dynamics/random_energy.h"

namespace haptic {
namespace {

/// A convex energy, so that the integrator's matrix is positive definite: the Cholesky path.
RandomCoefficients convex_coefficients(std::uint32_t r) {
  RandomCoefficients c(r);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < r; ++i) {
    for (std::uint32_t j = i; j < r; ++j) c.quadratic[at++] = i == j ? 1e4 : 0.0;
  }
  return c;
}

void distinct_force_and_stiffness(benchmark::State& state) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const ReducedEnergy energy = convex_coefficients(r).energy();
  ReducedEnergy::Workspace workspace(r);
  Eigen::VectorXd q = random_state(r, 1), force(r);
  Eigen::MatrixXd stiffness(r, r);
  for (auto _ : state) {
    energy.force_and_stiffness({q.data(), r}, {force.data(), r},
                               {stiffness.data(), static_cast<std::size_t>(stiffness.size())},
                               workspace);
    benchmark::DoNotOptimize(stiffness.data());
    benchmark::ClobberMemory();
  }
  state.counters["coefficients"] =
      static_cast<double>(distinct_count(r, 2) + distinct_count(r, 3) + distinct_count(r, 4));
}

void packed_force_and_stiffness(benchmark::State& state) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const RandomCoefficients c = convex_coefficients(r);
  const PackedPolynomials packed(r, c.quadratic, c.cubic, c.quartic);
  const Eigen::VectorXd q = random_state(r, 1);
  Eigen::VectorXd force_terms(packed.force_coefficients.cols());
  Eigen::VectorXd stiffness_terms(packed.stiffness_coefficients.cols());
  Eigen::VectorXd force(r), stiffness(packed.stiffness_coefficients.rows());
  for (auto _ : state) {
    force_monomials(q, force_terms);
    stiffness_monomials(q, stiffness_terms);
    force.noalias() = packed.force_coefficients * force_terms;
    stiffness.noalias() = packed.stiffness_coefficients * stiffness_terms;
    benchmark::DoNotOptimize(force.data());
    benchmark::DoNotOptimize(stiffness.data());
    benchmark::ClobberMemory();
  }
  state.counters["coefficients"] = static_cast<double>(packed.byte_count() / sizeof(double));
}

void strain_energy(benchmark::State& state) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const ReducedEnergy energy = convex_coefficients(r).energy();
  const Eigen::VectorXd q = random_state(r, 1);
  for (auto _ : state) benchmark::DoNotOptimize(energy.energy({q.data(), r}));
}

/// One Newmark step; with an argument, the caches are swept before each step, as contact does.
void newmark_step(benchmark::State& state, bool cold) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const ReducedEnergy energy = convex_coefficients(r).energy();
  NewmarkIntegrator integrator(energy, 1e-3, {0.5, 1e-4});
  const Eigen::VectorXd f = random_state(r, 2, 1e-3);
  std::vector<double> sweep(cold ? (std::size_t{4} << 20) / sizeof(double) : 0, 1.0);
  for (auto _ : state) {
    if (cold) {
      state.PauseTiming();
      for (double& x : sweep) x += 1.0;
      benchmark::DoNotOptimize(sweep.data());
      state.ResumeTiming();
    }
    if (integrator.step({f.data(), r}) != StepResult::kOk) {
      state.SkipWithError("diverged");
      break;
    }
  }
}

void newmark_step_warm(benchmark::State& state) {
  newmark_step(state, false);
}
void newmark_step_cold_l2(benchmark::State& state) {
  newmark_step(state, true);
}

void dimensions(benchmark::internal::Benchmark* b) {
  for (int r : {10, 12, 15, 20, 25, 30}) b->Arg(r);
  b->ArgName("r")->Unit(benchmark::kMicrosecond);
}

BENCHMARK(distinct_force_and_stiffness)->Apply(dimensions);
BENCHMARK(packed_force_and_stiffness)->Apply(dimensions);
BENCHMARK(strain_energy)->Apply(dimensions);
BENCHMARK(newmark_step_warm)->Apply(dimensions);
BENCHMARK(newmark_step_cold_l2)->Apply(dimensions);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
