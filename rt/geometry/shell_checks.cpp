#include "rt/geometry/shell_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse_normals(std::string_view source, const std::string& found) {
  throw InputError(source, "/shell/normals", found, "normals that face into the body");
}

}  // namespace

void require_belonging(const PointShell& shell, const PointTree& tree, std::string_view source) {
  if (shell.dimension() != tree.dimension()) {
    throw InputError(source, "/shell/tree/modal_radius",
                     fmt::format("found {} reduced coordinates", tree.dimension()),
                     fmt::format("{} as in the shell", shell.dimension()));
  }
  if (shell.size() != tree.point_count()) {
    throw InputError(source, "/shell/tree/point",
                     fmt::format("found a tree over {} points", tree.point_count()),
                     fmt::format("{} as in the shell", shell.size()));
  }
  std::vector<bool> present(shell.size(), false);
  for (std::uint32_t node = 0; node < tree.node_count(); ++node) present[tree.point(node)] = true;
  const auto absent = std::find(present.begin(), present.end(), false);
  if (absent != present.end()) {
    throw InputError(source, "/shell/tree/point",
                     fmt::format("found no node for point {}", absent - present.begin()),
                     "every shell point in the tree");
  }
}

void require_points_in_spheres(const PointShell& shell, const PointTree& tree,
                               std::string_view source) {
  // Our bake rounds radii up to float; another writer may round differently.
  constexpr double kRounding = 1.0 + 1e-6;
  std::vector<std::uint32_t> parent(tree.node_count(), kNone);
  for (std::uint32_t node = 0; node < tree.node_count(); ++node) {
    for (std::uint32_t c = 0; c < tree.child_count(node); ++c) {
      parent[tree.child_begin(node) + c] = node;
    }
  }
  for (std::uint32_t leaf = 0; leaf < tree.node_count(); ++leaf) {
    if (tree.child_count(leaf) != 0) continue;
    const Vector3 p = shell.rest_position(tree.point(leaf));
    for (std::uint32_t node = parent[leaf]; node != kNone; node = parent[node]) {
      const double distance = (p - shell.rest_position(tree.point(node))).norm();
      if (distance <= kRounding * static_cast<double>(tree.rest_radius(node))) continue;
      throw InputError(source, "/shell/tree/radius",
                       fmt::format("found point {} at {:.6g} m from the centre of node {}, whose "
                                   "radius is {:.6g} m",
                                   tree.point(leaf), distance, node, tree.rest_radius(node)),
                       "spheres that contain all points below them");
    }
  }
}

void require_inward_normals(const PointShell& shell, const SignedField* own_field,
                            std::string_view source) {
  constexpr std::uint32_t kSamples = 4096;
  if (own_field != nullptr) {
    const std::uint32_t stride = std::max(1u, shell.size() / kSamples);
    std::uint32_t looked_at = 0, outward = 0;
    for (std::uint32_t s = 0; s < shell.size(); s += stride, ++looked_at) {
      const Vector3 step = own_field->edge() * shell.rest_normal(s);
      const Vector3 p = shell.rest_position(s);
      outward += own_field->distance_and_gradient(p + step).distance >
                 own_field->distance_and_gradient(p - step).distance;
    }
    if (10 * outward > looked_at) {
      refuse_normals(source, fmt::format("found {} of {} checked that face out of the body's "
                                         "field",
                                         outward, looked_at));
    }
    return;
  }
  Vector3 centre = Vector3::Zero(), sum = Vector3::Zero();
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    centre += shell.rest_position(s);
    sum += shell.rest_normal(s);
  }
  const double count = shell.size();
  centre /= count;
  double outward = 0.0, size = 0.0;
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    const Vector3 arm = shell.rest_position(s) - centre;
    outward += shell.rest_normal(s).dot(arm) / count;
    size = std::max(size, arm.norm());
  }
  // The mean of n . x over a closed surface is 3 volume / area, and negative for inward normals.
  // The margins allow for uneven sampling.
  if (sum.norm() < 0.1 * count && outward > 0.05 * size) {
    refuse_normals(source, "found normals that enclose the outside");
  }
}

}  // namespace haptic
