#include "rt/coupling/coupling_law.h"

#include <cmath>

namespace haptic {

namespace {

// Vector part and scalar part of the unclipped torque quaternion, q_T = -k_T (q_s q_m^-1)+
// (Barbic 2007, Eq 4.25).
struct TorqueQuaternion {
  Vector3 vector;
  double scalar;
};

TorqueQuaternion torque_quaternion(const Quaternion& q_m, const Quaternion& q_s,
                                   double k) HAPTIC_REALTIME {
  const Quaternion gap = to_positive_hemisphere(q_s * q_m.conjugate());
  return {-k * gap.vec(), -k * gap.w()};
}

Matrix3 unclipped_torque_gradient(const TorqueQuaternion& q_t) HAPTIC_REALTIME {
  return 0.5 * (q_t.scalar * Matrix3::Identity() - skew(q_t.vector));
}

// exp(-c (r / r_lin - 1) / (1 - c)); 0 for c = 1.
double decay(double r, double r_lin, double linear) HAPTIC_REALTIME {
  return linear < 1.0 ? std::exp(linear / (1.0 - linear) * (1.0 - r / r_lin)) : 0.0;
}

double longest_linear(const SpringLaw& law) HAPTIC_REALTIME {
  return law.linear * law.maximum / law.stiffness;
}

}  // namespace

double saturated_magnitude(double r, const SpringLaw& law) HAPTIC_REALTIME {
  const double r_lin = longest_linear(law);
  if (r <= r_lin) return law.stiffness * r;
  return law.maximum * (1.0 - (1.0 - law.linear) * decay(r, r_lin, law.linear));
}

Vector3 coupling_force(const Vector3& gap, const SpringLaw& law) HAPTIC_REALTIME {
  const double r = gap.norm();
  if (r <= longest_linear(law)) return law.stiffness * gap;
  return saturated_magnitude(r, law) / r * gap;
}

Matrix3 coupling_force_gradient(const Vector3& gap, const SpringLaw& law) HAPTIC_REALTIME {
  const double r = gap.norm();
  const double r_lin = longest_linear(law);
  if (r <= r_lin) return -law.stiffness * Matrix3::Identity();
  const Vector3 e = gap / r;
  const double secant = saturated_magnitude(r, law) / r;
  const double tangent = law.stiffness * decay(r, r_lin, law.linear);
  return -secant * Matrix3::Identity() + (secant - tangent) * e * e.transpose();
}

Matrix3 coupling_force_secant(const Vector3& gap, const SpringLaw& law) HAPTIC_REALTIME {
  const double r = gap.norm();
  if (r <= longest_linear(law)) return -law.stiffness * Matrix3::Identity();
  return -saturated_magnitude(r, law) / r * Matrix3::Identity();
}

Vector3 coupling_torque(const Quaternion& q_m, const Quaternion& q_s,
                        const SpringLaw& law) HAPTIC_REALTIME {
  const Vector3 torque = torque_quaternion(q_m, q_s, law.stiffness).vector;
  const double magnitude = torque.norm();
  return magnitude <= law.maximum ? torque : Vector3(law.maximum / magnitude * torque);
}

Matrix3 coupling_torque_gradient(const Quaternion& q_m, const Quaternion& q_s,
                                 const SpringLaw& law) HAPTIC_REALTIME {
  const TorqueQuaternion q_t = torque_quaternion(q_m, q_s, law.stiffness);
  const Matrix3 gradient = unclipped_torque_gradient(q_t);
  const double magnitude = q_t.vector.norm();
  if (magnitude <= law.maximum) return gradient;
  const Vector3 e = q_t.vector / magnitude;
  return law.maximum / magnitude * (gradient - e * (e.transpose() * gradient));
}

Matrix3 coupling_torque_secant(const Quaternion& q_m, const Quaternion& q_s,
                               const SpringLaw& law) HAPTIC_REALTIME {
  const TorqueQuaternion q_t = torque_quaternion(q_m, q_s, law.stiffness);
  const double magnitude = q_t.vector.norm();
  const double scale = magnitude <= law.maximum ? 1.0 : law.maximum / magnitude;
  return scale * unclipped_torque_gradient(q_t);
}

}  // namespace haptic
