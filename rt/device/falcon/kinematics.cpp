#include "rt/device/falcon/kinematics.h"

#include <Eigen/LU>
#include <cmath>

namespace haptic {
namespace {

struct Leg {
  double theta1, theta2, theta3;
};

// The leg whose plane is turned by `phi`: theta1 of the upper arm, theta2 and theta3 of the
// parallelogram (docs/methods/devices.md, "Inverse kinematics").
bool solve(const FalconGeometry& g, const Vector3& p, double phi, Leg& leg) HAPTIC_REALTIME {
  const double sin_phi = std::sin(phi), cos_phi = std::cos(phi);
  const double u = cos_phi * p.x() + sin_phi * p.y() - g.r;
  const double v = -sin_phi * p.x() + cos_phi * p.y() - g.s;
  const double w = p.z();

  const double cos_theta3 = (v + g.f) / g.b;
  if (!(std::abs(cos_theta3) < 1.0)) return false;
  const double L = g.d + g.e + g.b * std::sqrt(1.0 - cos_theta3 * cos_theta3);
  const double R = std::hypot(u + g.c, w);
  const double K = (R * R + g.a * g.a - L * L) / (2.0 * g.a);
  if (!(std::abs(K) < R)) return false;
  leg.theta1 = std::atan2(w, u + g.c) - std::acos(K / R);
  leg.theta2 = std::atan2(w - g.a * std::sin(leg.theta1), u + g.c - g.a * std::cos(leg.theta1));
  leg.theta3 = std::acos(cos_theta3);
  return true;
}

}  // namespace

bool FalconKinematics::inverse(const Vector3& position, Vector3& angles) const HAPTIC_REALTIME {
  Vector3 found;
  for (int i = 0; i < 3; ++i) {
    Leg leg;
    if (!solve(geometry_, position, geometry_.leg_angles[i], leg)) return false;
    found[i] = leg.theta1;
  }
  angles = found;
  return true;
}

bool FalconKinematics::inverse(const Vector3& position, Vector3& angles,
                               Matrix3& jacobian) const HAPTIC_REALTIME {
  Vector3 found;
  Matrix3 rows;
  for (int i = 0; i < 3; ++i) {
    const double phi = geometry_.leg_angles[i];
    Leg leg;
    if (!solve(geometry_, position, phi, leg)) return false;
    const double sin2 = std::sin(leg.theta2), cos2 = std::cos(leg.theta2);
    const double sin3 = std::sin(leg.theta3), cos3 = std::cos(leg.theta3);
    const double den = -geometry_.a * sin3 * std::sin(leg.theta1 - leg.theta2);
    if (!(std::abs(den) > 1e-6)) return false;  // the arm is stretched: a singular position
    const double u = cos2 * sin3 / den, v = cos3 / den, w = sin2 * sin3 / den;
    rows.row(i) << std::cos(phi) * u - std::sin(phi) * v, std::sin(phi) * u + std::cos(phi) * v, w;
    found[i] = leg.theta1;
  }
  angles = found;
  jacobian = rows;
  return true;
}

bool FalconKinematics::forward(const Vector3& angles, Vector3& position) const HAPTIC_REALTIME {
  constexpr int kMaxSteps = 30, kMaxHalvings = 10;
  constexpr double kMaxStep = 0.03;     // m; a Newton step across the workspace is no good guess
  constexpr double kConverged = 1e-10;  // m; quadratic convergence makes the next one vanish
  if (!angles.allFinite()) return false;
  Vector3 x = position, reached;
  Matrix3 jacobian;
  if (!inverse(x, reached, jacobian)) return false;
  for (int k = 0; k < kMaxSteps; ++k) {
    if (!(std::abs(jacobian.determinant()) > 1.0)) return false;  // rad³/m³; some 1e4 inside
    Vector3 step = jacobian.inverse() * (angles - reached);
    const double length = step.norm();
    if (length > kMaxStep) step *= kMaxStep / length;
    int halvings = 0;
    while (!inverse(x + step, reached, jacobian)) {
      if (++halvings > kMaxHalvings) return false;
      step *= 0.5;
    }
    x += step;
    if (length < kConverged && halvings == 0) {
      position = x;
      return true;
    }
  }
  return false;
}

}  // namespace haptic
