// Reduced force and stiffness in one pass over the distinct coefficients, and a whole Newmark step,
// together with their references, all in one run: the classical packed form (cubic force and
// quadratic stiffness, one GEMV each) by Eigen and by OpenBLAS, one symmetric pass over pairs by
// OpenBLAS' dsymv, the floors of this machine, and the direct element route. Arbitrary
// coefficients: the work does not depend on their values. bench/README.md explains.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/fem/solid_mesh.h"
#include "host/fem/stvk_model.h"
#include "lab/oracle/packed_polynomials.h"
#include "lab/samples/random_energy.h"
#include "lab/timing/machine_floor.h"
#include "lab/timing/timing.h"
#include "rt/dynamics/material_blend.h"
#include "rt/dynamics/newmark_integrator.h"

namespace haptic {
namespace {

/// Rows of the table at the end, by column name.
std::map<std::uint32_t, std::map<std::string, Timing>> table;

/// Runs once for Google Benchmark, which only reports: one call of these is too short for its
/// clock.
void report(benchmark::State& state, const std::string& column, const Timing& timing) {
  for (auto _ : state) state.SetIterationTime(1e-6 * timing.median);
  state.counters["median_us"] = timing.median;
  state.counters["p99_us"] = timing.p99;
  state.counters["best_us"] = timing.best;
  table[static_cast<std::uint32_t>(state.range(0))][column] = timing;
}

/// A further column of the same run.
void report_column(const benchmark::State& state, const std::string& column, const Timing& timing) {
  table[static_cast<std::uint32_t>(state.range(0))][column] = timing;
}

std::uint32_t dimension(const benchmark::State& state) {
  return static_cast<std::uint32_t>(state.range(0));
}

int calls_for(std::uint32_t r) {
  return r > 30 ? 500 : 3000;
}

constexpr auto kNothing = [] {};

/// A convex energy, so that the integrator's matrix is positive definite: the Cholesky path.
ReducedEnergy convex_energy(std::uint32_t r, CoefficientStorage storage) {
  RandomCoefficients c(r);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < r; ++i) {
    for (std::uint32_t j = i; j < r; ++j) c.quadratic[at++] = i == j ? 1e4 : 0.0;
  }
  return {r, c.quadratic, c.cubic, c.quartic, storage};
}

std::size_t coefficient_count(std::uint32_t r) {
  return distinct_count(r, 2) + distinct_count(r, 3) + distinct_count(r, 4);
}

void floor_of_multiply_add(benchmark::State& state) {
  // 8 operations a coefficient: 0.37 Mflop at r = 30.
  const double us =
      1e6 * 8.0 * static_cast<double>(coefficient_count(dimension(state))) / peak_flops();
  report(state, "fma floor", {us, us, us});
}

void floor_of_streaming(benchmark::State& state) {
  const AlignedVector<double> values(coefficient_count(dimension(state)), 1.0);
  double sum = 0.0;
  const Timing timing = time_calls(
      calls_for(dimension(state)),
      [&] {
        sum += stream(values);
        benchmark::DoNotOptimize(sum);
      },
      kNothing);
  report(state, "stream floor", timing);
}

void distinct(benchmark::State& state, CoefficientStorage storage, bool cold) {
  const std::uint32_t r = dimension(state);
  const ReducedEnergy energy = convex_energy(r, storage);
  ReducedEnergy::Workspace workspace(r);
  const Eigen::VectorXd q = random_state(r, 1);
  Eigen::VectorXd force(r);
  Eigen::MatrixXd stiffness(r, r);
  CacheSweep sweep;
  const auto body = [&] {
    energy.force_and_stiffness({q.data(), r}, {force.data(), r},
                               {stiffness.data(), std::size_t{r} * r}, workspace);
    benchmark::ClobberMemory();
  };
  const std::string name = storage == CoefficientStorage::kDouble ? "f+K" : "f+K float";
  report(state, cold ? name + " cold" : name,
         cold ? time_calls(300, body, sweep) : time_calls(calls_for(r), body, kNothing));
}

/// Force, and the stiffness as the Newmark step takes it: one triangle, left in the workspace.
void distinct_triangle(benchmark::State& state) {
  const std::uint32_t r = dimension(state);
  const ReducedEnergy energy = convex_energy(r, CoefficientStorage::kDouble);
  ReducedEnergy::Workspace workspace(r);
  const Eigen::VectorXd q = random_state(r, 1);
  Eigen::VectorXd force(r);
  const auto body = [&] {
    energy.evaluate({q.data(), r}, {force.data(), r}, workspace);
    benchmark::ClobberMemory();
  };
  report(state, "f+K triangle", time_calls(calls_for(r), body, kNothing));
}

void newmark(benchmark::State& state, CoefficientStorage storage, bool cold) {
  const std::uint32_t r = dimension(state);
  const ReducedEnergy energy = convex_energy(r, storage);
  NewmarkIntegrator integrator(energy, 1e-3, {0.5, 1e-4});
  const Eigen::VectorXd f = random_state(r, 2, 1e-3);
  CacheSweep sweep;
  bool good = true;
  const auto body = [&] { good &= integrator.step({f.data(), r}) == StepResult::kOk; };
  const Timing timing =
      cold ? time_calls(300, body, sweep) : time_calls(calls_for(r), body, kNothing);
  if (!good) return state.SkipWithError("diverged");
  const std::string name = storage == CoefficientStorage::kDouble ? "step" : "step float";
  report(state, cold ? name + " cold" : name, timing);
}

/// Truncation while running: of a body of r = 30, force and stiffness and the step with the first d
/// basis vectors, and the longest of the cycles that replace the energy, which run beside the step.
void truncated(benchmark::State& state) {
  constexpr std::uint32_t r = 30;
  const std::uint32_t d = dimension(state);
  const RandomCoefficients c(r);
  const ReducedEnergy whole = convex_energy(r, CoefficientStorage::kDouble);
  MaterialRows rows;
  rows.dimension = r;
  std::vector<double> quadratic(distinct_count(r, 2), 0.0);
  for (std::uint32_t i = 0, at = 0; i < r; at += r - i++) quadratic[at] = 1e4;
  rows.energy.push_back(ReducedEnergy::layout(r, quadratic, c.cubic, c.quartic));
  MaterialBlend blend({.energy = &whole, .damping = {0.5, 1e-4}}, std::move(rows), 1e-3, 0.0);
  blend.advance();
  NewmarkIntegrator integrator(blend.system(), 1e-3);
  std::vector<double> cycles;
  for (int i = 0; i < 50; ++i) {
    // There and back, so that each d is written from the same state of the caches.
    for (const std::uint32_t to : {d, d > 1 ? d - 1 : d + 1, d}) {
      blend.select(to);
      while (blend.system().energy->dimension() != to) {
        const auto begin = std::chrono::steady_clock::now();
        blend.advance();
        const std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - begin;
        if (to == d) cycles.push_back(took.count());
      }
    }
  }
  integrator.set_system(blend.system());
  ReducedEnergy::Workspace workspace(r);
  const Eigen::VectorXd q = random_state(d, 1), f = random_state(d, 2, 1e-3);
  Eigen::VectorXd force(d);
  const Timing evaluation = time_calls(
      calls_for(d),
      [&] {
        blend.system().energy->evaluate({q.data(), d}, {force.data(), d}, workspace);
        benchmark::ClobberMemory();
      },
      kNothing);
  bool good = true;
  const Timing step = time_calls(
      calls_for(d),
      [&] {
        good &= integrator.step({f.data(), d}) == StepResult::kOk;
      },
      kNothing);
  if (!good) return state.SkipWithError("diverged");
  report(state, "30 to r: triangle", evaluation);
  report_column(state, "30 to r: step", step);
  std::ranges::sort(cycles);
  const auto at = [&](double part) {
    return cycles.empty()
               ? 0.0
               : cycles[static_cast<std::size_t>(part * static_cast<double>(cycles.size() - 1))];
  };
  report_column(state, "30 to r: blend", {at(0.5), at(0.99), at(0.0)});
}

/// force and packed stiffness, one matrix times one vector of monomials each.
void packed(benchmark::State& state, bool openblas) {
  const std::uint32_t r = dimension(state);
  const RandomCoefficients c(r);
  const PackedPolynomials p(r, c.quadratic, c.cubic, c.quartic);
  const Eigen::VectorXd q = random_state(r, 1);
  Eigen::VectorXd force_terms(p.force_coefficients.cols());
  Eigen::VectorXd stiffness_terms(p.stiffness_coefficients.cols());
  Eigen::VectorXd force(r), stiffness(p.stiffness_coefficients.rows());
  const auto multiply = [&](const PackedPolynomials::RowMatrix& A, const Eigen::VectorXd& x,
                            Eigen::VectorXd& y) {
    if (!openblas) {
      y.noalias() = A * x;
      return;
    }
    cblas_dgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(A.rows()), static_cast<int>(A.cols()),
                1.0, A.data(), static_cast<int>(A.cols()), x.data(), 1, 0.0, y.data(), 1);
  };
  const Timing timing = time_calls(
      r > 30 ? 100 : 1000,
      [&] {
        force_monomials(q, force_terms);
        stiffness_monomials(q, stiffness_terms);
        multiply(p.force_coefficients, force_terms, force);
        multiply(p.stiffness_coefficients, stiffness_terms, stiffness);
        benchmark::ClobberMemory();
      },
      kNothing);
  report(state, openblas ? "packed OpenBLAS" : "packed Eigen", timing);
}

/// One pass over a symmetric matrix of pairs of the r + 1 homogeneous coordinates: stiffness and,
/// by Euler's theorem, force. Only the products; unpacking is not counted.
void one_pass_dsymv(benchmark::State& state) {
  const std::uint32_t r = dimension(state);
  const auto pairs = static_cast<int>((r + 1) * (r + 2) / 2);
  const Eigen::MatrixXd D = Eigen::MatrixXd::Constant(pairs, pairs, 0.5);
  const Eigen::VectorXd p = Eigen::VectorXd::Constant(pairs, 0.25);
  Eigen::VectorXd H(pairs);
  const Timing timing = time_calls(
      r > 30 ? 100 : 1000,
      [&] {
        cblas_dsymv(CblasColMajor, CblasLower, pairs, 1.0, D.data(), pairs, p.data(), 1, 0.0,
                    H.data(), 1);
        benchmark::ClobberMemory();
      },
      kNothing);
  report(state, "dsymv", timing);
}

/// U^T R(Uq) and U^T K(Uq) U through the elements of a box of n x n x 2n hexahedra: the FEM of the
/// bake, which assembles the sparse K and allocates.
void direct(benchmark::State& state, int n) {
  const std::uint32_t r = dimension(state);
  const SolidMesh mesh = make_box_mesh(n, n, 2 * n, 0.01, Material{1e5, 0.4, 1000.0});
  const int elements = mesh.element_count();
  const StvkModel model(mesh, {});
  const Eigen::MatrixXd U = 1e-4 * Eigen::MatrixXd::Random(model.dof_count(), r);
  const Eigen::VectorXd q = random_state(r, 1);
  const Timing timing = time_calls(
      elements > 100 ? 10 : 100,
      [&] {
        const Eigen::VectorXd u = U * q;
        const Eigen::VectorXd force = U.transpose() * model.force(u);
        const Eigen::MatrixXd stiffness = U.transpose() * (model.stiffness(u) * U).eval();
        benchmark::DoNotOptimize(force.data());
        benchmark::DoNotOptimize(stiffness.data());
      },
      kNothing);
  report(state, fmt::format("direct {}", elements), timing);
}

std::string cell(const std::map<std::string, Timing>& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end()) return "-";
  return fmt::format("{:.2f} ({:.2f})", found->second.median, found->second.p99);
}

/// Best of one over best of another, where both were measured.
std::string ratio(const Timing* one, const Timing* other) {
  return one == nullptr || other == nullptr ? "-" : fmt::format("{:.2f}", one->best / other->best);
}

const Timing* find(std::uint32_t r, const std::string& column) {
  const auto row = table.find(r);
  if (row == table.end()) return nullptr;
  const auto found = row->second.find(column);
  return found == row->second.end() ? nullptr : &found->second;
}

void print_table() {
  const std::vector<std::string> columns = {"fma floor",
                                            "stream floor",
                                            "f+K",
                                            "f+K triangle",
                                            "f+K float",
                                            "packed Eigen",
                                            "packed OpenBLAS",
                                            "dsymv",
                                            "step",
                                            "step float",
                                            "f+K cold",
                                            "step cold",
                                            "step float cold",
                                            "30 to r: triangle",
                                            "30 to r: step",
                                            "30 to r: blend"};
  fmt::print("\nmedian (p99) in microseconds, {}, L2 of {} kB\n{:>4}", name_of(simd_target()),
             CacheSweep::l2_bytes() >> 10, "r");
  for (const std::string& column : columns) fmt::print(" {:>17}", column);
  fmt::print(" {:>10} {:>14} {:>12}\n", "f+K/floor", "triangle/floor", "OpenBLAS/f+K");
  for (const auto& [r, row] : table) {
    fmt::print("{:>4}", r);
    for (const std::string& column : columns) fmt::print(" {:>17}", cell(row, column));
    const Timing *fma = find(r, "fma floor"), *read = find(r, "stream floor");
    const Timing* floor = fma != nullptr && read != nullptr && fma->best < read->best ? read : fma;
    const Timing* ours = find(r, "f+K");
    fmt::print(" {:>10} {:>14} {:>12}\n", ratio(ours, floor), ratio(find(r, "f+K triangle"), floor),
               ratio(find(r, "packed OpenBLAS"), ours));
  }
  fmt::print(
      "ratios are of the best of all calls; T16: step(30) / step(15) = {}, r^4 grows by 16\n",
      ratio(find(30, "step"), find(15, "step")));
  for (const auto& [r, row] : table) {
    for (const auto& [column, timing] : row) {
      if (column.rfind("direct", 0) != 0 || find(r, "f+K") == nullptr) continue;
      fmt::print("r = {}: {} elements {:.0f} us, polynomials {:.1f} us: the {} win\n", r, column,
                 timing.median, find(r, "f+K")->median,
                 timing.median < find(r, "f+K")->median ? "elements" : "polynomials");
    }
  }
  std::fflush(stdout);
}

void dimensions(benchmark::internal::Benchmark* b) {
  for (int r : {10, 12, 15, 20, 25, 30, 40}) b->Arg(r);
  b->ArgName("r")->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

void truncated_dimensions(benchmark::internal::Benchmark* b) {
  for (int d : {10, 12, 15, 20, 25, 29, 30}) b->Arg(d);
  b->ArgName("r")->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

void wide_dimensions(benchmark::internal::Benchmark* b) {
  for (int r : {15, 30, 40, 50, 64}) b->Arg(r);
  b->ArgName("r")->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

void large_dimensions(benchmark::internal::Benchmark* b) {
  for (int r : {50, 64}) b->Arg(r);
  b->ArgName("r")->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

constexpr auto kDouble = CoefficientStorage::kDouble;
constexpr auto kFloat = CoefficientStorage::kFloat;

BENCHMARK(floor_of_multiply_add)->Apply(dimensions);
BENCHMARK(floor_of_streaming)->Apply(dimensions);
BENCHMARK_CAPTURE(distinct, f_and_K, kDouble, false)->Apply(dimensions)->Apply(large_dimensions);
BENCHMARK(distinct_triangle)->Apply(dimensions);
BENCHMARK_CAPTURE(distinct, f_and_K_float, kFloat, false)->Apply(dimensions);
BENCHMARK_CAPTURE(packed, Eigen, false)->Apply(dimensions);
BENCHMARK_CAPTURE(packed, OpenBLAS, true)->Apply(dimensions);
BENCHMARK(one_pass_dsymv)->Apply(dimensions);
BENCHMARK_CAPTURE(newmark, warm, kDouble, false)->Apply(dimensions);
BENCHMARK(truncated)->Apply(truncated_dimensions);
BENCHMARK_CAPTURE(newmark, float_warm, kFloat, false)->Apply(dimensions);
BENCHMARK_CAPTURE(distinct, f_and_K_cold_L2, kDouble, true)->Apply(dimensions);
BENCHMARK_CAPTURE(newmark, cold_L2, kDouble, true)->Apply(dimensions);
BENCHMARK_CAPTURE(newmark, float_cold_L2, kFloat, true)->Apply(dimensions);
BENCHMARK_CAPTURE(direct, elements_16, 2)->Apply(wide_dimensions);
BENCHMARK_CAPTURE(direct, elements_2000, 10)->Apply(wide_dimensions);

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  openblas_set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  haptic::print_table();
  return 0;
}
