#include "rt/contact/contact_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "rt/contact/distance_field.h"
#include "rt/contact/point_shell.h"
#include "rt/contact/point_tree.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Nodes handled together: the fetch of one node's data hides behind the arithmetic of the others.
constexpr std::uint32_t kBatch = 16;

void require_settings(const ContactSettings& settings) {
  if (!(settings.stiffness > 0.0) || !std::isfinite(settings.stiffness)) {
    throw InputError("contact", "stiffness", fmt::format("found {} N/m", settings.stiffness),
                     "a number > 0 [N/m]");
  }
  if (settings.scaling_count == 0) {
    throw InputError("contact", "scaling_count", "found 0", "at least 1");
  }
}

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

ContactPair::ContactPair(const PointShell& shell, const PointTree& tree, const DistanceField& field,
                         const ContactSettings& settings, HeldSide held)
    : shell_(&shell),
      tree_(&tree),
      field_(&field),
      settings_(settings),
      held_(held),
      q_(shell.dimension()),
      touching_(shell.size()) {
  require_settings(settings);
  require_belonging(shell, tree);
  evaluated_.resize(shell.size());
  list_.resize(largest_level(tree));
  next_.resize(list_.size());
  contacts_.resize(shell.size());
  reduced_force_.assign(shell.dimension(), 0.0);
}

const ContactResult& ContactPair::evaluate(const Pose& shell_pose, const Pose& field_pose,
                                           std::span<const double> shell_q) HAPTIC_REALTIME {
  begin(shell_pose, field_pose, shell_q);
  return accumulate(traverse());
}

const ContactResult& ContactPair::evaluate_brute_force(
    const Pose& shell_pose, const Pose& field_pose,
    std::span<const double> shell_q) HAPTIC_REALTIME {
  begin(shell_pose, field_pose, shell_q);
  std::array<std::uint32_t, kBatch> points;
  for (std::uint32_t first = 0; first < shell_->size(); first += kBatch) {
    const std::uint32_t count = std::min(kBatch, shell_->size() - first);
    std::iota(points.begin(), points.begin() + count, first);
    evaluate_points({points.data(), count});
  }
  return accumulate(shell_->size());
}

std::span<const Contact> ContactPair::contacts() const HAPTIC_REALTIME {
  return {contacts_.data(), result_.contacts};
}

std::span<const double> ContactPair::reduced_force() const HAPTIC_REALTIME {
  return reduced_force_;
}

void ContactPair::set_stiffness(double stiffness) HAPTIC_REALTIME {
  HAPTIC_ASSERT(stiffness > 0.0);
  settings_.stiffness = stiffness;
}

double ContactPair::stiffness() const HAPTIC_REALTIME {
  return settings_.stiffness;
}

void ContactPair::begin(const Pose& shell_pose, const Pose& field_pose,
                        std::span<const double> shell_q) HAPTIC_REALTIME {
  ++cycle_;
  q_.assign(shell_q);
  to_world_ = {shell_pose.orientation.toRotationMatrix(), shell_pose.position};
  const Matrix3 world_to_field = field_pose.orientation.toRotationMatrix().transpose();
  to_field_ = {world_to_field * to_world_.rotation,
               world_to_field * (shell_pose.position - field_pose.position)};
  held_origin_ = held_ == HeldSide::kField ? field_pose.position : shell_pose.position;
}

/// Breadth-first, level by level (spec 2.13). @returns nodes visited
std::uint32_t ContactPair::traverse() HAPTIC_REALTIME {
  std::uint32_t* list = list_.data();
  std::uint32_t* next = next_.data();
  std::uint32_t count = tree_->level_begin(1), visited = 0;
  std::iota(list, list + count, 0u);
  while (count > 0) {
    const std::uint32_t queued = visit({list, count}, next);
    visited += count;
    count = queued;
    std::swap(list, next);
  }
  return visited;
}

/// Visits the nodes of one level, appends the children still in question to `queue`.
/// @returns how many it appended; all are on the next level, each once
std::uint32_t ContactPair::visit(std::span<const std::uint32_t> nodes,
                                 std::uint32_t* queue) HAPTIC_REALTIME {
  std::array<std::uint32_t, kBatch> point;
  std::uint32_t queued = 0;
  for (std::size_t first = 0; first < nodes.size(); first += kBatch) {
    const auto batch = nodes.subspan(first, std::min<std::size_t>(kBatch, nodes.size() - first));
    const auto ahead = nodes.subspan(first + batch.size());
    for (std::uint32_t node : ahead.first(std::min<std::size_t>(kBatch, ahead.size()))) {
      const std::uint32_t next = tree_->point(node);
      __builtin_prefetch(&evaluated_[next], 1);
      shell_->prefetch(next);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) point[i] = tree_->point(batch[i]);
    evaluate_points({point.data(), batch.size()});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t node = batch[i], children = tree_->child_count(node);
      if (children == 0 || subtree_is_free(node, evaluated_[point[i]].room)) continue;
      std::iota(queue + queued, queue + queued + children, tree_->child_begin(node));
      queued += children;
    }
  }
  return queued;
}

/// Places and looks up at most kBatch points, each once an evaluation; those in contact join the
/// set. The cells of all are on their way before the first is read.
void ContactPair::evaluate_points(std::span<const std::uint32_t> points) HAPTIC_REALTIME {
  std::array<std::uint32_t, kBatch> fresh;
  std::array<Vector3, kBatch> p_field;
  std::array<DistanceField::Cell, kBatch> cell;
  std::size_t count = 0;
  for (std::uint32_t point : points) {
    if (evaluated_[point].cycle == cycle_) continue;
    fresh[count] = point;
    p_field[count] = to_field_(shell_->position(point, q_));
    cell[count] = field_->locate(p_field[count]);
    field_->prefetch(cell[count]);
    ++count;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = field_->distance(cell[i]);
    const bool touching = distance < 0.0;
    evaluated_[fresh[i]] = {touching ? distance : free_radius(distance, p_field[i]), cycle_};
    if (touching) touching_.insert(fresh[i]);
  }
}

/// Radius about a point at `distance` >= 0 within which no point can be in contact (spec 2.16).
/// The text takes the interpolated field for 1-Lipschitz. The safe radius holds for any samples of
/// a distance: the interpolant is off by at most sqrt(3)/2 h, and inside the box its gradient is at
/// most sqrt(3); the margin of h/1000 covers the rounding of positions.
double ContactPair::free_radius(double distance, const Vector3& p_field) const HAPTIC_REALTIME {
  if (!settings_.safe_culling) return distance;
  const double by_samples = distance - field_->interpolation_slack();
  const double by_gradient = (distance - 1e-3 * field_->edge()) * std::numbers::inv_sqrt3;
  // First in the list, a NaN stays: the point has no place and its subtree no contact.
  return std::max({by_samples, std::min(by_gradient, field_->depth_in_box(p_field)), 0.0});
}

/// Whether no point of the node's subtree can be in contact. A NaN counts as free.
bool ContactPair::subtree_is_free(std::uint32_t node, double room) const HAPTIC_REALTIME {
  if (room <= tree_->rest_radius(node)) return false;  // R >= R0: no need for the modal radii
  return !(room <= tree_->radius(node, q_));
}

/// Contact law over the touching points in ascending order (spec 2.3): forces, gradient as the sum
/// of -k w w^T with w = (n; r x n) (2.22 with grad d = n, either side held), reduced force.
const ContactResult& ContactPair::accumulate(std::uint32_t visited) HAPTIC_REALTIME {
  const std::uint32_t count = touching_.count();
  const double scale =
      count > settings_.scaling_count ? double(settings_.scaling_count) / count : 1.0;
  const double stiffness = scale * settings_.stiffness;
  const double side = held_ == HeldSide::kField ? 1.0 : -1.0;  // held force = side * k d n

  result_ = {};
  result_.contacts = count;
  result_.visited_nodes = visited;
  std::fill(reduced_force_.begin(), reduced_force_.end(), 0.0);

  std::uint32_t filled = 0;
  touching_.drain([&](std::uint32_t point) HAPTIC_REALTIME {
    const double d = evaluated_[point].room;
    const Vector3 position = to_world_(shell_->position(point, q_));
    const Vector3 n_shell = shell_->normal(point, q_);
    const Vector3 normal = to_world_.rotation * n_shell;
    const Vector3 arm = position - held_origin_;
    const Vector3 force = side * stiffness * d * normal;

    result_.on_held.force += force;
    result_.on_held.torque += arm.cross(force);
    Vector6 w;
    w.head<3>() = normal;
    w.tail<3>() = arm.cross(normal);
    result_.gradient.noalias() -= (stiffness * w) * w.transpose();
    if (shell_->dimension() != 0) {
      add_transpose_product(shell_->displacement(point), -stiffness * d * n_shell, reduced_force_);
    }
    contacts_[filled++] = {point, position, normal, -d, force};
  });
  finish_gradient();
  return result_;
}

/// Adds what turns and moves with the held body. Field held: the arm r = p - x_field shortens with
/// Dx, hence F~ in dT/dx. Shell held: force and torque turn with the shell, hence -F~, -T~ in the
/// world's axes and nothing in the shell's. Mirror = direct + (F~, T~) in the rotation columns.
void ContactPair::finish_gradient() HAPTIC_REALTIME {
  const Matrix3 force = skew(result_.on_held.force);
  const Matrix3 torque = skew(result_.on_held.torque);
  const bool field_held = held_ == HeldSide::kField;
  const bool mirror = settings_.gradient == ContactGradient::kMirror;
  if (field_held) result_.gradient.bottomLeftCorner<3, 3>() += force;
  if (field_held == mirror) {
    const double sign = mirror ? 1.0 : -1.0;
    result_.gradient.topRightCorner<3, 3>() += sign * force;
    result_.gradient.bottomRightCorner<3, 3>() += sign * torque;
  }
}

}  // namespace haptic
