#include "lab/experiments/puzzle_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haptic {
namespace {

constexpr int kPushes = 25;

/// Rotation vector from one orientation to another.
Vector3 turn(const Pose& from, const Pose& to) {
  return rotation_logarithm(to.orientation * from.orientation.conjugate());
}

}  // namespace

PuzzlePlanner::PuzzlePlanner(const PointShell& shell, const PointTree& tree, SignedField& field,
                             double lever, std::uint64_t seed)
    : shell_(&shell),
      tree_(&tree),
      field_(&field),
      lever_(lever),
      swept_(shell, tree, field),
      random_(seed) {}

/// Descends the tree, skipping subtrees that cannot be nearer than the best point so far.
PuzzlePlanner::Nearest PuzzlePlanner::nearest(const Pose& field_pose) {
  Nearest best{0, std::numeric_limits<double>::infinity()};
  struct Open {
    std::uint32_t node;
    double distance;
  };
  std::vector<Open> list, next;
  for (std::uint32_t node = 0; node < tree_->level_begin(1); ++node) list.push_back({node, 0.0});
  const Matrix3 R = field_pose.orientation.toRotationMatrix().transpose();
  while (!list.empty()) {
    for (Open& open : list) {
      const std::uint32_t point = tree_->point(open.node);
      const Vector3 x = R * (shell_->rest_position(point) - field_pose.position);
      open.distance = field_->distance_and_gradient(x).distance;
      if (open.distance < best.distance) best = {point, open.distance};
    }
    next.clear();
    for (const Open& open : list) {
      if (open.distance - tree_->rest_radius(open.node) > best.distance) continue;
      for (std::uint32_t i = 0; i < tree_->child_count(open.node); ++i) {
        next.push_back({tree_->child_begin(open.node) + i, 0.0});
      }
    }
    list.swap(next);
  }
  return best;
}

double PuzzlePlanner::clearance(const Pose& field_pose) {
  return nearest(field_pose).distance;
}

bool PuzzlePlanner::retract(Pose& pose, double margin) {
  for (int push = 0; push < kPushes; ++push) {
    const Nearest at = nearest(pose);
    if (at.distance >= margin) return true;
    const Vector3 p = shell_->rest_position(at.point);
    const Vector3 n =
        pose.orientation * field_->distance_and_gradient(pose.to_material(p)).gradient.normalized();
    // Moving the field by (dx, dw) changes the distance by -n.dx - (r x n).dw.
    const Vector3 arm = (p - pose.position).cross(n);
    const double squares = 1.0 + arm.squaredNorm() / (lever_ * lever_);
    const double wanted = 1.1 * (margin - at.distance) + 1e-6;
    pose.position -= wanted / squares * n;
    pose.orientation =
        (rotation_exponential(-wanted / squares / (lever_ * lever_) * arm) * pose.orientation)
            .normalized();
  }
  return clearance(pose) >= margin;
}

bool PuzzlePlanner::is_free(const Pose& from, const Pose& to) {
  return swept_.run({Pose{}, Pose{}, from, to}, 0.0).fraction == 1.0;
}

double PuzzlePlanner::distance(const Pose& a, const Pose& b) const {
  return std::hypot((b.position - a.position).norm(), lever_ * turn(a, b).norm());
}

Pose PuzzlePlanner::reach(const Pose& from, const Pose& to, double margin) {
  double fraction = swept_.run({Pose{}, Pose{}, from, to}, 0.0).fraction;
  for (int i = 0; i < 6 && fraction > 0.0; ++i, fraction *= 0.8) {
    const Pose pose = interpolated(from, to, fraction);
    if (clearance(pose) >= margin) return pose;
  }
  return from;
}

std::vector<Pose> PuzzlePlanner::search(const Pose& start, const std::function<Pose()>& sample,
                                        const std::function<bool(const Pose&)>& solved, int samples,
                                        double margin) {
  std::vector<Node> nodes = {{start, -1}};
  for (int i = 0; i < samples; ++i) {
    Pose wanted = sample();
    if (!retract(wanted, 2.0 * margin)) continue;
    std::int32_t near = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const double d = distance(nodes[n].pose, wanted);
      if (d < least) least = d, near = static_cast<std::int32_t>(n);
    }
    // Continue from the end of the last motion while the distance decreases.
    for (int hop = 0; hop < 8; ++hop) {
      const Pose from = nodes[static_cast<std::size_t>(near)].pose;
      Pose to = reach(from, wanted, margin);
      // Along the surface: half a voxel towards the sample, then out of contact.
      if (distance(from, to) < 0.2 * field_->edge()) {
        to = interpolated(from, wanted,
                          std::min(1.0, 1.5 * field_->edge() / distance(from, wanted)));
        if (!retract(to, margin) || !is_free(from, to)) break;
      }
      if (distance(to, wanted) > distance(from, wanted) - 0.1 * field_->edge()) break;
      nodes.push_back({to, near});
      near = static_cast<std::int32_t>(nodes.size() - 1);
      if (solved(to)) {
        std::vector<Pose> path;
        for (std::int32_t n = near; n >= 0; n = nodes[static_cast<std::size_t>(n)].parent) {
          path.push_back(nodes[static_cast<std::size_t>(n)].pose);
        }
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (distance(to, wanted) < 0.1 * field_->edge()) break;
    }
  }
  return {};
}

void PuzzlePlanner::smooth(std::vector<Pose>& path, int rounds, double margin) {
  for (int round = 0; round < rounds; ++round) {
    if (round < rounds / 2 && path.size() > 2) {
      std::uniform_int_distribution<std::size_t> any(0, path.size() - 1);
      std::size_t a = any(random_), b = any(random_);
      if (a > b) std::swap(a, b);
      if (b > a + 1 && is_free(path[a], path[b])) {
        path.erase(path.begin() + static_cast<std::ptrdiff_t>(a + 1),
                   path.begin() + static_cast<std::ptrdiff_t>(b));
      }
    }
    // One pose further from contact, or its motions split where they are tight.
    std::uniform_int_distribution<std::size_t> inner(0, path.size() - 2);
    const std::size_t at = inner(random_);
    Pose middle = interpolated(path[at], path[at + 1], 0.5);
    if (clearance(middle) < margin && distance(path[at], path[at + 1]) > field_->edge() &&
        retract(middle, margin) && is_free(path[at], middle) && is_free(middle, path[at + 1])) {
      path.insert(path.begin() + static_cast<std::ptrdiff_t>(at + 1), middle);
    }
    if (at == 0) continue;
    Pose moved = path[at];
    if (clearance(moved) < margin && retract(moved, margin) && is_free(path[at - 1], moved) &&
        is_free(moved, path[at + 1])) {
      path[at] = moved;
    }
  }
}

}  // namespace haptic
