// Fields: nanoseconds per query (issue: distance and gradient together below 15 ns near the
// surface). Names carry what varies; near: a patch of 5 mm as a contact has it, whose samples stay
// in the nearest cache; else scattered over the whole surface.

#include <benchmark/benchmark.h>

#include <bit>
#include <map>
#include <vector>

#include "rt/contact/distance_field.h"
#include "tests/oracle/field_scene.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kBall = 0.06;  // radius [m]
constexpr std::size_t kQueries = 1 << 14;

const FieldData& ball_field(std::uint32_t n) {
  static std::map<std::uint32_t, FieldData> made;
  FieldData& field = made[n];
  if (field.values.empty()) {
    field =
        sample_field([](const Vector3& p) { return sphere_distance(p, kBall); }, n, 3.0 * kBall);
  }
  return field;
}

/// Points within two voxels of the surface.
std::vector<Vector3> points_near_the_surface(double voxel, bool scattered) {
  Random random(1);
  std::uniform_real_distribution<double> off(-2.0 * voxel, 2.0 * voxel);
  std::vector<Vector3> points(kQueries);
  for (Vector3& p : points) {
    const Vector3 patch = Vector3::UnitZ() + 0.04 * random_direction(random);
    p = (kBall + off(random)) * (scattered ? random_direction(random) : patch.normalized());
  }
  return points;
}

std::vector<FieldPoints> batches_of(const std::vector<Vector3>& points) {
  std::vector<FieldPoints> batches(points.size() / kFieldBatch);
  for (std::size_t i = 0; i < points.size(); ++i) {
    FieldPoints& batch = batches[i / kFieldBatch];
    batch.x[i % kFieldBatch] = points[i].x();
    batch.y[i % kFieldBatch] = points[i].y();
    batch.z[i % kFieldBatch] = points[i].z();
  }
  return batches;
}

void count_queries(benchmark::State& state, double per_iteration) {
  state.counters["ns_per_point"] =
      benchmark::Counter(per_iteration * 1e-9, benchmark::Counter::kIsIterationInvariantRate |
                                                   benchmark::Counter::kInvert);
}

/// Distance and free radius of a batch, as the traversal asks.
void batch(benchmark::State& state) {
  const DistanceField field = ball_field(static_cast<std::uint32_t>(state.range(0))).view();
  const auto batches = batches_of(points_near_the_surface(field.edge(), state.range(1) != 0));
  FieldSamples samples;
  std::size_t i = 0;
  for (auto _ : state) {
    field.evaluate(batches[i++ % batches.size()], kFieldBatch, Culling::kSafe, samples);
    benchmark::DoNotOptimize(samples);
  }
  count_queries(state, kFieldBatch);
}
BENCHMARK(batch)->ArgNames({"field", "scattered"})->ArgsProduct({{128, 256}, {0, 1}});

void one_by_one(benchmark::State& state) {
  const DistanceField field = ball_field(static_cast<std::uint32_t>(state.range(0))).view();
  const auto points = points_near_the_surface(field.edge(), state.range(1) != 0);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(field.distance(points[i++ % kQueries]));
  count_queries(state, 1);
}
BENCHMARK(one_by_one)->ArgNames({"field", "scattered"})->ArgsProduct({{128, 256}, {0, 1}});

void with_gradient(benchmark::State& state) {
  const DistanceField field = ball_field(static_cast<std::uint32_t>(state.range(0))).view();
  const auto points = points_near_the_surface(field.edge(), state.range(1) != 0);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(field.distance_and_gradient(points[i++ % kQueries]));
  }
  count_queries(state, 1);
}
BENCHMARK(with_gradient)->ArgNames({"field", "scattered"})->ArgsProduct({{128, 256}, {0, 1}});

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
