// Coupling: microseconds per 6x6 step and per coupling cycle (docs/methods/contact-and-coupling.md,
// A60: Barbic 2007 gives 5 us for LU and 30 us with the SVD, on a PC of 2007).

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "rt/coupling/equilibrium_step.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/virtual_coupling.h"

namespace haptic {
namespace {

constexpr double kRadius = 0.05;  // bounding radius of the held body [m]

/// Coupling plus `count` random contact planes; `planes` = 0 leaves only the coupling.
std::vector<Matrix6> gradients(int planes, double coupling_stiffness) {
  std::mt19937_64 engine(60);
  std::normal_distribution<double> normal;
  std::vector<Matrix6> result(1024);
  for (Matrix6& A : result) {
    A = Matrix6::Zero();
    A.topLeftCorner<3, 3>() = -coupling_stiffness * Matrix3::Identity();
    A.bottomRightCorner<3, 3>() = -0.5 * Matrix3::Identity();
    for (int i = 0; i < planes; ++i) {
      const Vector3 n = Vector3(normal(engine), normal(engine), normal(engine)).normalized();
      const Vector3 r =
          kRadius * Vector3(normal(engine), normal(engine), normal(engine)).normalized();
      Vector6 row;
      row << n, r.cross(n);
      A -= 200.0 * row * row.transpose();
    }
  }
  return result;
}

void solve(benchmark::State& state, int planes, double coupling_stiffness) {
  const std::vector<Matrix6> systems = gradients(planes, coupling_stiffness);
  Vector6 wrench, toward;
  wrench << 0.1, -0.2, 0.3, 0.01, 0.02, -0.01;
  toward << 1e-3, 2e-3, -1e-3, 0.1, 0.0, 0.05;
  std::size_t i = 0;
  int degenerate = 0;
  for (auto _ : state) {
    EquilibriumStep step = equilibrium_step(systems[i++ % systems.size()], wrench, toward, kRadius);
    degenerate += step.degenerate;
    benchmark::DoNotOptimize(step);
  }
  state.counters["degenerate"] =
      static_cast<double>(degenerate) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(solve, lu_free_space, 0, 400.0);
BENCHMARK_CAPTURE(solve, lu_contact, 10, 400.0);
BENCHMARK_CAPTURE(solve, svd_saturated_on_one_plane, 1, 0.01);

void cycle(benchmark::State& state) {
  CouplingSettings settings;
  settings.force = {400.0, 0.12};
  settings.torque = {1.0, 0.006};
  settings.bounding_radius = kRadius;
  const VirtualCoupling coupling(settings);
  HandCoupling felt;
  felt.stiffness = settings.force.stiffness;
  felt.rotational_stiffness = settings.torque.stiffness;
  const Matrix6 contact =
      gradients(10, 0.0).front() + Matrix6(Vector6(0, 0, 0, 0.5, 0.5, 0.5).asDiagonal());
  Pose hand, held;
  hand.position = {1e-3, 0.0, -2e-3};
  for (auto _ : state) {
    hand.position.x() = -hand.position.x();
    const CouplingLoad load = coupling.simulated(hand, held);
    benchmark::DoNotOptimize(coupling.advance(hand, load, Wrench{}, contact, held));
    benchmark::DoNotOptimize(felt.wrench(hand, {}, held, {}));
  }
}
BENCHMARK(cycle);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
