#include "rt/contact/contact_solver.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic {
namespace {

/// Newton's method has converged when its decrement is below this multiple of b . H^-1 b. The
/// decrement is quadratic in the distance to the minimum, so the relative error of x is 1e-9.
constexpr double kConverged = 1e-18;
/// The line search ends where the slope is at most this fraction of the slope at its start.
constexpr double kSlope = 0.1;
constexpr int kMostTrials = 16;

using Row = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

ContactSolver::ContactSolver(std::uint32_t unknowns, std::uint32_t rows, bool friction)
    : capacity_(rows),
      stride_((unknowns + 7u) / 8u * 8u),
      A_(Eigen::MatrixXd::Zero(unknowns, unknowns)),
      H_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(stride_), unknowns)),
      b_(Eigen::VectorXd::Zero(unknowns)),
      x_(b_),
      gradient_(b_),
      p_(b_),
      Ap_(b_),
      Ax_(b_),
      contact_load_(b_),
      fixed_at_(b_),
      cholesky_(unknowns),
      ldlt_(unknowns) {
  normal_rows_.resize(stride_ * rows);
  normals_of_.resize(rows);
  e_.resize(rows);
  de_.resize(rows);
  normal_force_.resize(rows);
  normal_slope_.resize(rows);
  if (!friction) return;
  tangent_rows_.resize(2 * stride_ * rows);
  tangents_of_.resize(rows);
  s_.resize(2 * std::size_t{rows});
  ds_.resize(2 * std::size_t{rows});
}

void ContactSolver::clear() HAPTIC_REALTIME {
  A_.setZero();
  b_.setZero();
  normals_ = tangents_ = fixed_ = 0;
}

std::span<double> ContactSolver::add_normal(const Normal& normal) HAPTIC_REALTIME {
  if (normals_ == capacity_) return {};
  HAPTIC_ASSERT(normal.stiffness >= 0.0 && normal.damping >= 0.0);
  normals_of_[normals_] = normal;
  double* const row = normal_rows_.data() + stride_ * normals_++;
  std::fill(row, row + stride_, 0.0);
  return {row, unknowns()};
}

std::span<double> ContactSolver::add_tangent(const Tangent& tangent) HAPTIC_REALTIME {
  if (tangents_ == tangents_of_.size()) return {};
  HAPTIC_ASSERT(tangent.stiffness > 0.0 && tangent.limit >= 0.0);
  tangents_of_[tangents_] = tangent;
  double* const rows = tangent_rows_.data() + 2 * stride_ * tangents_++;
  std::fill(rows, rows + 2 * stride_, 0.0);
  return {rows, 2 * stride_};
}

std::uint32_t ContactSolver::pressing() const HAPTIC_REALTIME {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < normals_; ++i) count += normal_force_[i] > 0.0 ? 1 : 0;
  return count;
}

void ContactSolver::fix(std::uint32_t count, std::span<const double> values) HAPTIC_REALTIME {
  HAPTIC_ASSERT(count <= unknowns() && values.size() >= count);
  fixed_ = count;
  for (std::uint32_t j = 0; j < count; ++j) fixed_at_[j] = values[j];
}

const double* ContactSolver::normal_row(std::uint32_t i) const HAPTIC_REALTIME {
  return normal_rows_.data() + stride_ * i;
}
const double* ContactSolver::tangent_row(std::uint32_t i) const HAPTIC_REALTIME {
  return tangent_rows_.data() + 2 * stride_ * i;
}

// Both factors fall with e, so the force does too and its potential is convex.
ContactSolver::Law ContactSolver::law_of(const Normal& normal, double e) HAPTIC_REALTIME {
  if (e >= 0.0) return {0.0, 0.0};
  const double gain = 1.0 - normal.damping * (e - normal.distance);
  if (gain <= 0.0) return {0.0, 0.0};
  return {-normal.stiffness * e * gain, normal.stiffness * (gain - e * normal.damping)};
}

/// Forces and slopes at x, their load, and the gradient of the potential.
void ContactSolver::apply_forces() HAPTIC_REALTIME {
  contact_load_.setZero();
  const auto n = static_cast<Eigen::Index>(unknowns());
  for (std::uint32_t i = 0; i < normals_; ++i) {
    const Law law = law_of(normals_of_[i], e_[i]);
    normal_force_[i] = law.force;
    normal_slope_[i] = law.slope;
    if (law.force == 0.0) continue;
    contact_load_.noalias() += law.force * Row(normal_row(i), n);
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    const Tangent& t = tangents_of_[i];
    const double length = std::hypot(s_[2 * i], s_[2 * i + 1]);
    const double k = t.stiffness * length <= t.limit ? t.stiffness : t.limit / length;
    contact_load_.noalias() -= k * s_[2 * i] * Row(tangent_row(i), n);
    contact_load_.noalias() -= k * s_[2 * i + 1] * Row(tangent_row(i) + stride_, n);
  }
  gradient_ = Ax_ - b_ - contact_load_;
  gradient_.head(fixed_).setZero();
}

/// Collects rows, to add eight of them in one pass over H.
void ContactSolver::add_curvature(const double* row, double slope) HAPTIC_REALTIME {
  pending_[pending_count_] = row;
  pending_slope_[pending_count_] = slope;
  if (++pending_count_ == kPending) flush();
}

/// Adds the collected rows to each column of H, in whole vectors from the one that contains the
/// diagonal element. Elements above the diagonal are not read.
void ContactSolver::flush() HAPTIC_REALTIME {
  if (pending_count_ == 0) return;
  for (int i = pending_count_; i < kPending; ++i) {
    pending_[i] = pending_[0];
    pending_slope_[i] = 0.0;
  }
  pending_count_ = 0;
  using Vector = Eigen::Matrix<double, kLane, 1>;
  using In = Eigen::Map<const Vector, Eigen::AlignedMax>;
  const double* const rows[kPending] = {pending_[0], pending_[1], pending_[2], pending_[3],
                                        pending_[4], pending_[5], pending_[6], pending_[7]};
  const std::size_t columns = unknowns();
  double* column = H_.data();
  for (std::size_t j = 0; j < columns; ++j, column += stride_) {
    double factor[kPending];
    for (int k = 0; k < kPending; ++k) factor[k] = pending_slope_[k] * rows[k][j];
    for (std::size_t i = j / kLane * kLane; i < stride_; i += kLane) {
      Eigen::Map<Vector, Eigen::AlignedMax> out(column + i);
      Vector sum = out;
      for (int k = 0; k < kPending; ++k) sum += factor[k] * In(rows[k] + i);
      out = sum;
    }
  }
}

/// The lower triangle of the potential's Hessian at x.
void ContactSolver::assemble() HAPTIC_REALTIME {
  H_.topRows(A_.rows()) = A_;
  for (std::uint32_t i = 0; i < normals_; ++i) {
    if (normal_slope_[i] > 0.0) add_curvature(normal_row(i), normal_slope_[i]);
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    const Tangent& t = tangents_of_[i];
    const double length = std::hypot(s_[2 * i], s_[2 * i + 1]);
    const double* rows = tangent_row(i);
    if (t.limit == 0.0) continue;
    const bool sticks = t.stiffness * length <= t.limit;
    // The force of a sliding point changes when its spring turns, not when it gets longer.
    const double across = sticks ? t.stiffness : t.limit / length;
    add_curvature(rows, across);
    add_curvature(rows + stride_, across);
    if (sticks) continue;
    flush();
    const double u = s_[2 * i] / length, v = s_[2 * i + 1] / length;
    const std::size_t n = unknowns();
    for (std::size_t j = 0; j < n; ++j) {
      const double f = across * (u * rows[j] + v * rows[stride_ + j]);
      for (std::size_t k = j; k < n; ++k) {
        H_.data()[j * stride_ + k] -= f * (u * rows[k] + v * rows[stride_ + k]);
      }
    }
  }
  flush();
  for (Eigen::Index j = 0; j < fixed_; ++j) {
    H_.row(j).setZero();
    H_.col(j).setZero();
    H_(j, j) = 1.0;
  }
}

/// Changes of distances and stretches along p.
void ContactSolver::project() HAPTIC_REALTIME {
  const auto n = static_cast<Eigen::Index>(unknowns());
  for (std::uint32_t i = 0; i < normals_; ++i) de_[i] = Row(normal_row(i), n).dot(p_);
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    ds_[2 * i] = Row(tangent_row(i), n).dot(p_);
    ds_[2 * i + 1] = Row(tangent_row(i) + stride_, n).dot(p_);
  }
  Ap_.noalias() = A_.selfadjointView<Eigen::Lower>() * p_;
}

/// Derivative of the potential along p, at x + t p.
double ContactSolver::slope_along(double t) const HAPTIC_REALTIME {
  double slope = p_.dot(Ax_) + t * p_.dot(Ap_) - p_.dot(b_);
  for (std::uint32_t i = 0; i < normals_; ++i) {
    slope -= de_[i] * law_of(normals_of_[i], e_[i] + t * de_[i]).force;
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    const Tangent& of = tangents_of_[i];
    const double u = s_[2 * i] + t * ds_[2 * i], v = s_[2 * i + 1] + t * ds_[2 * i + 1];
    const double length = std::hypot(u, v);
    const double k = of.stiffness * length <= of.limit ? of.stiffness : of.limit / length;
    slope += k * (u * ds_[2 * i] + v * ds_[2 * i + 1]);
  }
  return slope;
}

/// t in (0, 1] at which the slope is small; 1 if the potential still falls there.
double ContactSolver::search() const HAPTIC_REALTIME {
  const double start = slope_along(0.0);
  double low = 0.0, high = 1.0, at_low = start, at_high = slope_along(1.0);
  if (at_high <= -kSlope * start) return 1.0;
  for (int i = 0; i < kMostTrials; ++i) {
    // Regula falsi, kept away from the ends.
    const double guess = low + (high - low) * at_low / (at_low - at_high);
    const double width = high - low;
    const double t = std::clamp(guess, low + 0.05 * width, high - 0.05 * width);
    const double slope = slope_along(t);
    if (std::abs(slope) <= -kSlope * start) return t;
    (slope < 0.0 ? low : high) = t;
    (slope < 0.0 ? at_low : at_high) = slope;
  }
  return low > 0.0 ? low : high;
}

/// p = -H^-1 gradient. @returns false if it is not finite
bool ContactSolver::direction() HAPTIC_REALTIME {
  p_ = -gradient_;
  cholesky_.compute(H_.topRows(A_.rows()));
  convex_ = cholesky_.info() == Eigen::Success;
  if (convex_) {
    cholesky_.solveInPlace(p_);
  } else if (p_.allFinite() && H_.topRows(A_.rows()).allFinite()) {
    ldlt_.compute(H_.topRows(A_.rows()));
    if (ldlt_.info() != Eigen::Success) return false;
    ldlt_.solveInPlace(p_);
  } else {
    return false;
  }
  return p_.allFinite();
}

/// b . H^-1 b, the scale of the decrement. The first decrement is no scale: it is tiny if the start
/// is near the solution.
double ContactSolver::scale_of_loads() HAPTIC_REALTIME {
  Ap_ = b_;
  if (convex_) {
    cholesky_.solveInPlace(Ap_);
  } else {
    ldlt_.solveInPlace(Ap_);
  }
  return std::abs(Ap_.dot(b_));
}

void ContactSolver::begin(Start start) HAPTIC_REALTIME {
  if (start == Start::kZero) x_.setZero();
  x_.head(fixed_) = fixed_at_.head(fixed_);
  const auto n = static_cast<Eigen::Index>(unknowns());
  for (std::uint32_t i = 0; i < normals_; ++i) {
    e_[i] = normals_of_[i].distance + Row(normal_row(i), n).dot(x_);
  }
  for (std::uint32_t i = 0; i < tangents_; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      s_[2 * i + k] = tangents_of_[i].stretch[k] + Row(tangent_row(i) + k * stride_, n).dot(x_);
    }
  }
  Ax_.noalias() = A_.selfadjointView<Eigen::Lower>() * x_;
  apply_forces();
}

ContactSolver::Result ContactSolver::solve(Start start) HAPTIC_REALTIME {
  begin(start);
  double scale = 0.0;
  for (iterations_ = 0; iterations_ < kMostIterations; ++iterations_) {
    assemble();
    if (!direction()) {
      x_.setZero();
      contact_load_.setZero();
      return Result::kNotFinite;
    }
    const double decrement = std::abs(p_.dot(gradient_));
    if (iterations_ == 0) scale = std::max(decrement, scale_of_loads());
    if (!(decrement > kConverged * scale)) return Result::kConverged;
    project();
    const double t = convex_ ? search() : 1.0;
    x_ += t * p_;
    Ax_ += t * Ap_;
    bool same = t == 1.0 && tangents_ == 0;
    for (std::uint32_t i = 0; i < normals_; ++i) {
      e_[i] += t * de_[i];
      same = same && normals_of_[i].damping == 0.0 && (e_[i] < 0.0) == (normal_slope_[i] > 0.0);
    }
    for (std::size_t i = 0; i < 2 * std::size_t{tangents_}; ++i) s_[i] += t * ds_[i];
    apply_forces();
    // No contact has begun or ended, so the potential is quadratic over the step: x is its minimum.
    if (same) {
      ++iterations_;
      return Result::kConverged;
    }
  }
  return Result::kStopped;
}

}  // namespace haptic
