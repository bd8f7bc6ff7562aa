#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/rt/contact/contact_fixture.h"

namespace haptic::oracle {

/// A ball and a box that protrudes from it: a difficult field for a culling rule.
inline FieldData bumpy_field(std::uint32_t n) {
  return sample_field(
      [](const Vector3& p) {
        const double ball = sphere_distance(p, 0.42);
        const double box = box_distance(p - Vector3(0.15, 0.1, 0.2), {0.3, 0.08, 0.25});
        return std::min(ball, box);
      },
      n, 1.6);
}

/// The points in the order in which the nodes of their tree bring them.
inline ShellData in_tree_order(const ShellData& shell, const std::vector<std::uint32_t>& sizes) {
  const TreeData tree = nested_tree(shell, sizes);
  const PointShell view = shell.view();
  std::vector<bool> seen(shell.size(), false);
  ShellData ordered;
  for (const std::uint32_t s : tree.point) {
    if (seen[s]) continue;
    seen[s] = true;
    ordered.add(view.rest_position(s), view.rest_normal(s));
  }
  return ordered;
}

/// What happens to two bodies from cycle to cycle: mostly small steps, now and then a jump.
class RandomWalk {
 public:
  RandomWalk(Random& random, std::uint32_t r, double step) : random_(&random), q_(r), step_(step) {
    jump();
  }
  void advance() {
    pose_.position += random_vector(*random_, step_);
    // Drawn back, so that the walk stays where contact is.
    pose_.position *= 0.999;
    pose_.orientation =
        (rotation_exponential(random_vector(*random_, 2.0 * step_)) * pose_.orientation)
            .normalized();
    std::normal_distribution<double> n(0.0, 0.1 * step_);
    for (double& value : q_) value = 0.999 * value + n(*random_);
  }
  void jump() {
    pose_ = random_pose(*random_, 0.6);
    std::normal_distribution<double> n(0.0, 0.1);
    for (double& value : q_) value = n(*random_);
  }
  void lose_pose() { pose_.position.x() = std::numeric_limits<double>::quiet_NaN(); }
  const Pose& pose() const { return pose_; }
  const std::vector<double>& q() const { return q_; }

 private:
  Random* random_;
  Pose pose_;
  std::vector<double> q_;
  double step_;
};

inline std::vector<TouchingPoint> copy(std::span<const TouchingPoint> points) {
  return {points.begin(), points.end()};
}

}  // namespace haptic::oracle
