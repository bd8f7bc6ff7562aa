// A step of a cloth of 40 x 40 particles with contacts, beside backward Euler without. Every
// iteration starts from the same state, a sheet that waves; contacts are at the first particles and
// lie 0.1 mm deep. Counters: iterations and passes of a step. And the search of contacts with a
// ball.

#include <benchmark/benchmark.h>

#include "lab/samples/cloth_samples.h"
#include "lab/timing/machine_floor.h"
#include "rt/geometry/analytic_field.h"
#include "rt/worlds/cloth/contact/contact_step.h"
#include "rt/worlds/cloth/contact/field_contacts.h"

namespace haptic {
namespace {

constexpr double kStep = 1e-3;

cloth::SampleCloth waving_cloth() {
  cloth::SampleCloth cloth = cloth::square_cloth(40, 0.01, cloth::cloth_materials(300.0, 0.02));
  cloth::disturb(cloth.state.x, 1e-3, 1);
  cloth::disturb(cloth.state.v, 0.05, 2);
  return cloth;
}

/// iterations of a solution, at most
cloth::SolverSettings solver(std::int64_t iterations) {
  return {.most_iterations = static_cast<std::size_t>(iterations), .tolerance = 1e-12};
}

void implicit_euler(benchmark::State& state) {
  cloth::SampleCloth cloth = waving_cloth();
  const cloth::ClothState start = cloth.state;
  cloth::ImplicitEuler step(cloth.system, kStep, solver(state.range(0)));
  for (auto _ : state) {
    cloth.state = start;
    if (step.step(cloth.state) != cloth::ClothStepResult::kOk) state.SkipWithError("step");
  }
  state.counters["iterations"] = static_cast<double>(step.solution().iterations);
}

/// iterations, contacts, passes at most, whether the other side is a held body
void contact_step(benchmark::State& state) {
  cloth::SampleCloth cloth = waving_cloth();
  const cloth::ClothState start = cloth.state;
  const std::uint32_t six[] = {6};
  cloth::ContactStep step(
      cloth.system, kStep,
      {.solver = solver(state.range(0)), .most_passes = static_cast<std::size_t>(state.range(2))},
      six);
  const bool held = state.range(3) != 0;
  const Matrix6 A = 800.0 * Matrix6::Identity();
  const Vector6 b = Vector6::Zero();
  for (auto _ : state) {
    cloth.state = start;
    step.set_partner(0, {A.data(), 36}, {b.data(), 6});
    step.clear();
    for (std::uint32_t i = 0; i < state.range(1); ++i) {
      cloth::ClothContact contact{.particles = {i},
                                  .gap = -1e-4,
                                  .stiffness = 1e3,
                                  .friction = 0.3,
                                  .last_normal_force = 0.1};
      double jacobian[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      if (held) {
        contact.partner = 0;
        const Matrix3 turn = -skew(cloth::at(start.x, i) - Vector3(0.2, 0.2, 0.0));
        std::copy(turn.data(), turn.data() + 9, jacobian + 9);
      }
      if (!step.add(contact,
                    held ? std::span<const double>(jacobian) : std::span<const double>())) {
        state.SkipWithError("capacity");
      }
    }
    if (step.step(cloth.state) != cloth::ClothStepResult::kOk) state.SkipWithError("step");
  }
  state.counters["iterations"] = static_cast<double>(step.outcome().iterations);
  state.counters["passes"] = static_cast<double>(step.outcome().passes);
}

/// One product with the springs' matrix.
void product(benchmark::State& state) {
  cloth::SampleCloth cloth = waving_cloth();
  cloth::SpringOperator A(cloth.system.springs().springs(), cloth.system.size());
  A.set(cloth.system, cloth.state.x, {1.0, kStep, kStep * kStep});
  cloth::ParticleVectors y(cloth.state.x.size());
  for (auto _ : state) {
    A.multiply(cloth.state.v, y);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.counters["springs"] = static_cast<double>(cloth.system.springs().springs().size());
}

/// Reads as many bytes as one product with the matrix reads: the bandwidth floor.
void bytes_of_product(benchmark::State& state) {
  cloth::SampleCloth cloth = waving_cloth();
  const AlignedVector<double> values(5 * cloth.system.springs().bands().slots(), 1.0);
  for (auto _ : state) benchmark::DoNotOptimize(stream(values));
  state.counters["kB"] = 8e-3 * static_cast<double>(values.size());
}

/// radius of a ball under the cloth [mm], spacing of the sites [mm]: refit and search.
void find_contacts(benchmark::State& state) {
  cloth::SampleCloth cloth = waving_cloth();
  const AnalyticField ball({ShapeKind::kSphere, {1e-3 * static_cast<double>(state.range(0))}});
  const cloth::ClothSites sites(cloth.mesh.triangles, cloth.state.x,
                                1e-3 * static_cast<double>(state.range(1)));
  cloth::BoxHierarchy hierarchy(cloth.mesh.triangles, cloth.state.x, {});
  cloth::FieldContacts contacts(sites, ball, {.friction = 0.3});
  cloth::FieldContacts::Body body;
  body.pose.position = Vector3(0.2, 0.2, 0.002 - ball.shape().size[0]);
  std::size_t found = 0;
  for (auto _ : state) {
    if (hierarchy.refit_all(cloth.state.x) != cloth::UpdateResult::kDone)
      state.SkipWithError("refit");
    found = contacts.find(hierarchy, cloth.state, body, kStep);
  }
  state.counters["sites"] = static_cast<double>(sites.size());
  state.counters["contacts"] = static_cast<double>(found);
}

BENCHMARK(find_contacts)
    ->Args({20, 1000})
    ->Args({20, 5})
    ->Args({300, 1000})
    ->Args({300, 5})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(bytes_of_product)->Unit(benchmark::kMicrosecond);
BENCHMARK(product)->Unit(benchmark::kMicrosecond);
BENCHMARK(implicit_euler)->Arg(10)->Arg(20)->Unit(benchmark::kMicrosecond);
BENCHMARK(contact_step)
    ->ArgsProduct({{10, 20}, {0, 100, 800}, {1}, {0, 1}})
    ->Args({10, 100, 4, 1})
    ->Args({10, 800, 4, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
