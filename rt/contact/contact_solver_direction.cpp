// The direction of Newton's method, by elimination in the order of least fill.

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/contact/contact_solver.h"

namespace haptic {
namespace {

/// Largest block of A that is factored for a bound of the decrement. Eigen factors blocks up to
/// this size in place, without working memory.
constexpr std::uint32_t kLargestBoundBlock = 31;

}  // namespace

/// Loads H in the order of elimination.
void ContactSolver::load_matrix() HAPTIC_REALTIME {
  if (pattern_changed_) order_.find(pattern_);
  pattern_changed_ = false;
  cholesky_.clear(order_.tiles());
  for (std::uint32_t a = 0; a < pattern_.blocks(); ++a) {
    const std::uint32_t first = pattern_.first(a), size = pattern_.size(a), to = order_.place(a);
    for (std::uint32_t j = 0; j < size; ++j) {
      std::copy_n(equations_.column(first + j) + first + j, size - j,
                  cholesky_.column(to + j) + to + j);
    }
    for_each_bit(pattern_.row(a), [&](std::uint32_t b) HAPTIC_REALTIME {
      if (b <= a) return;
      const std::uint32_t rows = pattern_.size(b), below = order_.place(b);
      for (std::uint32_t j = 0; j < size; ++j) {
        const double* const column = equations_.column(first + j) + pattern_.first(b);
        if (below > to) {
          std::copy_n(column, rows, cholesky_.column(to + j) + below);
        } else {
          for (std::uint32_t i = 0; i < rows; ++i) cholesky_.column(below + i)[to + j] = column[i];
        }
      }
    });
  }
}

/// permuted_ = `from` in the order of elimination.
void ContactSolver::permute(const double* from) HAPTIC_REALTIME {
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    std::copy_n(from + pattern_.first(block), pattern_.size(block),
                permuted_.data() + order_.place(block));
  }
}

/// p = H^-1 r and the decrement r . H^-1 r; in the first iteration also its scale, the largest of
/// the decrement, b . H^-1 b and the energy of the motion to the start. (The first decrement alone
/// is no scale: it is tiny if the start is near the solution.)
/// @returns false if p is not finite
bool ContactSolver::direction() HAPTIC_REALTIME {
  ++factorisations_;
  load_matrix();
  permute(equations_.load());
  cholesky_.set_right_hand_side(0, permuted_.data());
  permute(b_.data());
  cholesky_.set_right_hand_side(1, permuted_.data());
  cholesky_.remove(order_.place(0), fixed_);
  convex_ = cholesky_.factor();
  if (!convex_) return indefinite_direction();
  decrement_ = cholesky_.energy(0);
  if (iterations_ == 0) scale_ = std::max({scale_, decrement_, cholesky_.energy(1)});
  cholesky_.solve(0, permuted_.data());
  load_direction();
  return p_.allFinite();
}

/// p = permuted_ in the order of the unknowns.
void ContactSolver::load_direction() HAPTIC_REALTIME {
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    std::copy_n(permuted_.data() + order_.place(block), pattern_.size(block),
                p_.data() + pattern_.first(block));
  }
}

bool ContactSolver::indefinite_direction() HAPTIC_REALTIME {
  const std::uint32_t n = unknowns();
  H_.setZero();
  for (std::uint32_t a = 0; a < pattern_.blocks(); ++a) {
    for_each_bit(pattern_.row(a), [&](std::uint32_t b) HAPTIC_REALTIME {
      if (b < a) return;
      const std::uint32_t below = pattern_.first(b), rows = pattern_.size(b);
      for (std::uint32_t j = pattern_.first(a); j < pattern_.first(a) + pattern_.size(a); ++j) {
        std::copy_n(equations_.column(j) + below, rows, H_.col(j).data() + below);
      }
    });
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    p_[j] = equations_.load()[j];
    if (!std::isfinite(p_[j])) return false;
    for (Eigen::Index i = j; i < n; ++i) {
      if (!std::isfinite(H_(i, j))) return false;
    }
  }
  for (Eigen::Index j = 0; j < fixed_; ++j) {
    H_.col(j).setZero();
    H_.row(j).head(j).setZero();
    H_(j, j) = 1.0;
    p_[j] = 0.0;
  }
  const Eigen::Map<const Eigen::VectorXd> load(equations_.load(), n);
  ldlt_.compute(H_);
  if (ldlt_.info() != Eigen::Success) return false;
  ldlt_.solveInPlace(p_);
  decrement_ = std::abs(p_.dot(load));
  if (iterations_ == 0) scale_ = std::max(scale_, decrement_);
  return p_.allFinite();
}

std::uint32_t ContactSolver::failed_block() const HAPTIC_REALTIME {
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    bool finite = b_.segment(first, size).allFinite();
    for (std::uint32_t j = first; j < first + size && finite; ++j) {
      finite = std::isfinite(equations_.load()[j]);
      for (std::uint32_t i = j; i < first + size && finite; ++i) {
        finite = std::isfinite(equations_.column(j)[i]);
      }
    }
    if (!finite) return block;
  }
  return kNoBlock;
}

/// Computes the Cholesky factors of the diagonal blocks of A.
void ContactSolver::find_bound() HAPTIC_REALTIME {
  bound_is_known_ = true;
  has_bound_ = true;
  std::size_t at = 0;
  for (std::uint32_t block = 0; block < pattern_.blocks() && has_bound_; ++block) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    if (size > kLargestBoundBlock) has_bound_ = false;
    if (!has_bound_) return;
    Eigen::Map<Eigen::MatrixXd> factor(bound_factors_.data() + at, size, size);
    at += std::size_t{size} * size;
    factor = A_.block(first, first, size, size);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(factor);
    has_bound_ = llt.info() == Eigen::Success;
  }
}

/// Upper bound of the decrement r . H^-1 r at x without a factor of H: r . A^-1 r, since H - A is
/// positive semidefinite. Infinity if A is not positive definite or has large blocks, and with
/// links, whose refinement needs a factor of H.
double ContactSolver::decrement_bound() HAPTIC_REALTIME {
  if (links_ > 0) return std::numeric_limits<double>::infinity();
  if (!bound_is_known_) find_bound();
  if (!has_bound_) return std::numeric_limits<double>::infinity();
  permuted_ = Eigen::Map<const Eigen::VectorXd>(equations_.load(), unknowns());
  permuted_.head(fixed_).setZero();
  std::size_t at = 0;
  for (std::uint32_t block = 0; block < pattern_.blocks(); ++block) {
    const std::uint32_t size = pattern_.size(block);
    const Eigen::Map<const Eigen::MatrixXd> factor(bound_factors_.data() + at, size, size);
    at += std::size_t{size} * size;
    double* const r = permuted_.data() + pattern_.first(block);
    for (std::uint32_t j = 0; j < size; ++j) {
      r[j] /= factor(j, j);
      for (std::uint32_t i = j + 1; i < size; ++i) r[i] -= factor(i, j) * r[j];
    }
  }
  return permuted_.squaredNorm();
}

}  // namespace haptic
