// Fields: nanoseconds per query (issue: distance and gradient together below 15 ns near the
// surface). Names carry what varies; near: a patch of 5 mm as in a contact, whose samples stay in
// the L1 cache; else scattered over the whole surface.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "bench/mantissa_lookup.h"
#include "host/field/sparse_field_builder.h"
#include "lab/oracle/field_scene.h"
#include "lab/samples/field_shapes.h"
#include "rt/geometry/deformed_field.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/sparse_field.h"

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

/// Distance and free radius of a batch, as in the traversal.
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

/// The same surface stored sparsely: time of a batch, bytes compared with the dense samples.
struct SparseBall {
  explicit SparseBall(std::uint32_t n)
      : built(build_sparse_field(SurfaceDistance(sphere_mesh(kBall, 5)), {n, 1.5, 4.0})),
        words((built.bytes.size() + sizeof(Word) - 1) / sizeof(Word)) {
    std::memcpy(words.data(), built.bytes.data(), built.bytes.size());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    field = std::make_unique<SparseField>(std::span(bytes, built.bytes.size()), n, built.frame);
  }
  struct alignas(32) Word {
    std::uint8_t bytes[32];
  };
  SparseGrid built;
  std::vector<Word> words;
  std::unique_ptr<SparseField> field;
};

void sparse_batch(benchmark::State& state) {
  static std::map<std::int64_t, std::unique_ptr<SparseBall>> made;
  auto& ball = made[state.range(0)];
  if (!ball) ball = std::make_unique<SparseBall>(static_cast<std::uint32_t>(state.range(0)));
  const auto batches =
      batches_of(points_near_the_surface(ball->field->edge(), state.range(1) != 0));
  FieldSamples samples;
  std::size_t i = 0;
  for (auto _ : state) {
    ball->field->evaluate(batches[i++ % batches.size()], kFieldBatch, Culling::kSafe, samples);
    benchmark::DoNotOptimize(samples);
  }
  const double corners = static_cast<double>(state.range(0)) + 1.0;
  state.counters["MiB"] = static_cast<double>(ball->built.bytes.size()) / (1 << 20);
  state.counters["dense_MiB"] = 4.0 * corners * corners * corners / (1 << 20);
  count_queries(state, kFieldBatch);
}
BENCHMARK(sparse_batch)->ArgNames({"field", "scattered"})->ArgsProduct({{128, 256}, {0, 1}});

/// Cell and fraction from the bits of 1 + w, or by conversion (A31): with what a lookup needs of
/// it.
void cell_lookup(benchmark::State& state) {
  const bool bits = state.range(0) != 0;
  Random random(31);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<float> w(3 * kQueries);
  for (float& value : w) value = unit(random);
  std::size_t i = 0;
  for (auto _ : state) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float at = w[3 * (i % kQueries) + axis];
      benchmark::DoNotOptimize(bits ? mantissa_lookup(at, 8) : plain_lookup(at, 8));
    }
    ++i;
  }
  count_queries(state, 1);
}
BENCHMARK(cell_lookup)->ArgName("bits")->Arg(0)->Arg(1);

/// A field that follows its body: 40 proxies on the ball, r modes; a cycle is one `deform` and the
/// queries of `nodes` points, near the surface or up to a ball's radius away.
struct DeformingBall {
  explicit DeformingBall(std::uint32_t r) {
    Random random(40);
    std::vector<double> points, displacement(40 * 3 * r), gradients(40 * 9 * r);
    for (int i = 0; i < 40; ++i) {
      const Vector3 p = kBall * random_direction(random);
      points.insert(points.end(), {p.x(), p.y(), p.z()});
    }
    std::normal_distribution<double> normal;
    for (double& u : displacement) u = normal(random);
    for (double& g : gradients) g = normal(random) / kBall;
    std::vector<DistanceField> domains;
    domains.push_back(ball_field(128).view());
    field = std::make_unique<DeformedField>(std::move(domains),
                                            ProxyData{r, points, displacement, gradients});
    q.assign(r, 0.02 * kBall / std::sqrt(static_cast<double>(r)));
  }
  std::unique_ptr<DeformedField> field;
  std::vector<double> q;
};

void deforming_cycle(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  DeformingBall ball(15);
  std::vector<Vector3> points = points_near_the_surface(ball.field->edge(), true);
  if (state.range(1) != 0) {
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] *= 1.0 + static_cast<double>(i % 16) / 16.0;
  }
  const auto batches = batches_of(points);
  FieldSamples samples;
  std::size_t at = 0;
  for (auto _ : state) {
    ball.field->deform(ball.q);
    for (std::size_t n = 0; n < nodes; n += kFieldBatch) {
      ball.field->evaluate(batches[at++ % batches.size()], kFieldBatch, Culling::kSafe, samples);
      benchmark::DoNotOptimize(samples);
    }
  }
  state.counters["us_per_cycle"] = benchmark::Counter(
      1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  count_queries(state, static_cast<double>(nodes));
}
BENCHMARK(deforming_cycle)->ArgNames({"nodes", "far"})->ArgsProduct({{304, 1504}, {0, 1}});

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
