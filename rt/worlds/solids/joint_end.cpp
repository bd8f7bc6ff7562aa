#include "rt/worlds/solids/joint_end.h"

#include <utility>

namespace haptic::solids {

JointEnd::JointEnd(std::size_t body, Eigen::Matrix3Xd displacement)
    : body_(body), displacement_(std::move(displacement)), world_displacement_(displacement_) {}

void JointEnd::begin(const JointSide& at_rest, const JointedBody::Placement& body) HAPTIC_REALTIME {
  start_ = at_rest;
  if (body.first_change < 0) return;
  const Matrix3 R = body.pose.orientation.toRotationMatrix();
  for (Eigen::Index j = 0; j < displacement_.cols(); ++j) {
    const Vector3 column = R * displacement_.col(j);
    start_.point += column * body.q[static_cast<std::size_t>(j)];
    world_displacement_.col(j) = j < body.used ? column : Vector3(Vector3::Zero());
  }
}

JointSide JointEnd::moved(const JointedBody::Placement& body,
                          const Eigen::VectorXd& x) const HAPTIC_REALTIME {
  JointSide side = start_;
  if (body.first_change >= 0) {
    for (Eigen::Index j = 0; j < world_displacement_.cols(); ++j) {
      side.point += world_displacement_.col(j) * x[body.first_change + j];
    }
  }
  return body.first_unknown < 0 ? side : side.moved(x.segment<6>(body.first_unknown));
}

void JointEnd::write_change(const Vector6& row, const Matrix3& turn,
                            std::span<double> to) const HAPTIC_REALTIME {
  // The derivative with respect to the translation is that with respect to the point.
  const Vector3 along = turn.transpose() * row.head<3>();
  for (std::size_t j = 0; j < dimension(); ++j) {
    to[j] = world_displacement_.col(static_cast<Eigen::Index>(j)).dot(along);
  }
}

}  // namespace haptic::solids
