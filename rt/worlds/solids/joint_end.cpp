#include "rt/worlds/solids/joint_end.h"

#include <Eigen/LU>
#include <algorithm>
#include <utility>

namespace haptic {

JointedBody::JointedBody(std::uint32_t dimension)
    : factors_(dimension > 0 ? std::make_unique<SmallCholesky>(dimension) : nullptr),
      diagonal_(dimension),
      solution_(dimension) {}

void JointedBody::begin(ContactSolver& solver) HAPTIC_REALTIME {
  const Eigen::MatrixXd& A = solver.matrix();
  inverse_.setZero();
  if (const std::ptrdiff_t first = placement.first_unknown; first >= 0) {
    // The motions of the origin and about it are not coupled.
    const Matrix3 move = A.block<3, 3>(first, first);
    const Matrix3 turn = A.block<3, 3>(first + 3, first + 3);
    inverse_.topLeftCorner<3, 3>() = move.inverse();
    inverse_.bottomRightCorner<3, 3>() = turn.inverse();
  }
  if (factors_ == nullptr) return;
  const Eigen::Index r = diagonal_.size();
  factors_->clear();
  for (Eigen::Index j = 0; j < r; ++j) {
    const Eigen::Index at = placement.first_change + j;
    diagonal_[j] = A(at, at);
    std::copy_n(&A(at, at), r - j, factors_->column(static_cast<std::uint32_t>(j)) + j);
  }
  factored_ = factors_->factor();
}

double JointedBody::compliance(const Vector6& motion,
                               std::span<const double> change) HAPTIC_REALTIME {
  const double rigid = placement.first_unknown >= 0 ? motion.dot(inverse_ * motion) : 0.0;
  if (factors_ == nullptr) return rigid;
  const Eigen::Map<const Eigen::VectorXd> row(change.data(), diagonal_.size());
  // A body that buckles has an indefinite block.
  if (!factored_) return rigid + (row.array().square() / diagonal_.array().abs()).sum();
  solution_ = row;
  factors_->solve(solution_.data());
  return rigid + row.dot(solution_);
}

std::size_t JointedBody::add_blocks(std::span<std::uint32_t> blocks,
                                    std::size_t count) const HAPTIC_REALTIME {
  if (placement.first_unknown >= 0) blocks[count++] = placement.block;
  if (placement.first_change >= 0 && placement.change_before == 0) {
    blocks[count++] = placement.change_block;
  }
  return count;
}

JointEnd::JointEnd(std::size_t body, Eigen::Matrix3Xd displacement)
    : body_(body), displacement_(std::move(displacement)), world_displacement_(displacement_) {}

void JointEnd::begin(const JointSide& at_rest, const JointedBody::Placement& body) HAPTIC_REALTIME {
  start_ = at_rest;
  if (body.first_change < 0) return;
  const Matrix3 R = body.pose.orientation.toRotationMatrix();
  for (Eigen::Index j = 0; j < displacement_.cols(); ++j) {
    const Vector3 column = R * displacement_.col(j);
    world_displacement_.col(j) = column;
    start_.point += column * body.q[static_cast<std::size_t>(j)];
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

}  // namespace haptic
