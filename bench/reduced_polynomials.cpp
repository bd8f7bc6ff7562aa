// Precompute of the reduced energy: seconds for a block of cubes of the size of the tower of Barbic
// 2007, figure 2.7, with the samples of equal boxes and with the 27 Gauss points of any
// hexahedron, for tetrahedra, with material groups and with a general anisotropic material.
#include "host/reduction/reduced_polynomials.h"

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <vector>

#include "host/fem/solid_mesh.h"

namespace haptic {
namespace {

const Material kRubber{1e6, 0.3, 1000.0};

SolidMaterial anisotropic() {
  ElasticityMatrix C = isotropic_elasticity(kRubber.lame());
  C(0, 0) *= 3.0;
  C(0, 3) = C(3, 0) = 0.1 * C(3, 3);
  return {C, 1000.0};
}

void precompute(benchmark::State& state, const SolidMesh& mesh, PolynomialContents contents,
                bool recognise_voxels = true) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const Eigen::VectorXd basis = Eigen::VectorXd::Random(3 * mesh.vertex_count() * r);
  const BasisView view{{basis.data(), static_cast<std::size_t>(basis.size())}, r};
  PolynomialSettings settings;
  settings.recognise_voxels = recognise_voxels;
  for (auto _ : state) {
    PolynomialAccumulator sum(mesh, view, contents, settings);
    sum.add(0, mesh.element_count());
    benchmark::DoNotOptimize(sum.whole().quartic.data());
    if (contents.groups) benchmark::DoNotOptimize(sum.groups().data());
  }
  state.counters["elements"] = mesh.element_count();
}

/// 27 x 21 x 20 = 11,340 elements (the tower: 11,304).
SolidMesh block(const SolidMaterial& material) {
  return make_box_mesh(27, 21, 20, 0.01, material);
}

void boxes(benchmark::State& state) {
  precompute(state, block(kRubber), {});
}
void boxes_by_group(benchmark::State& state) {
  precompute(state, block(kRubber), {.groups = true});
}
void boxes_by_four_groups(benchmark::State& state) {
  const SolidMesh mesh = block(kRubber);
  MaterialGroups groups{{kRubber, kRubber, kRubber, kRubber}, {}};
  for (int e = 0; e < mesh.element_count(); ++e) {
    groups.of_element.push_back(static_cast<std::uint32_t>(e / 27 % 4));
  }
  precompute(state, {mesh.kind(), mesh.vertices(), mesh.elements(), groups}, {.groups = true});
}
void anisotropic_boxes(benchmark::State& state) {
  precompute(state, block(anisotropic()), {});
}
void any_hexahedra(benchmark::State& state) {
  precompute(state, block(kRubber), {}, false);
}
/// 13 x 13 x 13 cubes of six: 13,182 tetrahedra.
void tetrahedra(benchmark::State& state) {
  precompute(state, make_tetrahedral_box_mesh(13, 13, 13, 0.01, kRubber), {});
}

void measured(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK(boxes)->Arg(12)->Arg(20)->Arg(30)->Apply(measured);
BENCHMARK(boxes_by_group)->Arg(30)->Apply(measured);
BENCHMARK(boxes_by_four_groups)->Arg(30)->Apply(measured);
BENCHMARK(anisotropic_boxes)->Arg(30)->Apply(measured);
BENCHMARK(any_hexahedra)->Arg(20)->Arg(30)->Apply(measured);
BENCHMARK(tetrahedra)->Arg(30)->Apply(measured);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
