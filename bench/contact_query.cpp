// Contact: nanoseconds per field query, microseconds per traversal (acceptance tests A16, A17, A19
// of docs/methods/contact-and-coupling.md). Names carry what varies; counters carry what was done.

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"
#include "lab/oracle/contact_scene.h"
#include "rt/contact/contact_pair.h"
#include "rt/geometry/distance_field.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kBody = 0.1;   // radius of the shell [m]
constexpr double kTool = 0.06;  // radius of the field's ball [m]
constexpr std::size_t kQueries = 1 << 14;

const FieldData& ball_field(std::uint32_t n) {
  static std::map<std::uint32_t, FieldData> made;
  FieldData& field = made[n];
  if (field.values.empty()) {
    field =
        sample_field([](const Vector3& p) { return sphere_distance(p, kTool); }, n, 3.0 * kTool);
  }
  return field;
}

/// Points within two voxels of the surface: scattered over all of it, or a patch of 5 mm as in a
/// contact (the samples it reads stay in the L1 cache).
std::vector<Vector3> points_near_the_surface(const DistanceField& field, bool scattered) {
  Random random(1);
  std::uniform_real_distribution<double> off(-2.0 * field.edge(), 2.0 * field.edge());
  std::vector<Vector3> points(kQueries);
  for (Vector3& p : points) {
    const Vector3 patch = Vector3::UnitZ() + 0.04 * random_direction(random);
    p = (kTool + off(random)) * (scattered ? random_direction(random) : patch.normalized());
  }
  return points;
}

void distance(benchmark::State& state) {
  const DistanceField field = ball_field(static_cast<std::uint32_t>(state.range(0))).view();
  const std::vector<Vector3> points = points_near_the_surface(field, state.range(1) != 0);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(field.distance(points[i++ % kQueries]));
}
BENCHMARK(distance)->ArgNames({"field", "scattered"})->ArgsProduct({{128, 256}, {0, 1}});

void distance_and_gradient(benchmark::State& state) {
  const DistanceField field = ball_field(static_cast<std::uint32_t>(state.range(0))).view();
  const std::vector<Vector3> points = points_near_the_surface(field, state.range(1) != 0);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(field.distance_and_gradient(points[i++ % kQueries]));
  }
}
BENCHMARK(distance_and_gradient)
    ->ArgNames({"field", "scattered"})
    ->ArgsProduct({{128, 256}, {0, 1}});

/// Spiral indices so that every leading quarter is itself spread over the sphere: first the
/// multiples of 4^(levels - 1), then those of 4^(levels - 2), and so on.
std::vector<std::uint32_t> level_order(std::uint32_t points, std::uint32_t levels) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t stride = 1u << (2 * (levels - 1)), coarser = 0; stride > 0; stride /= 4) {
    for (std::uint32_t s = 0; s < points; s += stride) {
      if (coarser == 0 || s % coarser != 0) order.push_back(s);
    }
    coarser = stride;
  }
  return order;
}

/// A sphere of points with 15 modes (or none) and its nested tree, points in the tree's order.
struct Body {
  Body(std::uint32_t points, std::uint32_t levels, bool deformable) {
    const ShellData spiral = spiral_sphere(kBody, points);
    const PointShell unordered = spiral.view();
    const std::vector<std::uint32_t> by_level = level_order(points, levels);
    const std::vector<std::uint32_t> ends = shell_level_ends(points, levels);
    std::vector<Vector3> leveled, ordered;
    for (std::uint32_t s : by_level) leveled.push_back(unordered.rest_position(s));
    for (std::uint32_t place : tree_order(leveled, ends)) {
      const std::uint32_t s = by_level[place];
      ordered.push_back(unordered.rest_position(s));
      shell_data.add(unordered.rest_position(s), unordered.rest_normal(s));
    }
    if (deformable) shell_data.set_modes(bending_modes());
    const BuiltTree tree = build_point_tree(ordered, ends, shell_data.displacement, shell_data.r);
    tree_data = {shell_data.r,     points,           tree.level_begin, tree.point,
                 tree.child_begin, tree.child_count, tree.radius,      tree.modal_radius};
  }
  ShellData shell_data;
  TreeData tree_data;
};

const Body& body(std::uint32_t points, std::uint32_t levels, bool deformable) {
  static std::map<std::uint64_t, std::unique_ptr<Body>> made;
  auto& b = made[2 * std::uint64_t{points} + deformable];
  if (!b) b = std::make_unique<Body>(points, levels, deformable);
  return *b;
}

/// The ball slides over the body at 0.1 m/s and 1 kHz, `depth_voxels` deep; the body moves gently.
struct Slide {
  static constexpr int kCycles = 10000;
  Slide(const Body& b, std::uint32_t resolution, double depth_voxels)
      : shell(b.shell_data.view()), tree(b.tree_data.view()), field(ball_field(resolution).view()) {
    for (int i = 0; i < kCycles; ++i) {
      const double t = 2.0 * 3.14159265358979 * i / kCycles;
      const Vector3 direction(std::cos(t) * std::cos(0.7 * std::sin(3.0 * t)),
                              std::sin(t) * std::cos(0.7 * std::sin(3.0 * t)),
                              std::sin(0.7 * std::sin(3.0 * t)));
      poses.push_back({(kBody + kTool - depth_voxels * field.edge()) * direction,
                       rotation_exponential(t * Vector3(0.3, 1.0, -0.5))});
      std::vector<double> q(shell.dimension());
      for (std::size_t j = 0; j < q.size(); ++j)
        q[j] = 0.02 * std::sin(t * (1.0 + 0.1 * double(j)));
      coordinates.push_back(q);
    }
  }
  /// Bytes that a visit reads at least: a node and the eight corners of a cell.
  double bytes_a_visit() const {
    const std::size_t row = shell.dimension() == 0 ? 0 : (shell.dimension() + 8) / 8 * 8;
    return 4.0 * double(row == 0 ? 4 : 3 * row) + 32.0;
  }
  PointShell shell;
  PointTree tree;
  DistanceField field;
  std::vector<Pose> poses;
  std::vector<std::vector<double>> coordinates;
};

Slide slide_of(const benchmark::State& state) {
  return {body(static_cast<std::uint32_t>(state.range(0)),
               static_cast<std::uint32_t>(state.range(1)), state.range(2) != 0),
          static_cast<std::uint32_t>(state.range(3)), 0.1 * double(state.range(4))};
}

/// @param cycle does one cycle and returns {nodes visited, contacts}
template <class Cycle>
void run(benchmark::State& state, const Slide& slide, Cycle&& cycle) {
  double visited = 0.0, contacts = 0.0;
  std::size_t i = 0;
  for (auto _ : state) {
    const auto [v, c] = cycle(i++ % Slide::kCycles);
    visited += v;
    contacts += static_cast<double>(c);
  }
  const auto cycles = static_cast<double>(state.iterations());
  state.counters["visited"] = visited / cycles;
  state.counters["contacts"] = contacts / cycles;
  state.counters["kB_needed"] = 1e-3 * slide.bytes_a_visit() * visited / cycles;
  state.counters["per_visit"] =
      benchmark::Counter(visited, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// The traversal alone. points, levels, deformable, field resolution, depth in tenths of a voxel,
/// temporal coherence
void traversal(benchmark::State& state) {
  const Slide slide = slide_of(state);
  TraversalSettings settings;
  settings.temporal_coherence = state.range(5) != 0;
  ContactTraversal found(slide.shell, slide.tree, slide.field, settings);
  ModalCoordinates q(slide.shell.dimension());
  run(state, slide, [&](std::size_t cycle) {
    q.assign(slide.coordinates[cycle]);
    const std::size_t contacts = found.run(Pose(), slide.poses[cycle], q).size();
    return std::pair(found.visited_nodes(), contacts);
  });
}
BENCHMARK(traversal)
    ->ArgNames({"points", "levels", "deformable", "field", "depth", "coherent"})
    ->ArgsProduct({{20000}, {4}, {1}, {128}, {10, -300}, {0, 1}})  // in contact, far from it
    ->ArgsProduct({{256000}, {5}, {1}, {256}, {19}, {0, 1}})
    ->ArgsProduct({{1020000}, {6}, {0}, {256}, {6}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

/// Traversal and contact law: the stage `touch` of a cycle.
void touch(benchmark::State& state) {
  const Slide slide = slide_of(state);
  ContactSettings settings;
  settings.traversal.temporal_coherence = state.range(5) != 0;
  ContactPair pair(slide.shell, slide.tree, slide.field, settings, HeldSide::kField);
  run(state, slide, [&](std::size_t cycle) {
    const ContactResult& result =
        pair.evaluate(Pose(), slide.poses[cycle], slide.coordinates[cycle]);
    return std::pair(result.visited_nodes, result.contacts);
  });
}
BENCHMARK(touch)
    ->ArgNames({"points", "levels", "deformable", "field", "depth", "coherent"})
    ->ArgsProduct({{256000}, {5}, {1}, {256}, {19}, {0, 1}})
    ->ArgsProduct({{1020000}, {6}, {0}, {256}, {6}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

/// The same without the tree (A17): linear in the points.
void all_points(benchmark::State& state) {
  const Slide slide = slide_of(state);
  ContactTraversal found(slide.shell, slide.tree, slide.field, {});
  ModalCoordinates q(slide.shell.dimension());
  run(state, slide, [&](std::size_t cycle) {
    q.assign(slide.coordinates[cycle]);
    const std::size_t contacts = found.run_all(Pose(), slide.poses[cycle], q).size();
    return std::pair(found.visited_nodes(), contacts);
  });
}
BENCHMARK(all_points)
    ->ArgNames({"points", "levels", "deformable", "field", "depth"})
    ->Args({20000, 4, 1, 128, 10})
    ->Args({64000, 4, 1, 256, 19})
    ->Args({128000, 5, 1, 256, 19})
    ->Args({256000, 5, 1, 256, 19})
    ->Args({1020000, 6, 0, 256, 6})
    ->Unit(benchmark::kMicrosecond);

/// The floor of a cycle: as many bytes as it needs (kB_needed), in runs of four nodes, from an
/// array larger than every cache.
void bytes_needed(benchmark::State& state) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint64_t);
  const std::vector<std::uint64_t> memory((std::size_t{256} << 20) / sizeof(std::uint64_t), 1);
  const auto lines = static_cast<std::size_t>(state.range(0)) * 1000 / 64;
  constexpr std::size_t kRun = 8;
  std::uint64_t sum = 0, at = 1;
  for (auto _ : state) {
    for (std::size_t i = 0; i < lines; i += kRun) {
      at = at * 6364136223846793005u + 1442695040888963407u;
      const std::size_t first = (at >> 33) % (memory.size() / kLine - kRun);
      for (std::size_t l = 0; l < kRun; ++l) sum += memory[(first + l) * kLine];
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(bytes_needed)->ArgName("kB")->Arg(100)->Arg(200)->Arg(500)->Unit(benchmark::kMicrosecond);

/// A19: refitting a node costs r products, whatever the number of points or nodes.
void radius_refit(benchmark::State& state) {
  const auto r = static_cast<std::uint32_t>(state.range(0));
  const auto nodes = static_cast<std::uint32_t>(state.range(1));
  TreeData data;
  data.r = r;
  data.point_count = 1;
  data.level_begin = {0, nodes};
  data.point.assign(nodes, 0);
  data.child_begin.assign(nodes, 0);
  data.child_count.assign(nodes, 0);
  data.radius.assign(nodes, 1.0f);
  data.modal_radius.assign(std::size_t{nodes} * r, 0.5f);
  const PointTree tree = data.view();
  const ModalCoordinates q(std::vector<double>(r, 0.1));
  std::uint32_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(tree.radius(i++ % 64, q));
}
BENCHMARK(radius_refit)
    ->ArgNames({"r", "nodes"})
    ->Args({15, 1024})
    ->Args({15, 1 << 20})
    ->Args({30, 1024})
    ->Args({60, 1024})
    ->Args({120, 1024});

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
