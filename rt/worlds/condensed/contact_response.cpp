#include "rt/worlds/condensed/contact_response.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/condensed/compliance_block.h"
#include "rt/worlds/condensed/contact_axes.h"
#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"

namespace haptic::condensed {

namespace {

/// Of the largest compliance of a row, added to each: makes the forces of redundant contacts
/// unique.
constexpr double kRedundant = 1e-10;
/// Of the friction cone: the force of a sliding contact is on the cone, and has to turn with the
/// slip, which is linear here.
constexpr double kBeyondCone = 1.05;

}  // namespace

ContactResponse::ContactResponse(std::size_t capacity)
    : stride_(3 * capacity + kColumns), pressing_(capacity), matrix_(3 * capacity * stride_, 0.0) {
  HAPTIC_DEMAND(capacity > 0);
}

void ContactResponse::choose_rows(const Solution& solution) HAPTIC_REALTIME {
  count_ = rows_ = 0;
  for (std::size_t i = 0; 3 * i < solution.forces.size(); ++i) {
    const Vector3 push = -contact_vector(solution.normals, i),
                  force = contact_vector(solution.forces, i);
    const double pressure = push.dot(force), mu = solution.friction[i];
    if (!(pressure > 0.0)) continue;
    Pressing& p = pressing_[count_++];
    p = {.contact = i,
         .first_row = rows_,
         .rows = 3,
         .tests = Matrix3::Identity(),
         .trials = Matrix3::Identity(),
         .turning = 0.0,
         .pressure = pressure};
    const Vector3 across = force - pressure * push;
    if (across.norm() >= kAtLimit * mu * pressure) {
      p.tests.col(0) = push;
      p.trials.col(0) = force / pressure;
      p.rows = 1;
      if (mu > 0.0) {
        const Vector3 side = push.cross(across).normalized();
        const Vector3 slip = contact_vector(solution.slips, i);
        p.tests.col(1) = p.trials.col(1) = side;
        p.turning = std::max(slip.dot(across), 0.0) / across.squaredNorm();
        p.rows = 2;
      }
    }
    rows_ += static_cast<std::size_t>(p.rows);
  }
}

void ContactResponse::assemble(const Solution& solution, const Matrix6& mobility,
                               const Vector6& stiffness) HAPTIC_REALTIME {
  double largest = 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Pressing& p = pressing_[i];
    const Jacobian moved = solution.jacobians[p.contact] * mobility;
    for (std::size_t j = 0; j < count_; ++j) {
      const Pressing& q = pressing_[j];
      const Matrix3 between = p.tests.transpose() *
                              (block_of(solution.compliance, p.contact, q.contact) +
                               moved * solution.jacobians[q.contact].transpose()) *
                              q.trials;
      for (Eigen::Index a = 0; a < p.rows; ++a) {
        for (Eigen::Index b = 0; b < q.rows; ++b) {
          matrix_[(p.first_row + static_cast<std::size_t>(a)) * stride_ + q.first_row +
                  static_cast<std::size_t>(b)] = between(a, b);
        }
      }
    }
    const Jacobian wanted = p.tests.transpose() * moved * stiffness.asDiagonal();
    for (Eigen::Index a = 0; a < p.rows; ++a) {
      double* const row = &matrix_[(p.first_row + static_cast<std::size_t>(a)) * stride_];
      largest = std::max(largest, row[p.first_row + static_cast<std::size_t>(a)]);
      for (Eigen::Index k = 0; k < kColumns; ++k) {
        row[rows_ + static_cast<std::size_t>(k)] = wanted(a, k);
      }
    }
    if (p.rows == 2) matrix_[(p.first_row + 1) * stride_ + p.first_row + 1] += p.turning;
  }
  for (std::size_t i = 0; i < rows_; ++i) matrix_[i * stride_ + i] += kRedundant * largest;
}

/// Gaussian elimination with row pivoting; the right-hand sides become the solutions.
bool ContactResponse::eliminate() HAPTIC_REALTIME {
  const std::size_t width = rows_ + kColumns;
  for (std::size_t k = 0; k < rows_; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < rows_; ++i) {
      if (std::abs(matrix_[i * stride_ + k]) > std::abs(matrix_[pivot * stride_ + k])) pivot = i;
    }
    double* const top = &matrix_[k * stride_];
    if (pivot != k) std::swap_ranges(top + k, top + width, &matrix_[pivot * stride_ + k]);
    if (!(std::abs(top[k]) > 0.0) || !std::isfinite(top[k])) return false;
    for (std::size_t i = k + 1; i < rows_; ++i) {
      double* const row = &matrix_[i * stride_];
      const double factor = row[k] / top[k];
      if (factor != 0.0) add_scaled(-factor, top + k + 1, width - k - 1, row + k + 1);
    }
  }
  for (std::size_t k = rows_; k-- > 0;) {
    double* const row = &matrix_[k * stride_];
    for (std::size_t j = k + 1; j < rows_; ++j) {
      add_scaled(-row[j], &matrix_[j * stride_ + rows_], kColumns, row + rows_);
    }
    for (std::size_t c = 0; c < kColumns; ++c) row[rows_ + c] /= row[k];
  }
  return true;
}

bool ContactResponse::find(const Solution& solution, const Matrix6& mobility,
                           const Vector6& stiffness, const Vector6& held_back,
                           HeldResponse& response) HAPTIC_REALTIME {
  choose_rows(solution);
  if (count_ == 0) return false;
  assemble(solution, mobility, stiffness);
  if (!eliminate()) return false;
  Matrix6 gradient = Matrix6::Zero();  // of the wrench on the tool by d
  Vector6 wrench = Vector6::Zero(), release = Vector6::Zero();
  double pressure = 0.0, cone = 0.0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Pressing& p = pressing_[i];
    Jacobian change = Jacobian::Zero();  // of the contact's force by d
    for (Eigen::Index a = 0; a < p.rows; ++a) {
      const double* const row = &matrix_[(p.first_row + static_cast<std::size_t>(a)) * stride_];
      for (Eigen::Index k = 0; k < kColumns; ++k) {
        change.col(k) += row[rows_ + static_cast<std::size_t>(k)] * p.trials.col(a);
      }
    }
    const Jacobian& J = solution.jacobians[p.contact];
    gradient -= J.transpose() * change;
    wrench -= J.transpose() * contact_vector(solution.forces, p.contact);
    release -= change.transpose() * contact_vector(solution.normals, p.contact);
    pressure += p.pressure;
    cone += p.pressure * std::hypot(1.0, solution.friction[p.contact]);
  }
  response.free = mobility * stiffness.asDiagonal();
  response.contact = mobility * gradient;
  const Matrix6 Y = response.free + response.contact;
  response.free -= Y * held_back.asDiagonal() * Y;
  response.pushed = mobility * wrench;
  response.release = release / pressure;
  // The mobility is the same along every axis.
  response.reach = kBeyondCone * mobility(0, 0) * cone;
  return true;
}

}  // namespace haptic::condensed
