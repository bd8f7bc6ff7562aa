#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/device/arm/arm_settings.h"
#include "shared/error.h"

namespace haptic {

namespace {

bool within_ranges(const ArmSettings& arm, const SerialLink& link, const std::vector<double>& q) {
  constexpr double kRounding = 1e-9;
  for (std::size_t k = 0; k < arm.axes.size(); ++k) {
    if (q[k] < arm.axes[k].minimum - kRounding || q[k] > arm.axes[k].maximum + kRounding) {
      return false;
    }
  }
  return link.out_of_range(q, kRounding) == link.axes();
}

// The handle's speed per coordinate, of the axes that have a motor and move it.
Matrix3 push(const SerialLink::Placement& placement) {
  return placement.jacobian.topLeftCorner<3, 3>();
}

void check_pushes(const ArmSettings& arm, const SerialLink::Placement& placement,
                  std::string_view where) {
  // Columns in handle metres per motor radian, so that turning and sliding axes compare.
  Matrix3 per_motor = push(placement);
  for (int k = 0; k < 3; ++k) per_motor.col(k) /= arm.axes[static_cast<std::size_t>(k)].ratio;
  const Matrix3 gram = per_motor.transpose() * per_motor;
  const Eigen::SelfAdjointEigenSolver<Matrix3> squared(gram);
  const Vector3 gain = squared.eigenvalues().cwiseMax(0.0).cwiseSqrt();  // ascending
  if (!(gain[0] > 1e-3 * gain[2])) {
    throw InputError(arm.source, "joint",
                     fmt::format("found a handle that cannot be pushed in every direction at {} "
                                 "(gains {:.2g}, {:.2g}, {:.2g} m/rad)",
                                 where, gain[2], gain[1], gain[0]),
                     "joints whose axes and lengths move it in three directions there");
  }
}

void check_motors(const ArmSettings& arm, const SerialLink::Placement& placement) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const ArmAxis& axis = arm.axes[k];
    const double needed = (arm.max_force * placement.jacobian.col(column).head<3>().norm() +
                           arm.gravity_compensation * std::abs(placement.gravity[column])) /
                          axis.ratio;
    if (needed > axis.motor.torque * (1.0 + 1e-9)) {
      throw InputError(arm.source, fmt::format("axis[{}].max_torque", k),
                       fmt::format("found {:g} N·m", axis.motor.torque),
                       fmt::format("at least {:.4g} N·m for rating.force = {:g} N at the "
                                   "workspace's centre, or a lower rating",
                                   needed, arm.max_force));
    }
  }
}

}  // namespace

std::vector<double> coordinates_at(const ArmSettings& arm, const Vector3& target,
                                   const std::vector<double>& start) {
  constexpr int kSteps = 200;
  constexpr double kReached = 1e-9;  // m
  const SerialLink link(arm.link, arm.source);
  SerialLink::Placement placement;
  std::vector<double> q = start;
  link.place(q, placement);
  double distance = (target - placement.position).norm();
  double damping = 1e-6;
  for (int i = 0; i < kSteps && distance > kReached; ++i) {
    const Matrix3 j = push(placement);
    const Matrix3 gram = j * j.transpose();
    const Eigen::SelfAdjointEigenSolver<Matrix3> spectrum(gram);
    const Matrix3& V = spectrum.eigenvectors();
    Vector3 along = V.transpose() * (target - placement.position);
    for (int k = 0; k < 3; ++k) along[k] /= std::max(spectrum.eigenvalues()[k], 0.0) + damping;
    const Vector3 step = j.transpose() * (V * along);
    std::vector<double> tried = q;
    for (int k = 0; k < 3; ++k) tried[static_cast<std::size_t>(k)] += step[k];
    SerialLink::Placement there;
    link.place(tried, there);
    const double reached = (target - there.position).norm();
    if (reached < distance) {
      q = std::move(tried);
      placement = there;
      distance = reached;
      damping = std::max(0.1 * damping, 1e-12);
    } else {
      damping *= 10.0;
    }
  }
  if (distance > kReached || !within_ranges(arm, link, q)) return {};
  return q;
}

void check_arm(const ArmSettings& arm) {
  const SerialLink link(arm.link, arm.source);
  if (!within_ranges(arm, link, arm.calibration_pose)) {
    throw InputError(arm.source, "calibration.pose",
                     fmt::format("found [{:g}]", fmt::join(arm.calibration_pose, ", ")),
                     "a pose inside the ranges of joints and axes");
  }
  SerialLink::Placement placement;
  link.place(arm.calibration_pose, placement);
  check_pushes(arm, placement, "the calibration pose");
  if (arm.axes.size() != 3) return;  // a wrist moves the handle little; its centre is not solved

  const std::vector<double> centre = coordinates_at(arm, arm.origin, arm.calibration_pose);
  if (centre.empty()) {
    throw InputError(arm.source, "frame.origin",
                     fmt::format("found a workspace centre at ({:g}, {:g}, {:g}) m that the handle "
                                 "does not reach",
                                 arm.origin.x(), arm.origin.y(), arm.origin.z()),
                     "a point within the joints' ranges");
  }
  link.place(centre, placement);
  check_pushes(arm, placement, "the workspace's centre");
  check_motors(arm, placement);
  for (int i = 0; i < 6; ++i) {
    Vector3 edge = Vector3::Zero();
    edge[i % 3] = i < 3 ? arm.workspace_radius : -arm.workspace_radius;
    if (!coordinates_at(arm, arm.origin + arm.orientation * edge, centre).empty()) continue;
    throw InputError(
        arm.source, "rating.workspace_radius", fmt::format("found {:g} m", arm.workspace_radius),
        fmt::format("a ball within the arm's reach (it ends before ({:g}, {:g}, {:g}) m)", edge.x(),
                    edge.y(), edge.z()));
  }
}

}  // namespace haptic
