#include "rt/contact/contact_traversal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "rt/contact/point_shell.h"
#include "rt/contact/point_tree.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Same reduced coordinates, and every point of the shell somewhere in the tree.
void require_belonging(const PointShell& shell, const PointTree& tree) {
  if (shell.dimension() != tree.dimension()) {
    throw InputError("contact", "/shell/tree/modal_radius",
                     fmt::format("found {} reduced coordinates", tree.dimension()),
                     fmt::format("{} as in the shell", shell.dimension()));
  }
  if (shell.size() != tree.point_count()) {
    throw InputError("contact", "/shell/tree/point",
                     fmt::format("found a tree over {} points", tree.point_count()),
                     fmt::format("{} as in the shell", shell.size()));
  }
  std::vector<bool> present(shell.size(), false);
  for (std::uint32_t node = 0; node < tree.node_count(); ++node) present[tree.point(node)] = true;
  const auto absent = std::find(present.begin(), present.end(), false);
  if (absent != present.end()) {
    throw InputError("contact", "/shell/tree/point",
                     fmt::format("found no node for point {}", absent - present.begin()),
                     "every shell point in the tree");
  }
}

std::size_t largest_level(const PointTree& tree) {
  std::size_t largest = 0;
  for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
    largest = std::max<std::size_t>(largest, tree.level_begin(level + 1) - tree.level_begin(level));
  }
  return largest;
}

}  // namespace

ContactTraversal::ContactTraversal(const PointShell& shell, const PointTree& tree,
                                   const SignedField& field, const TraversalSettings& settings)
    : shell_(&shell), tree_(&tree), field_(&field), settings_(settings), touching_(shell.size()) {
  require_belonging(shell, tree);
  evaluated_.resize(shell.size());
  list_.resize(largest_level(tree));
  next_.resize(list_.size());
  found_.resize(shell.size());
}

std::span<const TouchingPoint> ContactTraversal::run(const Pose& shell_pose, const Pose& field_pose,
                                                     const ModalCoordinates& q,
                                                     std::span<const double>) HAPTIC_REALTIME {
  begin(shell_pose, field_pose);
  std::uint32_t* list = list_.data();
  std::uint32_t* next = next_.data();
  std::uint32_t count = tree_->level_begin(1);
  std::iota(list, list + count, 0u);
  while (count > 0) {
    ++level_;
    visited_ += count;
    count = visit({list, count}, next, q);
    std::swap(list, next);
  }
  return collect();
}

std::span<const TouchingPoint> ContactTraversal::run_all(
    const Pose& shell_pose, const Pose& field_pose, const ModalCoordinates& q) HAPTIC_REALTIME {
  begin(shell_pose, field_pose);
  std::array<std::uint32_t, kFieldBatch> points;
  for (std::uint32_t first = 0; first < shell_->size(); first += kFieldBatch) {
    const std::uint32_t count = std::min(kFieldBatch, shell_->size() - first);
    std::iota(points.begin(), points.begin() + count, first);
    evaluate_points({points.data(), count}, q);
  }
  visited_ = shell_->size();
  level_ = tree_->level_count();
  return collect();
}

void ContactTraversal::begin(const Pose& shell_pose, const Pose& field_pose) HAPTIC_REALTIME {
  ++cycle_;
  visited_ = level_ = 0;
  const Matrix3 world_to_field = field_pose.orientation.toRotationMatrix().transpose();
  rotation_ = world_to_field * shell_pose.orientation.toRotationMatrix();
  offset_ = world_to_field * (shell_pose.position - field_pose.position);
}

/// Visits the nodes of one level, appends the children still in question to `queue`.
/// @returns how many it appended; all are on the next level, each once
std::uint32_t ContactTraversal::visit(std::span<const std::uint32_t> nodes, std::uint32_t* queue,
                                      const ModalCoordinates& q) HAPTIC_REALTIME {
  std::array<std::uint32_t, kFieldBatch> point;
  std::uint32_t queued = 0;
  for (std::size_t first = 0; first < nodes.size(); first += kFieldBatch) {
    const auto batch =
        nodes.subspan(first, std::min<std::size_t>(kFieldBatch, nodes.size() - first));
    const auto ahead = nodes.subspan(first + batch.size());
    for (std::uint32_t node : ahead.first(std::min<std::size_t>(kFieldBatch, ahead.size()))) {
      const std::uint32_t next = tree_->point(node);
      __builtin_prefetch(&evaluated_[next], 1);
      shell_->prefetch(next);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) point[i] = tree_->point(batch[i]);
    evaluate_points({point.data(), batch.size()}, q);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t node = batch[i], children = tree_->child_count(node);
      if (children == 0 || subtree_is_free(node, evaluated_[point[i]].room, q)) continue;
      std::iota(queue + queued, queue + queued + children, tree_->child_begin(node));
      queued += children;
    }
  }
  return queued;
}

/// Places and looks up at most kFieldBatch points, each once a run; those inside the field join the
/// set. The field's data of all are on their way before the first is read.
void ContactTraversal::evaluate_points(std::span<const std::uint32_t> points,
                                       const ModalCoordinates& q) HAPTIC_REALTIME {
  std::array<std::uint32_t, kFieldBatch> fresh;
  FieldPoints placed;
  FieldSamples samples;
  std::uint32_t count = 0;
  for (std::uint32_t point : points) {
    if (evaluated_[point].cycle == cycle_) continue;
    const Vector3 p = rotation_ * shell_->position(point, q) + offset_;
    placed.x[count] = p.x(), placed.y[count] = p.y(), placed.z[count] = p.z();
    fresh[count++] = point;
  }
  field_->prefetch(placed, count);
  field_->evaluate(placed, count, settings_.culling, samples);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool touching = samples.distance[i] < 0.0;
    evaluated_[fresh[i]] = {touching ? samples.distance[i] : samples.free_radius[i], cycle_};
    if (touching) touching_.insert(fresh[i]);
  }
}

/// Whether no point of the node's subtree can be in contact. A NaN counts as free.
bool ContactTraversal::subtree_is_free(std::uint32_t node, double room,
                                       const ModalCoordinates& q) const HAPTIC_REALTIME {
  if (room <= tree_->rest_radius(node)) return false;  // R >= R0: no need for the modal radii
  return !(room <= tree_->radius(node, q));
}

std::span<const TouchingPoint> ContactTraversal::collect() HAPTIC_REALTIME {
  std::uint32_t count = 0;
  touching_.drain([&](std::uint32_t point) HAPTIC_REALTIME {
    found_[count++] = {point, 1.0f, evaluated_[point].room};
  });
  return {found_.data(), count};
}

}  // namespace haptic
