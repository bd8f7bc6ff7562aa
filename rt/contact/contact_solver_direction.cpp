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
constexpr std::uint32_t kMaxBoundBlock = 31;

}  // namespace

/// Loads H in the order of elimination.
void ContactSolver::load_matrix(const Island& island) HAPTIC_REALTIME {
  cholesky_.set_unknowns(island.unknowns);
  cholesky_.clear(order_.tiles(island.tiles));
  for (const std::uint32_t a : island.blocks) {
    const std::uint32_t first = pattern_.first(a), size = pattern_.size(a), to = order_.place(a);
    for (std::uint32_t j = 0; j < size; ++j) {
      cholesky_.set(to + j, to + j, {equations_.column(first + j) + first + j, size - j});
    }
    for_each_bit(pattern_.row(a), [&](std::uint32_t b) HAPTIC_REALTIME {
      if (b <= a) return;
      const std::uint32_t rows = pattern_.size(b), below = order_.place(b);
      for (std::uint32_t j = 0; j < size; ++j) {
        const double* const column = equations_.column(first + j) + pattern_.first(b);
        if (below > to) {
          cholesky_.set(below, to + j, {column, rows});
        } else {
          cholesky_.set_row(to + j, below, {column, rows});
        }
      }
    });
  }
}

/// Writes the island's part of `from`, in the order of elimination, to the front of permuted_.
void ContactSolver::permute(const Island& island, const double* from) HAPTIC_REALTIME {
  for (const std::uint32_t block : island.blocks) {
    std::copy_n(from + pattern_.first(block), pattern_.size(block),
                permuted_.data() + order_.place(block));
  }
}

/// p = H^-1 r and the decrement r . H^-1 r; in the first iteration also its scale, the largest of
/// the decrement, b . H^-1 b and the energy of the motion to the start. (The first decrement alone
/// is no scale: it is tiny if the start is near the solution.)
/// @returns false if p is not finite
bool ContactSolver::direction(const Island& island) HAPTIC_REALTIME {
  ++factorisations_;
  load_matrix(island);
  permute(island, equations_.load());
  cholesky_.set_right_hand_side(0, permuted_.data());
  permute(island, b_.data());
  cholesky_.set_right_hand_side(1, permuted_.data());
  convex_ = cholesky_.factor();
  if (!convex_) return indefinite_direction(island);
  decrement_ = cholesky_.energy(0);
  if (iterations_ == 0) {
    double& scale = island.state->scale;
    scale = std::max({scale, decrement_, cholesky_.energy(1)});
  }
  cholesky_.solve(0, permuted_.data());
  return load_direction(island);
}

/// p = permuted_ in the order of the unknowns. @returns whether it is finite
bool ContactSolver::load_direction(const Island& island) HAPTIC_REALTIME {
  bool finite = true;
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
    std::copy_n(permuted_.data() + order_.place(block), size, p_.data() + first);
    finite = finite && p_.segment(first, size).allFinite();
  }
  return finite;
}

/// The same where H is not positive definite. The unknowns of other islands have the identity.
bool ContactSolver::indefinite_direction(const Island& island) HAPTIC_REALTIME {
  const std::uint32_t n = unknowns();
  H_.setIdentity();
  p_.setZero();
  for (const std::uint32_t a : island.blocks) {
    for_each_bit(pattern_.row(a), [&](std::uint32_t b) HAPTIC_REALTIME {
      if (b < a) return;
      const std::uint32_t below = pattern_.first(b), rows = pattern_.size(b);
      for (std::uint32_t j = pattern_.first(a); j < pattern_.first(a) + pattern_.size(a); ++j) {
        std::copy_n(equations_.column(j) + below, rows, H_.col(j).data() + below);
      }
    });
  }
  for (const std::uint32_t block : island.blocks) {
    for (std::uint32_t j = pattern_.first(block); j < pattern_.first(block) + pattern_.size(block);
         ++j) {
      p_[j] = equations_.load()[j];
      if (!std::isfinite(p_[j])) return false;
      for (Eigen::Index i = j; i < n; ++i) {
        if (!std::isfinite(H_(i, j))) return false;
      }
    }
  }
  const Eigen::Map<const Eigen::VectorXd> load(equations_.load(), n);
  ldlt_.compute(H_);
  if (ldlt_.info() != Eigen::Success) return false;
  ldlt_.solveInPlace(p_);
  decrement_ = std::abs(p_.dot(load));
  if (iterations_ == 0) island.state->scale = std::max(island.state->scale, decrement_);
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

void ContactSolver::forget_bounds() HAPTIC_REALTIME {
  std::ranges::fill(bounds_, Bound::kUnknown);
}

/// Computes the Cholesky factor of a diagonal block of A.
void ContactSolver::find_bound(std::uint32_t block) HAPTIC_REALTIME {
  const std::uint32_t first = pattern_.first(block), size = pattern_.size(block);
  bounds_[block] = Bound::kNone;
  if (size > kMaxBoundBlock) return;
  Eigen::Map<Eigen::MatrixXd> factor(bound_factors_.data() + bound_at_[block], size, size);
  factor = A_.block(first, first, size, size);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(factor);
  if (llt.info() == Eigen::Success) bounds_[block] = Bound::kKnown;
}

/// Upper bound of the decrement r . H^-1 r at x without a factor of H: r . A^-1 r, since H - A is
/// positive semidefinite. Infinity if A is not positive definite or has large blocks, and with
/// links, whose refinement needs a factor of H.
double ContactSolver::decrement_bound(const Island& island) HAPTIC_REALTIME {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (!island.links.empty()) return kNone;
  for (const std::uint32_t block : island.blocks) {
    if (bounds_[block] == Bound::kUnknown) find_bound(block);
    if (bounds_[block] == Bound::kNone) return kNone;
  }
  double sum = 0.0;
  for (const std::uint32_t block : island.blocks) {
    const std::uint32_t at = pattern_.first(block), size = pattern_.size(block);
    const Eigen::Map<const Eigen::MatrixXd> factor(bound_factors_.data() + bound_at_[block], size,
                                                   size);
    double* const r = permuted_.data();
    std::copy_n(equations_.load() + at, size, r);
    for (std::uint32_t j = 0; j < size; ++j) {
      r[j] /= factor(j, j);
      for (std::uint32_t i = j + 1; i < size; ++i) r[i] -= factor(i, j) * r[j];
    }
    sum += permuted_.head(size).squaredNorm();
  }
  return sum;
}

}  // namespace haptic
