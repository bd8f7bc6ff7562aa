#include "host/view/tree_spheres.h"

#include <algorithm>
#include <cmath>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "shared/assert.h"

namespace haptic {

TreeSpheres::TreeSpheres(const PointShell& shell, const PointTree& tree)
    : layout_(shell, tree),
      kernels_(&traversal_kernels(simd_target())),
      coordinates_(layout_.row(), 0.0),
      magnitudes_(layout_.row(), 0.0) {
  for (std::uint32_t k = 0; k <= tree.level_count(); ++k) {
    level_begin_.push_back(tree.level_begin(k));
  }
}

void TreeSpheres::append(std::uint32_t level, const Pose& pose, std::span<const double> q,
                         std::size_t body, std::vector<FrameSphere>& spheres) {
  HAPTIC_DEMAND(level >= 1 && level <= levels() && q.size() == layout_.dimension());
  if (layout_.row() != 0) {
    coordinates_[0] = magnitudes_[0] = 1.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      coordinates_[j + 1] = q[j];
      magnitudes_[j + 1] = std::abs(q[j]);
    }
  }
  // Like the traversal, with the world in place of the field's frame.
  FrameChange change{};
  const Matrix3 rotation = pose.orientation.toRotationMatrix();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) change.rotation[i][j] = rotation(i, j);
    change.offset[i] = pose.position[i];
  }
  const std::uint32_t end = level_begin_[level];
  for (std::uint32_t node = level_begin_[level - 1]; node < end; node += kFieldBatch) {
    const std::uint32_t count = std::min(kFieldBatch, end - node);
    std::uint32_t batch[kFieldBatch];
    for (std::uint32_t i = 0; i < count; ++i) batch[i] = node + i;
    FieldPoints centres;
    kernels_->place(layout_.places(), batch, count, coordinates_.data(), change, centres);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool inner = batch[i] < layout_.inner_nodes();
      spheres.push_back({Vector3(centres.x[i], centres.y[i], centres.z[i]),
                         inner ? layout_.radius(batch[i], magnitudes_.data()) : 0.0, body});
    }
  }
}

}  // namespace haptic
