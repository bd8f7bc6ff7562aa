#include "rt/worlds/solids/jointed_body.h"

#include <Eigen/LU>
#include <algorithm>

namespace haptic::solids {

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
    const auto column = static_cast<std::uint32_t>(j);
    factors_->set(column, column, {&A(at, at), static_cast<std::size_t>(r - j)});
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

}  // namespace haptic::solids
