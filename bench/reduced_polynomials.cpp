// Precompute of the reduced energy: seconds for a block of cubes, with the samples of equal boxes
// and with the 27 Gauss points of any hexahedron.
#include "host/reduction/reduced_polynomials.h"

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <vector>

#include "host/fem/solid_mesh.h"

namespace haptic {
namespace {

/// Arguments: r, elements along an edge.
void precompute(benchmark::State& state, bool boxes) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const int edge = static_cast<int>(state.range(1));
  const Material rubber{1e6, 0.3, 1000.0};
  const SolidMesh mesh = make_box_mesh(edge, edge, edge, 0.01, rubber);
  const Eigen::VectorXd basis = Eigen::VectorXd::Random(3 * mesh.vertex_count() * r);
  const PolynomialInput input{.vertices = mesh.vertices(),
                              .elements = mesh.elements(),
                              .basis = {basis.data(), static_cast<std::size_t>(basis.size())},
                              .dimension = r,
                              .material = rubber.lame()};
  PolynomialSettings settings;
  settings.recognise_voxels = boxes;
  for (auto _ : state)
    benchmark::DoNotOptimize(reduced_polynomials(input, settings).quartic.data());
  state.counters["elements"] = mesh.element_count();
}

void boxes(benchmark::State& state) {
  precompute(state, true);
}
void any_hexahedra(benchmark::State& state) {
  precompute(state, false);
}

// 22^3 = 10,648 elements.
BENCHMARK(boxes)
    ->Args({12, 22})
    ->Args({20, 22})
    ->Args({30, 22})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK(any_hexahedra)
    ->Args({20, 22})
    ->Args({30, 22})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
