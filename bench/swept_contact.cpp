// Cost of continuous detection over the discrete test of the same cycle: a ball slides over a
// body, in contact or a voxel above it, at the speed of a hand and far above it. A cycle is the
// touch stage alone (swept 0), the touch stage with the list of near points and the swept motion
// with that list (1), or the swept motion alone, by a search of the tree (2). Counters: nodes
// visited, points followed along their path.

#include "rt/contact/swept_contact.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"
#include "lab/oracle/contact_scene.h"
#include "rt/contact/contact_traversal.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kBody = 0.1, kTool = 0.06;  // radii of the shell and of the field's ball [m]

/// A spiral sphere in nested levels and its tree, with 15 modes or rigid.
struct Body {
  Body(std::uint32_t points, std::uint32_t levels, bool deformable) {
    const ShellData spiral = spiral_sphere(kBody, points);
    const PointShell unordered = spiral.view();
    std::vector<Vector3> ordered;
    for (std::uint32_t stride = 1u << (2 * (levels - 1)), coarser = 0; stride > 0; stride /= 4) {
      for (std::uint32_t s = 0; s < points; s += stride) {
        if (coarser != 0 && s % coarser == 0) continue;
        ordered.push_back(unordered.rest_position(s));
        shell_data.add(unordered.rest_position(s), unordered.rest_normal(s));
      }
      coarser = stride;
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

const FieldData& ball_field() {
  static const FieldData field =
      sample_field([](const Vector3& p) { return sphere_distance(p, kTool); }, 256, 3.0 * kTool);
  return field;
}

/// points, levels, deformable, depth [tenths of a voxel], speed [mm/s] at 1 kHz, swept 0, 1 or 2
void cycle(benchmark::State& state) {
  const Body& b = body(static_cast<std::uint32_t>(state.range(0)),
                       static_cast<std::uint32_t>(state.range(1)), state.range(2) != 0);
  const PointShell shell = b.shell_data.view();
  const PointTree tree = b.tree_data.view();
  DistanceField field = ball_field().view();
  SweptContact swept(shell, tree, field);
  ContactTraversal traversal(shell, tree, field, {.near_points = true});
  const double radius = kBody + kTool - 0.1 * double(state.range(3)) * field.edge();
  const double angle = 1e-6 * double(state.range(4)) / radius;  // about the body's middle, a cycle
  const std::vector<double> q(shell.dimension(), 0.003), q2(shell.dimension(), 0.00301);
  ModalCoordinates coordinates(q);
  const auto pose_at = [&](double t) {
    const Quaternion turn = rotation_exponential(t * angle * Vector3(0.3, 1.0, -0.5).normalized());
    return Pose{turn * Vector3(radius, 0.0, 0.0), turn};
  };
  double visited = 0.0, followed = 0.0, fraction = 0.0, margin = 0.125 * field.edge();
  std::uint64_t i = 0;
  for (auto _ : state) {
    const double t = static_cast<double>(i++);
    const Pose from = pose_at(t);
    if (state.range(5) != 2) {
      const double list = state.range(5) == 1 ? margin : ContactTraversal::kNoMargin;
      const auto touching = traversal.run(Pose{}, from, coordinates, {}, list);
      if (state.range(5) == 0) followed += static_cast<double>(touching.size());
      visited += traversal.visited_nodes();
      swept.begin({.near = traversal.near(), .margin = list});
    }
    if (state.range(5) != 0) {
      const SweptMotion motion{Pose{}, Pose{}, from, pose_at(t + 1.0), q, q2, {}, {}};
      fraction += swept.run(motion, 3.0 * field.edge()).fraction;
      visited += swept.visited_nodes();
      followed += swept.followed_points();
      margin = std::clamp(2.0 * swept.needed_margin(), 0.125 * field.edge(), 2.0 * field.edge());
    }
  }
  const auto cycles = static_cast<double>(state.iterations());
  state.counters["visited"] = visited / cycles;
  state.counters[state.range(5) != 0 ? "followed" : "contacts"] = followed / cycles;
  if (state.range(5) != 0) state.counters["fraction"] = fraction / cycles;
}
BENCHMARK(cycle)
    ->ArgNames({"points", "levels", "deformable", "depth", "mm_per_s", "swept"})
    ->ArgsProduct({{20000}, {4}, {1}, {10, -10}, {100}, {0, 1, 2}})
    ->ArgsProduct({{256000}, {5}, {1}, {10, -10}, {100}, {0, 1, 2}})
    ->ArgsProduct({{1020000}, {6}, {0}, {10}, {100}, {0, 1, 2}})
    ->ArgsProduct({{256000}, {5}, {1}, {10}, {10, 1000, 10000, 100000}, {1, 2}})
    ->ArgsProduct({{256000}, {5}, {1}, {-3000}, {100, 100000}, {0, 1, 2}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
