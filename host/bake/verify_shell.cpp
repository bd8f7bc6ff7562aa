#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "host/bake/verify_parts.h"
#include "host/field/surface_distance.h"
#include "host/sampling/spacing.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

double rest_size(const PointShell& shell) {
  Vector3 lower = shell.rest_position(0), upper = lower;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    lower = lower.cwiseMin(shell.rest_position(s));
    upper = upper.cwiseMax(shell.rest_position(s));
  }
  return (upper - lower).maxCoeff();
}

/// Reduced coordinates that move the shell's points by at most `largest` [m].
std::vector<double> random_state(const PointShell& shell, double largest, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> q(shell.dimension());
  for (double& value : q) value = normal(random);
  const ModalCoordinates coordinates(q);
  double moved = 0.0;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    moved = std::max(moved, coordinates.apply(shell.displacement(s)).norm());
  }
  for (double& value : q) value *= moved > 0.0 ? largest / moved : 0.0;
  return q;
}

/// Largest distance of a point of a subtree outside its sphere at q [m]; the point of every leaf is
/// compared with all nodes above it.
double largest_escape(const PointShell& shell, const PointTree& tree,
                      const std::vector<std::uint32_t>& parent, std::span<const double> q) {
  const ModalCoordinates coordinates(q);
  std::vector<Vector3> position(shell.size());
  for (std::uint32_t s = 0; s < shell.size(); ++s) position[s] = shell.position(s, coordinates);
  std::vector<double> radius(tree.node_count());
  for (std::uint32_t i = 0; i < tree.node_count(); ++i) radius[i] = tree.radius(i, coordinates);
  double escape = -std::numeric_limits<double>::infinity();
  for (std::uint32_t leaf = 0; leaf < tree.node_count(); ++leaf) {
    if (tree.child_count(leaf) != 0) continue;
    const Vector3& p = position[tree.point(leaf)];
    for (std::uint32_t i = leaf; i != kNone; i = parent[i]) {
      escape = std::max(escape, (p - position[tree.point(i)]).norm() - radius[i]);
    }
  }
  return escape;
}

/// Checks the position of the shell and the direction of its normals against /surface.
void verify_place(const ModelFile& model, const ModelAttributes& attributes,
                  const std::vector<Vector3>& points, const PointShell& shell,
                  VerifiedFigures& figures) {
  const TriangleMesh mesh = surface_of(model);
  const double size = bounding_box(mesh).longest_side();
  const double offset = number_attribute(attributes, model.path(), "/shell.offset_m");
  const std::string method = text_attribute(attributes, "/shell.method", "farthest-point");
  const SurfaceDistance surface(mesh);
  std::vector<double> away(points.size());
  std::vector<std::uint8_t> outward(points.size());
  tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t s) {
    const NearestPoint nearest = surface.nearest(points[s]);
    away[s] = std::abs(nearest.distance - offset);
    const Vector3 out = offset == 0.0 ? nearest.pseudonormal : points[s] - nearest.point;
    outward[s] = shell.rest_normal(static_cast<std::uint32_t>(s)).dot(out) > 0.0;
  });
  // Next to a sharp edge, rounding decides which side a point belongs to.
  figures.push_back({"shell_normals_inward",
                     static_cast<double>(std::count(outward.begin(), outward.end(), 1)) /
                         static_cast<double>(points.size()),
                     1e-3, "1",
                     fmt::format("fraction of {} normals that face outward", points.size())});

  double limit = 1e-4 * size;  // of the level set
  std::string of = "a ten-thousandth of the size";
  if (method == "voxels") {
    limit =
        std::sqrt(0.75) * number_attribute(attributes, model.path(), "/shell.sampling_spacing_m");
    of = "half a diagonal of a sampling voxel";
  } else if (method == "file") {
    limit = 0.05 * size;
    of = "a twentieth of the size";
  } else if (offset != 0.0 && method != "repulsion") {
    limit = number_attribute(attributes, model.path(), "/shell.offset_voxel_m");
    of = "a voxel of the offset field";
  }
  figures.push_back({"shell_on_surface", *std::max_element(away.begin(), away.end()), limit, "m",
                     fmt::format("largest distance of a point from the surface{}; limit {}",
                                 offset == 0.0 ? "" : " at the offset", of)});
}

/// Leading points sample the surface as evenly as all do: their spacing shrinks as their number
/// grows, as 1/sqrt(number) on a surface, faster where
/// a part is thinner than their spacing, slightly slower where all are on a lattice. Points in the
/// order of a scan would keep it: a figure of 2 where a level has four times the points of the one
/// above.
void verify_levels(const std::vector<Vector3>& points, const PointTree& tree,
                   VerifiedFigures& figures) {
  constexpr std::size_t kEnough = 16;  // points for a meaningful mean spacing
  std::uint32_t strangers = 0;
  double worst = 0.0;
  std::optional<double> above;
  std::size_t points_above = 0;
  for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
    const std::size_t count = tree.level_begin(level + 1) - tree.level_begin(level);
    for (std::uint32_t node = tree.level_begin(level); node < tree.level_begin(level + 1); ++node) {
      strangers += tree.point(node) >= count;
    }
    if (count < kEnough || count > points.size()) continue;
    const double spacing = nearest_spacing(std::span(points).first(count)).mean;
    if (above && spacing > 0.0) {
      worst = std::max(
          worst, spacing / *above *
                     std::sqrt(static_cast<double>(count) / static_cast<double>(points_above)));
    }
    above = spacing;
    points_above = count;
  }
  figures.push_back({"tree_levels_nested", static_cast<double>(strangers), 0.0, "1",
                     "nodes of a level whose point belongs to a finer one"});
  figures.push_back({"shell_levels_even", worst, 1.5, "1",
                     fmt::format("largest spacing of a level over that of the level above, times "
                                 "the root of their points, over {} levels",
                                 tree.level_count())});
}

}  // namespace

void verify_shell(const ModelFile& model, const ModelAttributes& attributes,
                  VerifiedFigures& figures, const Progress& progress) {
  constexpr int kStates = 8;
  const PointShell shell(model);
  const PointTree tree(model);
  double normal_error = 0.0;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    normal_error = std::max(normal_error, std::abs(shell.rest_normal(s).norm() - 1.0));
  }
  figures.push_back({"shell_normals_unit", normal_error, 1e-6, "1",
                     fmt::format("largest | |n| - 1 | over {} points", shell.size())});
  std::vector<Vector3> points;
  points.reserve(shell.size());
  for (std::uint32_t s = 0; s < shell.size(); ++s) points.push_back(shell.rest_position(s));
  if (model.has("/surface/vertices") && attributes.contains("/shell.offset_m")) {
    verify_place(model, attributes, points, shell, figures);
  }
  verify_levels(points, tree, figures);

  std::vector<std::uint32_t> parent(tree.node_count(), kNone);
  std::vector<bool> covered(shell.size(), false);
  for (std::uint32_t i = 0; i < tree.node_count(); ++i) {
    for (std::uint32_t c = 0; c < tree.child_count(i); ++c) parent[tree.child_begin(i) + c] = i;
    if (tree.child_count(i) == 0) covered[tree.point(i)] = true;
  }
  const auto uncovered = std::count(covered.begin(), covered.end(), false);
  figures.push_back({"tree_covers_points", static_cast<double>(uncovered), 0.0, "1",
                     fmt::format("points of {} in no leaf", shell.size())});

  const double size = rest_size(shell);
  std::mt19937_64 random(20261121);
  double escape = largest_escape(shell, tree, parent, std::vector<double>(shell.dimension(), 0.0));
  const int states = shell.dimension() == 0 ? 0 : kStates;
  for (int state = 1; state <= states; ++state) {
    if (progress) progress(static_cast<double>(state) / (states + 1));
    const auto q = random_state(shell, 0.3 * size * state / kStates, random);
    escape = std::max(escape, largest_escape(shell, tree, parent, q));
  }
  figures.push_back(
      {"tree_spheres", escape, 1e-12 * size, "m",
       fmt::format("largest distance of a point outside the sphere of a node above it, over {} "
                   "nodes at rest and {} random states up to 0.3 of the size",
                   tree.node_count(), states)});
}

}  // namespace haptic
