#include "host/export/contact_points.h"

#include <utility>

namespace haptic {

VtkSurface ContactPoints::at(const SceneFrame& frame, std::uint64_t row) {
  VtkSurface::Array force{"force", 3, {}}, depth{"depth", 1, {}}, total{"total", 1, {}};
  VtkSurface points;
  const auto add = [&](const FrameContact& point, bool sum) {
    for (int axis = 0; axis < 3; ++axis) {
      points.points.push_back(static_cast<float>(point.position[axis]));
      force.values.push_back(static_cast<float>(point.force[axis]));
    }
    depth.values.push_back(static_cast<float>(point.depth));
    total.values.push_back(sum ? 1.0F : 0.0F);
  };
  add({frame.force_origin, frame.force.value_or(Vector3::Zero())}, true);
  for (const FrameContact& point : contacts_.at(frame, row)) add(point, false);
  points.point_arrays = {std::move(force), std::move(depth), std::move(total)};
  return points;
}

}  // namespace haptic
