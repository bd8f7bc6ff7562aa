#include "lab/multibody/pair_contact.h"

namespace haptic {
namespace {

/// Derivatives of the force on A.
struct ForceGradient {
  std::array<Matrix3, 2> x, turn, v, w;  // by body
};

}  // namespace

PairWrench::PairWrench() {
  for (Vector6& one : value) one.setZero();
  for (Blocks* const blocks : {&by_pose, &by_velocity}) {
    for (auto& row : *blocks) {
      for (Matrix6& block : row) block.setZero();
    }
  }
}

void PairWrench::add(const PairPoint& point, const PairBody& a, const PairBody& b,
                     PairGradient gradient) {
  const std::array<Vector3, 2> arm = {point.position - a.centre, point.position - b.centre};
  const Vector3 spring = point.stiffness * point.distance * point.normal;  // on A
  const Vector3 force =
      spring - point.damping * (a.v + a.w.cross(arm[0]) - b.v - b.w.cross(arm[1]));
  for (int body = 0; body < 2; ++body) {
    const auto i = static_cast<std::size_t>(body);
    const Vector3 on_body = body == 0 ? force : Vector3(-force);
    value[i].head<3>() += on_body;
    value[i].tail<3>() += arm[i].cross(on_body);
  }
  if (gradient == PairGradient::kNone) return;

  const bool by_field = gradient == PairGradient::kExact || gradient == PairGradient::kFixedNormal;
  const bool turns_normal = gradient == PairGradient::kExact || gradient == PairGradient::kNormal;
  const bool turns_arms = gradient != PairGradient::kNormalNoTurns;
  const Vector3& slope = by_field ? point.gradient : point.normal;
  const Matrix3 G = point.stiffness * point.normal * slope.transpose();
  const double c = point.damping;
  ForceGradient by;
  by.x = {c * skew(a.w) - G, G - c * skew(a.w)};
  by.turn = {G * skew(arm[0]) + c * skew(arm[0]) * a.w_by_turn,
             -G * skew(arm[1]) -
                 c * ((skew(b.w) - skew(a.w)) * skew(arm[1]) + skew(arm[1]) * b.w_by_turn)};
  if (turns_normal) by.turn[1] -= skew(spring);
  by.v = {-c * Matrix3::Identity(), c * Matrix3::Identity()};
  by.w = {c * skew(arm[0]), -c * skew(arm[1])};
  for (int of = 0; of < 2; ++of) {
    const auto i = static_cast<std::size_t>(of);
    const double sign = of == 0 ? 1.0 : -1.0;
    const Vector3 on_body = sign * force;
    for (int body = 0; body < 2; ++body) {
      const auto j = static_cast<std::size_t>(body);
      Matrix6 pose, velocity;
      pose << sign * by.x[j], sign * by.turn[j],  //
          sign * skew(arm[i]) * by.x[j], sign * skew(arm[i]) * by.turn[j];
      velocity << sign * by.v[j], sign * by.w[j],  //
          sign * skew(arm[i]) * by.v[j], sign * skew(arm[i]) * by.w[j];
      if (turns_arms) {
        // The point moves with B; the arm ends at the centre of the body itself.
        if (of == 0 && body == 0) pose.bottomLeftCorner<3, 3>() += skew(on_body);
        if (of == 0 && body == 1) pose.bottomLeftCorner<3, 3>() -= skew(on_body);
        if (body == 1) pose.bottomRightCorner<3, 3>() += skew(on_body) * skew(arm[1]);
      }
      by_pose[i][j] += pose;
      by_velocity[i][j] += velocity;
    }
  }
}

}  // namespace haptic
