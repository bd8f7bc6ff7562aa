#include "lab/multibody/momentum_step.h"

#include <Eigen/LU>
#include <array>

namespace haptic {
namespace {

using Matrix4x3 = Eigen::Matrix<double, 4, 3>;
using Matrix4 = Eigen::Matrix4d;
using Vector4 = Eigen::Vector4d;

Vector4 values_of(const Quaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

/// Q with Q w = (0, w) q / 2. Linear in q.
Matrix4x3 rate_matrix(const Vector4& q) {
  Matrix4x3 Q;
  Q << -q[1], -q[2], -q[3],  //
      q[0], q[3], -q[2],     //
      -q[3], q[0], q[1],     //
      q[2], -q[1], q[0];
  return 0.5 * Q;
}

/// R(q) as a quadratic form.
Matrix3 rotation_of(const Vector4& q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  Matrix3 R;
  R << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return R;
}

/// dR / dq_i.
std::array<Matrix3, 4> rotation_derivatives(const Vector4& q) {
  const double w = 2 * q[0], x = 2 * q[1], y = 2 * q[2], z = 2 * q[3];
  std::array<Matrix3, 4> d;
  d[0] << w, -z, y, z, w, -x, -y, x, w;
  d[1] << x, y, z, y, -x, -w, z, w, -x;
  d[2] << -y, x, w, x, y, z, -w, z, -y;
  d[3] << -z, -w, x, w, -z, y, x, y, z;
  return d;
}

/// What both forms of the step need.
struct Kinematics {
  Kinematics(const RigidProperties& body, const RigidState& state)
      : q(values_of(state.orientation)),
        Q(rate_matrix(q)),
        rate_by_q(quaternion_rate_derivative(body, q, state.angular_momentum)) {
    const Matrix3 R = rotation_of(q);
    inverse_inertia = R * body.inertia.inverse() * R.transpose();
    v = state.momentum / body.mass;
    w = inverse_inertia * state.angular_momentum;
  }

  Vector4 q;
  Matrix4x3 Q;
  Matrix4 rate_by_q;
  Matrix3 inverse_inertia;
  Vector3 v, w;
};

RigidState moved(const RigidState& state, const Vector3& dx, const Vector4& dq, const Vector3& dP,
                 const Vector3& dL) {
  RigidState end = state;
  end.centre += dx;
  const Vector4 q = (values_of(state.orientation) + dq).normalized();
  end.orientation = Quaternion(q[0], q[1], q[2], q[3]);
  end.momentum += dP;
  end.angular_momentum += dL;
  return end;
}

}  // namespace

Eigen::Vector4d quaternion_rate(const RigidProperties& body, const Eigen::Vector4d& q,
                                const Vector3& angular_momentum) {
  const Matrix3 R = rotation_of(q);
  return rate_matrix(q) * (R * (body.inertia.inverse() * (R.transpose() * angular_momentum)));
}

Eigen::Matrix4d quaternion_rate_derivative(const RigidProperties& body, const Eigen::Vector4d& q,
                                           const Vector3& angular_momentum) {
  const Matrix3 R = rotation_of(q), inverse = body.inertia.inverse();
  const Vector3 in_body = inverse * (R.transpose() * angular_momentum);
  const Vector3 w = R * in_body;
  const std::array<Matrix3, 4> dR = rotation_derivatives(q);
  const Matrix4x3 Q = rate_matrix(q);
  Matrix4 derivative;
  for (int i = 0; i < 4; ++i) {
    const Matrix3& d = dR[static_cast<std::size_t>(i)];
    const Vector3 dw = d * in_body + R * (inverse * (d.transpose() * angular_momentum));
    derivative.col(i) = rate_matrix(Vector4::Unit(i)) * w + Q * dw;
  }
  return derivative;
}

RigidState full_momentum_step(const RigidProperties& body, const LinearWrench& wrench, double h,
                              const RigidState& state) {
  const Kinematics at(body, state);
  using Matrix13 = Eigen::Matrix<double, 13, 13>;
  using Vector13 = Eigen::Matrix<double, 13, 1>;
  Matrix13 derivative = Matrix13::Zero();  // order: x, q, P, L
  derivative.block<3, 3>(0, 7).diagonal().setConstant(1.0 / body.mass);
  derivative.block<4, 4>(3, 3) = at.rate_by_q;
  derivative.block<4, 3>(3, 10) = at.Q * at.inverse_inertia;
  derivative.block<6, 3>(7, 0) = wrench.by_pose.leftCols<3>();
  derivative.block<6, 4>(7, 3) = 4.0 * wrench.by_pose.rightCols<3>() * at.Q.transpose();
  derivative.block<6, 3>(7, 7) = wrench.by_velocity.leftCols<3>() / body.mass;
  derivative.block<6, 3>(7, 10) = wrench.by_velocity.rightCols<3>() * at.inverse_inertia;
  Vector13 rate;
  rate << at.v, at.Q * at.w, wrench.value;
  const Matrix13 system = Matrix13::Identity() - h * derivative;
  const Vector13 change = system.partialPivLu().solve(h * rate);
  return moved(state, change.segment<3>(0), change.segment<4>(3), change.segment<3>(7),
               change.segment<3>(10));
}

MomentumKinematics::MomentumKinematics(const RigidProperties& body, const RigidState& state,
                                       double h)
    : state_(state), h_(h), mass_(body.mass) {
  const Kinematics at(body, state);
  K_Q_ = (Matrix4::Identity() - h * at.rate_by_q).inverse() * at.Q;
  turn_ = 4.0 * at.Q.transpose() * K_Q_;
  inverse_inertia_ = at.inverse_inertia;
  v_ = at.v;
  w_ = at.w;
}

RigidState MomentumKinematics::end(const Vector3& dP, const Vector3& dL) const {
  return moved(state_, h_ * (v_ + dP / mass_), K_Q_ * (h_ * (w_ + inverse_inertia_ * dL)), dP, dL);
}

RigidState reduced_momentum_step(const RigidProperties& body, const LinearWrench& wrench, double h,
                                 const RigidState& state) {
  const MomentumKinematics at(body, state, h);
  const Eigen::Matrix<double, 6, 3> by_turn = wrench.by_pose.rightCols<3>() * at.turn();
  Matrix6 system;
  system.leftCols<3>() =
      (wrench.by_velocity.leftCols<3>() + h * wrench.by_pose.leftCols<3>()) * (-h / body.mass);
  system.rightCols<3>() =
      -h * (wrench.by_velocity.rightCols<3>() + h * by_turn) * at.inverse_inertia();
  system.diagonal().array() += 1.0;
  const Vector6 load =
      h * (wrench.value + h * (wrench.by_pose.leftCols<3>() * at.v() + by_turn * at.w()));
  const Vector6 change = system.partialPivLu().solve(load);
  return at.end(change.head<3>(), change.tail<3>());
}

LinearWrench PlaneContact::at(const RigidProperties& body, const Eigen::Matrix3Xd& points,
                              const RigidState& state) const {
  const Matrix3 R = state.orientation.toRotationMatrix();
  const Matrix3 inverse_inertia = R * body.inertia.inverse() * R.transpose();
  const Vector3 v = state.momentum / body.mass, w = inverse_inertia * state.angular_momentum;
  const Matrix3 w_by_turn = inverse_inertia * skew(state.angular_momentum) - skew(w);
  const Matrix3 nn = k_ * normal_ * normal_.transpose();
  LinearWrench sum;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const Vector3 p = R * points.col(i);
    const double depth = height_ - normal_.dot(state.centre + p);
    if (depth <= 0.0) continue;
    const Vector3 force = k_ * depth * normal_ - c_ * (v + w.cross(p));
    const Matrix3 arm = skew(p);
    const Matrix3 by_turn = nn * arm + c_ * (arm * w_by_turn + skew(w) * arm);
    sum.value.head<3>() += force;
    sum.value.tail<3>() += p.cross(force);
    sum.by_pose.topLeftCorner<3, 3>() -= nn;
    sum.by_pose.topRightCorner<3, 3>() += by_turn;
    sum.by_pose.bottomLeftCorner<3, 3>() -= arm * nn;
    sum.by_pose.bottomRightCorner<3, 3>() += arm * by_turn + skew(force) * arm;
    sum.by_velocity.topLeftCorner<3, 3>().diagonal().array() -= c_;
    sum.by_velocity.topRightCorner<3, 3>() += c_ * arm;
    sum.by_velocity.bottomLeftCorner<3, 3>() -= c_ * arm;
    sum.by_velocity.bottomRightCorner<3, 3>() += c_ * arm * arm;
  }
  return sum;
}

}  // namespace haptic
