#include "rt/worlds/condensed/stick_solver.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/condensed/contact_axes.h"
#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"

namespace haptic::condensed {

namespace {

/// Part of a direction's own compliance that the others must leave it: contradicting demands are
/// then met with forces at most a hundred times those of one contact alone.
constexpr double kIndependent = 1e-2;

}  // namespace

StickSolver::StickSolver(std::size_t capacity)
    : capacity_(capacity),
      stride_(3 * capacity),
      axes_(capacity, Matrix3::Identity()),
      local_(stride_ * stride_),
      factor_(stride_ * stride_),
      coupling_(2 * capacity * capacity),
      normal_(capacity * capacity),
      b_(stride_),
      demand_(capacity),
      pressure_(capacity),
      force_(stride_),
      half_(stride_),
      slip_(capacity),
      tested_(stride_),
      held_(2 * capacity),
      cone_(capacity) {
  HAPTIC_DEMAND(capacity > 0);
}

/// S and b in the axes of the contacts.
void StickSolver::turn(const SymmetricView& S, std::span<const double> b,
                       std::span<const double> normals) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < count_; ++i) {
    axes_[i] = axes_about({-normals[3 * i], -normals[3 * i + 1], -normals[3 * i + 2]});
    const Vector3 wanted = axes_[i].transpose() * Vector3(b[3 * i], b[3 * i + 1], b[3 * i + 2]);
    for (std::size_t a = 0; a < 3; ++a) b_[3 * i + a] = wanted[static_cast<Eigen::Index>(a)];
    for (std::size_t j = 0; j <= i; ++j) {
      Matrix3 block;
      for (std::size_t a = 0; a < 3; ++a) {
        const double* const row = S.row(3 * i + a) + 3 * j;
        block.row(static_cast<Eigen::Index>(a)) << row[0], row[1], row[2];
      }
      block = axes_[i].transpose() * block * axes_[j];
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t k = 0; k < 3; ++k) {
          const double value = block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(k));
          local_[(3 * i + a) * stride_ + 3 * j + k] = value;
          local_[(3 * j + k) * stride_ + 3 * i + a] = value;
        }
      }
    }
  }
}

/// Extends the Cholesky factor of `count` rows by another one. @returns false if that direction
/// depends on them
bool StickSolver::try_row(std::size_t row, std::size_t count) HAPTIC_REALTIME {
  double* const to = &factor_[count * stride_];
  const double* const of = local(row);
  for (std::size_t k = 0; k < count; ++k) {
    const double* const above = &factor_[k * stride_];
    to[k] = (of[tested_[k]] - dot(above, to, k)) / above[k];
  }
  const double left = of[row] - dot(to, to, count);
  if (!(left > kIndependent * of[row])) return false;
  to[count] = std::sqrt(left);
  tested_[count] = row;
  return true;
}

/// The tangential directions of contacts that press now or pressed in the last step, as far as they
/// are independent of each other and of the pushes.
void StickSolver::choose_held(std::span<const double> lambda) HAPTIC_REALTIME {
  const auto may_hold = [&](std::size_t i) HAPTIC_REALTIME {
    const Vector3 last(lambda[3 * i], lambda[3 * i + 1], lambda[3 * i + 2]);
    return pressure_[i] > 0.0 || axes_[i].col(0).dot(last) > 0.0;
  };
  std::size_t rows = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (may_hold(i) && try_row(3 * i, rows)) ++rows;
  }
  held_count_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t row = 3 * i + 1; may_hold(i) && row < 3 * i + 3; ++row) {
      if (!try_row(row, rows)) continue;
      ++rows;
      held_[held_count_++] = row;
    }
  }
}

/// factor_ = L of the held directions, half_ = L^-1 b, coupling_ = L^-1 of their coupling with the
/// pushes.
void StickSolver::factorise_held() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < held_count_; ++i) {
    double* const row = &factor_[i * stride_];
    const double* const of = local(held_[i]);
    for (std::size_t k = 0; k < i; ++k) {
      const double* const above = &factor_[k * stride_];
      row[k] = (of[held_[k]] - dot(above, row, k)) / above[k];
    }
    row[i] = std::sqrt(of[held_[i]] - dot(row, row, i));
    half_[i] = (b_[held_[i]] - dot(row, half_.data(), i)) / row[i];
  }
  for (std::size_t c = 0; c < count_; ++c) {
    double* const to = &coupling_[c * 2 * capacity_];
    for (std::size_t i = 0; i < held_count_; ++i) {
      const double* const row = &factor_[i * stride_];
      to[i] = (local(held_[i])[3 * c] - dot(row, to, i)) / row[i];
    }
  }
}

void StickSolver::find_pressures() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < count_; ++i) {
    const double* const of = &coupling_[i * 2 * capacity_];
    demand_[i] = b_[3 * i] - dot(of, half_.data(), held_count_);
    for (std::size_t j = 0; j <= i; ++j) {
      normal_[i * capacity_ + j] = normal_[j * capacity_ + i] =
          local(3 * i)[3 * j] - dot(of, &coupling_[j * 2 * capacity_], held_count_);
    }
  }
  cone_.press({normal_.data(), count_, capacity_}, std::span(demand_).first(count_),
              std::span(pressure_).first(count_));
}

/// Forces in the held directions, in the axes of the contacts.
void StickSolver::find_tangential() HAPTIC_REALTIME {
  std::fill_n(force_.begin(), 3 * count_, 0.0);
  for (std::size_t i = 0; i < count_; ++i) {
    force_[3 * i] = pressure_[i];
    add_scaled(-pressure_[i], &coupling_[i * 2 * capacity_], held_count_, half_.data());
  }
  for (std::size_t i = held_count_; i-- > 0;) {
    const double* const row = &factor_[i * stride_];
    half_[i] /= row[i];
    add_scaled(-half_[i], row, i, half_.data());
    force_[held_[i]] = half_[i];
  }
}

/// Contacts without pressure hold no longer. @returns whether there were any
bool StickSolver::let_go() HAPTIC_REALTIME {
  std::size_t left = 0;
  for (std::size_t i = 0; i < held_count_; ++i) {
    if (pressure_[held_[i] / 3] > 0.0) held_[left++] = held_[i];
  }
  const bool any = left < held_count_;
  held_count_ = left;
  return any;
}

double StickSolver::finish(std::span<double> lambda) HAPTIC_REALTIME {
  double residual = 0.0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    Vector3 left;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t row = 3 * i + a;
      left[static_cast<Eigen::Index>(a)] = b_[row] - dot(local(row), force_.data(), 3 * count_);
    }
    const bool presses = pressure_[i] > 0.0;
    residual = std::max(residual, presses ? std::abs(left[0]) : left[0]);
    double slip = 0.0;
    for (std::size_t a = 1; a < 3; ++a) {
      const double along = left[static_cast<Eigen::Index>(a)];
      if (next < held_count_ && held_[next] == 3 * i + a) {
        residual = std::max(residual, std::abs(along));
        ++next;
      } else if (presses) {
        slip = std::max(slip, std::abs(along));
      }
    }
    slip_[i] = slip;
    const Vector3 force = axes_[i] * Vector3(force_[3 * i], force_[3 * i + 1], force_[3 * i + 2]);
    for (std::size_t a = 0; a < 3; ++a) lambda[3 * i + a] = force[static_cast<Eigen::Index>(a)];
  }
  return residual;
}

double StickSolver::solve(const SymmetricView& S, std::span<const double> b,
                          std::span<const double> normals,
                          std::span<double> lambda) HAPTIC_REALTIME {
  HAPTIC_ASSERT(S.rows <= stride_ && b.size() == S.rows && lambda.size() == S.rows);
  count_ = S.rows / 3;
  turn(S, b, normals);
  held_count_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Vector3 last(lambda[3 * i], lambda[3 * i + 1], lambda[3 * i + 2]);
    pressure_[i] = std::max(axes_[i].col(0).dot(last), 0.0);
  }
  find_pressures();
  choose_held(lambda);
  for (passes_ = 1;; ++passes_) {
    if (passes_ == kMaxPasses) held_count_ = 0;
    factorise_held();
    find_pressures();
    find_tangential();
    if (!let_go()) break;
  }
  return finish(lambda);
}

}  // namespace haptic::condensed
