#include "rt/device/arm/serial_link.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <utility>

#include "shared/error.h"

namespace haptic {

SerialLink::SerialLink(SerialLinkSettings settings, std::string_view source)
    : settings_(std::move(settings)) {
  const std::size_t n = settings_.joints.size();
  if (n == 0 || n > kMaxArmAxes) {
    throw InputError(source, "joint", fmt::format("found {} joints", n),
                     fmt::format("1 to {}", kMaxArmAxes));
  }
  coupling_.setIdentity(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    LinkJoint& joint = settings_.joints[k];
    const std::string key = fmt::format("joint[{}]", k);
    const double length = joint.axis.norm();
    if (!(length > 1e-6) || !std::isfinite(length)) {
      throw InputError(source, key + ".axis", fmt::format("found a vector of length {}", length),
                       "a direction");
    }
    joint.axis /= length;
    if (!joint.offset.allFinite() || !joint.centre.allFinite() || !std::isfinite(joint.zero)) {
      throw InputError(source, key, "found a value that is not finite", "numbers [m, rad]");
    }
    if (!(joint.mass >= 0.0) || !std::isfinite(joint.mass)) {
      throw InputError(source, key + ".mass", fmt::format("found {}", joint.mass),
                       "a number >= 0 [kg]");
    }
    if (!(joint.minimum < joint.maximum)) {
      throw InputError(source, key + ".range",
                       fmt::format("found [{}, {}]", joint.minimum, joint.maximum),
                       "the lower end first");
    }
    if (joint.coupling.empty()) continue;
    if (joint.coupling.size() != n) {
      throw InputError(source, key + ".coupling",
                       fmt::format("found {} factors", joint.coupling.size()),
                       fmt::format("one per axis ({})", n));
    }
    for (std::size_t j = 0; j < n; ++j) {
      coupling_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) = joint.coupling[j];
    }
  }
  const double volume = coupling_.allFinite() ? std::abs(coupling_.determinant()) : 0.0;
  if (!(volume > 1e-9)) {
    throw InputError(source, "joint.coupling", "found factors that leave a joint unmoved",
                     "factors by which the axes move every joint");
  }
}

double SerialLink::joint_value(std::size_t joint, std::span<const double> q) const HAPTIC_REALTIME {
  double value = settings_.joints[joint].zero;
  for (std::size_t j = 0; j < axes(); ++j) {
    value += coupling_(static_cast<Eigen::Index>(joint), static_cast<Eigen::Index>(j)) * q[j];
  }
  return value;
}

void SerialLink::place(std::span<const double> q, Placement& placement) const HAPTIC_REALTIME {
  const std::size_t n = axes();
  std::array<Vector3, kMaxArmAxes> axis, origin;  // of each joint, arm frame
  AxisVector chain_gravity = AxisVector::Zero(static_cast<Eigen::Index>(n));
  Vector3 p = Vector3::Zero();
  Quaternion r = Quaternion::Identity();
  for (std::size_t k = 0; k < n; ++k) {
    const LinkJoint& joint = settings_.joints[k];
    p += r * joint.offset;
    axis[k] = r * joint.axis;
    origin[k] = p;
    const double value = joint_value(k, q);
    if (joint.slides) {
      p += value * axis[k];
    } else {
      r = r * rotation_exponential(value * joint.axis);
    }
    if (joint.mass == 0.0) continue;
    // V = -m g . c; every joint up to this one moves the centre c.
    const Vector3 weight = joint.mass * settings_.gravity;
    const Vector3 c = p + r * joint.centre;
    for (std::size_t i = 0; i <= k; ++i) {
      const Vector3 lever =
          settings_.joints[i].slides ? axis[i] : Vector3(axis[i].cross(c - origin[i]));
      chain_gravity[static_cast<Eigen::Index>(i)] -= weight.dot(lever);
    }
  }
  placement.orientation = r.normalized();
  placement.position = p + r * settings_.tool;
  AxisJacobian chain(6, static_cast<Eigen::Index>(n));
  for (std::size_t k = 0; k < n; ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    if (settings_.joints[k].slides) {
      chain.col(column) << axis[k], Vector3::Zero();
    } else {
      chain.col(column) << axis[k].cross(placement.position - origin[k]), axis[k];
    }
  }
  placement.jacobian.noalias() = chain * coupling_;
  placement.gravity.noalias() = coupling_.transpose() * chain_gravity;
}

std::size_t SerialLink::out_of_range(std::span<const double> q,
                                     double margin) const HAPTIC_REALTIME {
  for (std::size_t k = 0; k < axes(); ++k) {
    const double value = joint_value(k, q);
    const LinkJoint& joint = settings_.joints[k];
    if (value < joint.minimum - margin || value > joint.maximum + margin) return k;
  }
  return axes();
}

}  // namespace haptic
