#include "rt/worlds/condensed/coulomb_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/worlds/condensed/compliance_block.h"
#include "rt/worlds/condensed/contact_axes.h"
#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"

namespace haptic::condensed {

namespace {

/// Of the proximal term, as a part of the largest compliance of a contact.
constexpr double kSoftening = 1e-3;
/// Of the largest demand: a violation of the law that is accepted after the last iteration.
constexpr double kAcceptable = 1e-5;
/// Of the largest demand.
constexpr double kSettledDemand = 1e-8;
/// Of the friction limit.
constexpr double kSettledForce = 1e-8;
constexpr int kMaxHalvings = 5;
/// Of the proximal term. Forces that still differ from its centre by so little that ten more would
/// be needed have converged a few steps later, since the guess of a step is the last one's result.
constexpr int kMaxCentres = 2;
/// Cubes of the numbers of rows, summed over the iterations: as many as twenty of 20 contacts.
constexpr double kMaxWork = 20.0 * 60.0 * 60.0 * 60.0;
constexpr int kMinIterations = 3;

Vector3 tangential(const Vector3& v) HAPTIC_REALTIME {
  return {0.0, v[1], v[2]};
}

}  // namespace

CoulombNewton::CoulombNewton(std::size_t capacity)
    : stride_(3 * capacity),
      contacts_(capacity),
      active_(capacity),
      matrix_(stride_ * stride_),
      right_(stride_),
      left_(stride_) {
  HAPTIC_DEMAND(capacity > 0);
}

void CoulombNewton::begin(const SymmetricView& S, std::span<const double> normals,
                          std::span<const double> lambda) HAPTIC_REALTIME {
  double largest = 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    Contact& c = contacts_[i];
    c.axes = axes_about({-normals[3 * i], -normals[3 * i + 1], -normals[3 * i + 2]});
    c.force = c.axes.transpose() * Vector3(lambda[3 * i], lambda[3 * i + 1], lambda[3 * i + 2]);
    c.centre = c.force;
    const double mean = block_of(S, i, i).trace() / 3.0;
    c.rho = mean > 0.0 ? 1.0 / mean : 0.0;
    largest = std::max(largest, mean);
  }
  softening_ = kSoftening * largest;
}

/// r = b - S lambda - softening (lambda - centre).
void CoulombNewton::find_left(const SymmetricView& S, std::span<const double> b) HAPTIC_REALTIME {
  std::copy(b.begin(), b.end(), left_.begin());
  for (std::size_t i = 0; i < count_; ++i) {
    if (contacts_[i].force.squaredNorm() == 0.0) continue;
    const Vector3 force = contacts_[i].axes * contacts_[i].force;
    for (std::size_t a = 0; a < 3; ++a) {
      const double f = force[static_cast<Eigen::Index>(a)];
      add_scaled(-f, S.row(3 * i + a), S.rows, left_.data());
    }
  }
  for (std::size_t i = 0; i < count_; ++i) {
    Contact& c = contacts_[i];
    c.left = c.axes.transpose() * Vector3(left_[3 * i], left_[3 * i + 1], left_[3 * i + 2]) -
             softening_ * (c.force - c.centre);
  }
}

/// Takes the branch of every contact from its force and what is left, and measures how far the
/// forces are from the law. @returns whether they satisfy it
bool CoulombNewton::choose_branches(std::span<const double> mu, double tolerance) HAPTIC_REALTIME {
  bool settled = true;
  residual_ = violation_ = 0.0;
  active_count_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    Contact& c = contacts_[i];
    const double pressure = c.force[0] + c.rho * c.left[0];
    if (!(pressure > 0.0)) {
      c.branch = Branch::kOpen;
      const double pull = c.force.norm() / std::max(c.rho, 1e-300);
      residual_ = std::max(residual_, pull);
      violation_ += pull;
      settled = settled && c.force.squaredNorm() == 0.0;
      continue;
    }
    active_[active_count_++] = i;
    const double limit = mu[i] * std::max(c.force[0], 0.0);
    const Vector3 wanted = tangential(c.force + c.rho * c.left);
    const double size = wanted.norm();
    double wrong = std::abs(c.left[0]);
    if (size <= mu[i] * pressure) {
      c.branch = Branch::kStick;
      wrong = std::max(wrong, c.left.norm());
      settled = settled && wrong <= tolerance;
    } else {
      c.branch = Branch::kSlide;
      c.direction = wanted / size;
      c.blend = limit / size;
      const double off = (tangential(c.force) - limit * c.direction).norm();
      settled = settled && wrong <= tolerance && off <= kSettledForce * limit;
      wrong = std::max(wrong, off / c.rho);
    }
    residual_ = std::max(residual_, wrong);
    violation_ += wrong;
  }
  return settled;
}

/// The tangential rows of a sliding contact, in metres; row `row` of the matrix has those of
/// S + softening. @param demand  b in its axes
void CoulombNewton::write_rows(std::size_t row, std::size_t contact, const Vector3& demand,
                               double mu) HAPTIC_REALTIME {
  const Contact& c = contacts_[contact];
  double* const first = &matrix_[(row + 1) * stride_];
  double* const second = &matrix_[(row + 2) * stride_];
  const double d1 = c.direction[1], d2 = c.direction[2], g = c.blend;
  // P = 1 - d d^T across the direction of sliding.
  const double p11 = g * (1.0 - d1 * d1), p12 = -g * d1 * d2, p22 = g * (1.0 - d2 * d2);
  for (std::size_t k = 0; k < 3 * active_count_; ++k) {
    const double a = first[k], b = second[k];
    first[k] = p11 * a + p12 * b;
    second[k] = p12 * a + p22 * b;
  }
  const double soft = 1.0 / c.rho;
  first[row + 1] += soft * (1.0 - p11), first[row + 2] -= soft * p12;
  second[row + 1] -= soft * p12, second[row + 2] += soft * (1.0 - p22);
  first[row] -= soft * mu * d1;
  second[row] -= soft * mu * d2;
  const Vector3 known = tangential(demand - c.left - soft * c.force);
  right_[row + 1] = p11 * known[1] + p12 * known[2];
  right_[row + 2] = p12 * known[1] + p22 * known[2];
}

bool CoulombNewton::solve_branches(const SymmetricView& S, std::span<const double> b,
                                   std::span<const double> mu) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < active_count_; ++i) {
    const std::size_t at = active_[i];
    const Contact& c = contacts_[at];
    const Vector3 demand = c.axes.transpose() * Vector3(b[3 * at], b[3 * at + 1], b[3 * at + 2]) +
                           softening_ * c.centre;
    for (std::size_t j = 0; j < active_count_; ++j) {
      Matrix3 block = c.axes.transpose() * block_of(S, at, active_[j]) * contacts_[active_[j]].axes;
      if (i == j) block.diagonal().array() += softening_;
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t k = 0; k < 3; ++k) {
          matrix_[(3 * i + a) * stride_ + 3 * j + k] =
              block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(k));
        }
      }
    }
    for (std::size_t a = 0; a < 3; ++a) right_[3 * i + a] = demand[static_cast<Eigen::Index>(a)];
    if (c.branch == Branch::kSlide) write_rows(3 * i, at, demand, mu[at]);
  }
  if (!eliminate(3 * active_count_)) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    contacts_[i].last = contacts_[i].force;
    contacts_[i].next.setZero();
  }
  for (std::size_t i = 0; i < active_count_; ++i) {
    contacts_[active_[i]].next = {right_[3 * i], right_[3 * i + 1], right_[3 * i + 2]};
  }
  return true;
}

/// Goes from the last forces towards the next ones, half as far each time, until that is closer to
/// the law. @returns whether the forces then satisfy it
bool CoulombNewton::move(const SymmetricView& S, std::span<const double> b,
                         std::span<const double> mu, double tolerance) HAPTIC_REALTIME {
  const double before = violation_;
  double part = 1.0;
  for (int i = 0; i <= kMaxHalvings; ++i, part *= 0.5) {
    for (std::size_t k = 0; k < count_; ++k) {
      Contact& c = contacts_[k];
      c.force = part == 1.0 ? c.next : Vector3(c.last + part * (c.next - c.last));
    }
    find_left(S, b);
    if (choose_branches(mu, tolerance)) return true;
    if (violation_ < before) return false;
  }
  return false;
}

/// Puts the centre of the proximal term where the forces are. @returns whether these satisfy the
/// law
bool CoulombNewton::recentre(const SymmetricView& S, std::span<const double> b,
                             std::span<const double> mu, double tolerance) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < count_; ++i) contacts_[i].centre = contacts_[i].force;
  find_left(S, b);
  return choose_branches(mu, tolerance);
}

void CoulombNewton::write_forces(std::span<const double> mu,
                                 std::span<double> lambda) const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < count_; ++i) {
    const Contact& c = contacts_[i];
    Vector3 local = c.force;
    // Rounding may put the force a little outside the friction cone.
    local[0] = std::max(local[0], 0.0);
    const double limit = mu[i] * local[0], across = tangential(local).norm();
    if (across > limit) local.tail<2>() *= limit / across;
    const Vector3 force = c.axes * local;
    for (std::size_t a = 0; a < 3; ++a) lambda[3 * i + a] = force[static_cast<Eigen::Index>(a)];
  }
}

/// Gaussian elimination with row pivoting; right_ becomes the solution.
bool CoulombNewton::eliminate(std::size_t rows) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < rows; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < rows; ++i) {
      if (std::abs(matrix_[i * stride_ + k]) > std::abs(matrix_[pivot * stride_ + k])) pivot = i;
    }
    double* const top = &matrix_[k * stride_];
    if (pivot != k) {
      std::swap_ranges(top + k, top + rows, &matrix_[pivot * stride_ + k]);
      std::swap(right_[k], right_[pivot]);
    }
    if (!(std::abs(top[k]) > 0.0)) return false;
    const double inverse = 1.0 / top[k];
    for (std::size_t i = k + 1; i < rows; ++i) {
      double* const row = &matrix_[i * stride_];
      const double factor = row[k] * inverse;
      if (factor == 0.0) continue;
      add_scaled(-factor, top + k + 1, rows - k - 1, row + k + 1);
      right_[i] -= factor * right_[k];
    }
  }
  for (std::size_t k = rows; k-- > 0;) {
    const double* const row = &matrix_[k * stride_];
    right_[k] = (right_[k] - dot(row + k + 1, right_.data() + k + 1, rows - k - 1)) / row[k];
    if (!std::isfinite(right_[k])) return false;
  }
  return true;
}

bool CoulombNewton::solve(const SymmetricView& S, std::span<const double> b,
                          std::span<const double> normals, std::span<const double> mu,
                          std::span<double> lambda) HAPTIC_REALTIME {
  HAPTIC_ASSERT(S.rows <= stride_ && b.size() == S.rows && lambda.size() == S.rows);
  count_ = S.rows / 3;
  begin(S, normals, lambda);
  double largest = 0.0;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  const double tolerance = kSettledDemand * largest;
  bool settled = recentre(S, b, mu, tolerance);
  int centres = 0;
  double work = 0.0;
  for (iterations_ = 0; !settled && iterations_ < kMaxIterations; ++iterations_) {
    const auto rows = static_cast<double>(3 * active_count_);
    work += rows * rows * rows;
    if (iterations_ >= kMinIterations && work > kMaxWork) break;
    if (!solve_branches(S, b, mu)) return false;
    if (!move(S, b, mu, tolerance)) continue;
    settled = recentre(S, b, mu, tolerance);
    if (++centres == kMaxCentres) break;
  }
  const bool near = settled || centres == kMaxCentres || recentre(S, b, mu, tolerance) ||
                    residual_ <= kAcceptable * largest;
  if (!near) return false;
  write_forces(mu, lambda);
  return true;
}

}  // namespace haptic::condensed
