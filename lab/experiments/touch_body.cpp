#include "lab/experiments/touch_body.h"

#include <span>

namespace haptic {

ShellLevels leading_levels(const SampledShell& sampled, std::size_t levels) {
  ShellLevels result;
  const std::uint32_t count = sampled.level_end.at(levels - 1);
  for (std::uint32_t s = 0; s < count; ++s) {
    for (int axis = 0; axis < 3; ++axis) {
      result.points.push_back(static_cast<float>(sampled.points[s][axis]));
      result.normals.push_back(static_cast<float>(sampled.normals[s][axis]));
    }
  }
  result.tree_data = build_point_tree(std::span(sampled.points).first(count),
                                      std::span(sampled.level_end).first(levels));
  const BuiltTree& t = result.tree_data;
  result.shell = std::make_unique<PointShell>(0u, result.points, result.normals,
                                              std::span<const float>(), std::span<const float>());
  result.tree = std::make_unique<PointTree>(0u, count, t.level_begin, t.point, t.child_begin,
                                            t.child_count, t.radius, t.modal_radius);
  return result;
}

OwnedField make_field(const TriangleMesh& closed, std::uint32_t resolution) {
  OwnedField result;
  result.grid =
      build_distance_field(SurfaceDistance(closed), {.resolution = resolution, .expansion = 1.5});
  result.frame = result.grid.frame();
  result.field = std::make_unique<DistanceField>(result.grid.values, result.frame);
  return result;
}

}  // namespace haptic
