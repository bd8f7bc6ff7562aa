// Contact: nanoseconds per field query, microseconds per traversal (design section 8, spec
// contact-and-coupling A16, A17, A19). Names carry what varies; counters carry what was done.

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <vector>

#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"
#include "rt/contact/contact_pair.h"
#include "tests/oracle/contact_scene.h"

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

/// Points within two voxels of the surface: scattered over all of it, or a patch of 5 mm as a
/// contact has them (the samples it reads stay in the nearest cache).
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

/// A sphere of points with 15 modes (or none) and its nested tree.
struct Body {
  Body(std::uint32_t points, std::uint32_t levels, bool deformable) {
    const ShellData spiral = spiral_sphere(kBody, points);
    const PointShell unordered = spiral.view();
    std::vector<Vector3> ordered;
    for (std::uint32_t s : level_order(points, levels)) {
      ordered.push_back(unordered.rest_position(s));
      shell_data.add(unordered.rest_position(s), unordered.rest_normal(s));
    }
    if (deformable) shell_data.set_modes(bending_modes());
    const BuiltTree tree = build_point_tree(ordered, shell_level_ends(points, levels),
                                            shell_data.displacement, shell_data.r);
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

/// The ball slides over the body, `depth_voxels` deep; the body moves gently.
struct Slide {
  Slide(const Body& b, std::uint32_t resolution, double depth_voxels)
      : shell(b.shell_data.view()),
        tree(b.tree_data.view()),
        field(ball_field(resolution).view()),
        pair(shell, tree, field, ContactSettings(), HeldSide::kField) {
    for (int i = 0; i < 1000; ++i) {
      const double t = 2.0 * 3.14159265358979 * i / 1000.0;
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
  PointShell shell;
  PointTree tree;
  DistanceField field;
  ContactPair pair;
  std::vector<Pose> poses;
  std::vector<std::vector<double>> coordinates;
};

template <class Evaluate>
void run(benchmark::State& state, Slide& slide, Evaluate&& evaluate) {
  double visited = 0.0, contacts = 0.0;
  std::size_t i = 0;
  for (auto _ : state) {
    const std::size_t cycle = i++ % slide.poses.size();
    const ContactResult& result = evaluate(slide.poses[cycle], slide.coordinates[cycle]);
    visited += result.visited_nodes;
    contacts += result.contacts;
  }
  const auto cycles = static_cast<double>(state.iterations());
  state.counters["visited"] = visited / cycles;
  state.counters["contacts"] = contacts / cycles;
  state.counters["per_visit"] =
      benchmark::Counter(visited, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// points, levels, deformable, field resolution, depth in tenths of a voxel
void traversal(benchmark::State& state) {
  Slide slide(body(static_cast<std::uint32_t>(state.range(0)),
                   static_cast<std::uint32_t>(state.range(1)), state.range(2) != 0),
              static_cast<std::uint32_t>(state.range(3)), 0.1 * double(state.range(4)));
  run(state, slide, [&](const Pose& pose, const std::vector<double>& q) -> const ContactResult& {
    return slide.pair.evaluate(Pose(), pose, q);
  });
}
BENCHMARK(traversal)
    ->ArgNames({"points", "levels", "deformable", "field", "depth"})
    ->Args({20000, 4, 1, 128, 10})
    ->Args({20000, 4, 1, 128, -300})  // out of contact
    ->Args({256000, 5, 1, 256, 10})
    ->Args({1020000, 6, 0, 256, 10})
    ->Unit(benchmark::kMicrosecond);

void all_points(benchmark::State& state) {
  Slide slide(body(static_cast<std::uint32_t>(state.range(0)),
                   static_cast<std::uint32_t>(state.range(1)), state.range(2) != 0),
              static_cast<std::uint32_t>(state.range(3)), 0.1 * double(state.range(4)));
  run(state, slide, [&](const Pose& pose, const std::vector<double>& q) -> const ContactResult& {
    return slide.pair.evaluate_brute_force(Pose(), pose, q);
  });
}
BENCHMARK(all_points)
    ->ArgNames({"points", "levels", "deformable", "field", "depth"})
    ->Args({20000, 4, 1, 128, 10})
    ->Args({256000, 5, 1, 256, 10})
    ->Args({1020000, 6, 0, 256, 10})
    ->Unit(benchmark::kMicrosecond);

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
