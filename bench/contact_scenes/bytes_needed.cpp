#include "bench/contact_scenes/bytes_needed.h"

#include <cmath>
#include <limits>

#include "rt/geometry/distance_field.h"

namespace haptic {
namespace {

constexpr std::size_t kLine = 64;
enum Array : std::uint32_t {
  kPoint,
  kRadius,
  kChildren,
  kModalRadius,
  kPosition,
  kModes,
  kField,
  kNormal,
  kNormalModes
};
constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();

}  // namespace

BytesNeeded::BytesNeeded(const PointShell& shell, const PointTree& tree, const SignedField& field)
    : shell_(&shell), tree_(&tree), field_(&field), q_(shell.dimension()), room_(shell.size()) {}

void BytesNeeded::note(std::uint32_t array, std::size_t first, std::size_t bytes) {
  count_.bytes += static_cast<double>(bytes);
  for (std::size_t line = first / kLine; line <= (first + bytes - 1) / kLine; ++line) {
    lines_.insert((std::uint64_t{array} << 48) + line);
  }
}

BytesNeeded::Count BytesNeeded::count(const Pose& shell_pose, const Pose& field_pose,
                                      std::span<const double> shell_q) {
  q_.assign(shell_q);
  const Matrix3 to_field = field_pose.orientation.toRotationMatrix().transpose();
  const Matrix3 rotation = to_field * shell_pose.orientation.toRotationMatrix();
  const Vector3 offset = to_field * (shell_pose.position - field_pose.position);
  const auto* grid = dynamic_cast<const DistanceField*>(field_);
  const std::size_t modes = 3 * sizeof(float) * shell_->dimension();
  const std::size_t radii = sizeof(float) * tree_->dimension();
  count_ = {};
  lines_.clear();
  std::fill(room_.begin(), room_.end(), kNotYet);

  const auto look = [&](std::uint32_t point) {
    const Vector3 p = rotation * shell_->position(point, q_) + offset;
    FieldPoints points;
    FieldSamples samples;
    points.x[0] = p.x(), points.y[0] = p.y(), points.z[0] = p.z();
    field_->evaluate(points, 1, Culling::kSafe, samples);
    ++count_.points;
    note(kPosition, 12 * std::size_t{point}, 12);
    if (modes > 0) note(kModes, modes * point, modes);
    if (grid != nullptr && grid->depth_in_box(p) > 0.0) {
      const std::size_t n = grid->resolution() + 1;
      const Vector3 at = (p - grid->lower()) / grid->edge();
      const auto i = static_cast<std::size_t>(at.x()), j = static_cast<std::size_t>(at.y()),
                 k = static_cast<std::size_t>(at.z());
      for (std::size_t row = 0; row < 4; ++row) {
        note(kField, 4 * (((k + row / 2) * n + j + row % 2) * n + i), 8);
      }
    }
    if (samples.distance[0] < 0.0) {
      ++count_.contacts;
      note(kNormal, 12 * std::size_t{point}, 12);
      if (modes > 0) note(kNormalModes, modes * point, modes);
      return samples.distance[0];
    }
    return samples.free_radius[0];
  };

  list_.clear();
  for (std::uint32_t node = 0; node < tree_->level_begin(1); ++node) list_.push_back(node);
  while (!list_.empty()) {
    next_.clear();
    for (const std::uint32_t node : list_) {
      const std::uint32_t point = tree_->point(node), children = tree_->child_count(node);
      ++count_.nodes;
      note(kPoint, 4 * std::size_t{node}, 4);
      if (std::isnan(room_[point])) room_[point] = look(point);
      if (children == 0) continue;
      note(kRadius, 4 * std::size_t{node}, 4);
      if (room_[point] > tree_->rest_radius(node)) {
        if (radii > 0) note(kModalRadius, radii * node, radii);
        if (room_[point] > tree_->radius(node, q_)) continue;
      }
      note(kChildren, 8 * std::size_t{node}, 8);
      for (std::uint32_t c = 0; c < children; ++c) next_.push_back(tree_->child_begin(node) + c);
    }
    list_.swap(next_);
  }
  count_.line_bytes = static_cast<double>(kLine * lines_.size());
  return count_;
}

}  // namespace haptic
