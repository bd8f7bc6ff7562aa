#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

inline constexpr std::size_t kMaxArmAxes = 6;

/// One value per axis of an arm; never allocates.
using AxisVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxArmAxes, 1>;
/// 6 x axes: rows linear velocity [m/s], angular velocity [rad/s]; a column per axis coordinate.
using AxisJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMaxArmAxes>;
using AxisMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxArmAxes, kMaxArmAxes>;

/// One joint of a serial chain, from base to handle, and the link it moves. All vectors in axes
/// that are parallel to the arm's frame where every joint is at 0.
struct LinkJoint {
  bool slides = false;               ///< along the axis [m]; else it turns about it [rad]
  Vector3 offset = Vector3::Zero();  ///< from the joint before (from the arm's origin) [m]
  Vector3 axis = Vector3::UnitZ();   ///< not zero; normalised by SerialLink
  double zero = 0.0;                 ///< joint's value where its axis coordinates are 0
  /// The joint's value is zero + coupling . axis coordinates; one factor per axis. In a
  /// parallelogram arm a motor turns the forearm against the base, so its joint's value is the
  /// difference of two coordinates. Empty: the coordinate of the same number.
  std::vector<double> coupling;
  double minimum = -std::numeric_limits<double>::infinity();  ///< of the joint's value
  double maximum = std::numeric_limits<double>::infinity();
  double mass = 0.0;                 ///< of the link [kg], >= 0
  Vector3 centre = Vector3::Zero();  ///< of that mass, from this joint [m]
};

struct SerialLinkSettings {
  std::vector<LinkJoint> joints;                  ///< 1..6, as many as axes
  Vector3 tool = Vector3::Zero();                 ///< handle from the last joint [m]
  Vector3 gravity = Vector3(0.0, 0.0, -9.80665);  ///< arm frame [m/s²]
};

/// Kinematics of a serial-link arm that is all data: position, Jacobian, gravity.
///
/// Covers three slides, Phantom-like and WoodenHaptics-like arms by their chains, without code of
/// their own. Source: docs/methods/devices.md, "Chains" and "Reference arms".
class SerialLink {
 public:
  /// Where the arm is, arm frame.
  struct Placement {
    Vector3 position = Vector3::Zero();  ///< of the handle [m]
    Quaternion orientation = Quaternion::Identity();
    AxisJacobian jacobian;  ///< of the handle
    AxisVector gravity;     ///< dV/dq: generalised force that holds the links up [N·m or N]
  };

  /// @param source  file named in messages
  /// @throws InputError for an axis of length zero, a coupling that is not invertible, a count or
  ///         number out of range
  explicit SerialLink(SerialLinkSettings settings, std::string_view source = "arm");

  std::size_t axes() const HAPTIC_REALTIME { return settings_.joints.size(); }
  const SerialLinkSettings& settings() const { return settings_; }

  /// @param q one coordinate per axis [rad or m], finite
  void place(std::span<const double> q, Placement& placement) const HAPTIC_REALTIME;

  /// First joint (from 0) whose value is outside its range by more than `margin` [rad or m];
  /// axes() if none is.
  std::size_t out_of_range(std::span<const double> q, double margin) const HAPTIC_REALTIME;

 private:
  double joint_value(std::size_t joint, std::span<const double> q) const HAPTIC_REALTIME;

  SerialLinkSettings settings_;
  AxisMatrix coupling_;  // row per joint, column per axis
};

}  // namespace haptic
