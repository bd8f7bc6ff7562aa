#include "rt/worlds/condensed/cone_solver.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"

namespace haptic::condensed {
namespace {

/// Share of the largest compliance that is added to the diagonal, and that a violation may have.
constexpr double kNegligible = 1e-12;

}  // namespace

ConeSolver::ConeSolver(std::size_t capacity, std::size_t sweeps)
    : capacity_(capacity),
      sweeps_(sweeps),
      normal_(capacity * capacity),
      factor_(capacity * capacity),
      active_(capacity),
      demand_(capacity),
      pressure_(capacity),
      trial_(capacity),
      gradient_(capacity),
      residual_(3 * capacity),
      state_(capacity) {
  HAPTIC_DEMAND(capacity > 0 && sweeps > 0);
}

ConeSolver::Outcome ConeSolver::solve(const SymmetricView& S, std::span<const double> b,
                                      std::span<const double> normals, std::span<const double> mu,
                                      std::span<double> lambda) HAPTIC_REALTIME {
  HAPTIC_ASSERT(S.rows <= 3 * capacity_ && b.size() == S.rows && normals.size() == S.rows);
  HAPTIC_ASSERT(3 * mu.size() == S.rows && lambda.size() == S.rows);
  const bool smooth = std::all_of(mu.begin(), mu.end(), [](double m) { return m == 0.0; });
  return smooth ? solve_frictionless(S, b, normals, lambda)
                : solve_with_friction(S, b, normals, mu, lambda);
}

/// Normal rows: P_ij = n_i^T S_ij n_j, demands -n_i . b_i.
void ConeSolver::reduce_to_normals(const SymmetricView& S, std::span<const double> b,
                                   std::span<const double> normals) HAPTIC_REALTIME {
  const std::size_t count = S.rows / 3;
  for (std::size_t i = 0; i < count; ++i) {
    const double* const n = &normals[3 * i];
    demand_[i] = -dot(n, &b[3 * i], 3);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        sum += n[a] * dot(S.row(3 * i + a) + 3 * j, &normals[3 * j], 3);
      }
      normal_[i * capacity_ + j] = normal_[j * capacity_ + i] = sum;
    }
  }
}

ConeSolver::Outcome ConeSolver::solve_frictionless(const SymmetricView& S,
                                                   std::span<const double> b,
                                                   std::span<const double> normals,
                                                   std::span<double> lambda) HAPTIC_REALTIME {
  const std::size_t count = S.rows / 3;
  reduce_to_normals(S, b, normals);
  for (std::size_t i = 0; i < count; ++i) {
    pressure_[i] = -dot(&normals[3 * i], &lambda[3 * i], 3);
  }
  const Outcome outcome = find_pressures(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t a = 0; a < 3; ++a) lambda[3 * i + a] = -pressure_[i] * normals[3 * i + a];
  }
  return outcome;
}

ConeSolver::Outcome ConeSolver::press(const SymmetricView& P, std::span<const double> d,
                                      std::span<double> p) HAPTIC_REALTIME {
  HAPTIC_ASSERT(P.rows <= capacity_ && d.size() == P.rows && p.size() == P.rows);
  for (std::size_t i = 0; i < P.rows; ++i) {
    std::copy_n(P.row(i), P.rows, &normal_[i * capacity_]);
  }
  std::copy(d.begin(), d.end(), demand_.begin());
  std::copy(p.begin(), p.end(), pressure_.begin());
  const Outcome outcome = find_pressures(P.rows);
  std::copy_n(pressure_.begin(), P.rows, p.begin());
  return outcome;
}

/// Non-negative least squares by active sets: a contact with the largest remaining demand becomes
/// active; contacts whose pressure would be negative stop at zero and leave. pressure_ is the guess
/// and the result.
ConeSolver::Outcome ConeSolver::find_pressures(std::size_t count) HAPTIC_REALTIME {
  smallest_pivot_ = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    smallest_pivot_ = std::max(smallest_pivot_, kNegligible * normal_[i * capacity_ + i]);
  }
  double largest_demand = 0.0;
  active_count_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    normal_[i * capacity_ + i] += smallest_pivot_;
    largest_demand = std::max(largest_demand, std::abs(demand_[i]));
    state_[i] = State::kFree;
  }
  const double tolerance = kNegligible * largest_demand;
  // Contacts that pressed in the guess, without those that would pull.
  for (std::size_t i = 0; i < count; ++i) {
    if (pressure_[i] > 0.0) append(i);
    pressure_[i] = 0.0;
  }
  for (bool pulls = true; pulls && active_count_ > 0;) {
    pulls = false;
    solve_active();
    for (std::size_t k = active_count_; k-- > 0;) {
      if (trial_[active_[k]] > 0.0) continue;
      take_out(k);
      pulls = true;
    }
  }
  for (std::size_t k = 0; k < active_count_; ++k) pressure_[active_[k]] = trial_[active_[k]];

  Outcome outcome;
  const std::size_t bound = 3 * capacity_ + 10;
  for (;; ++outcome.iterations) {
    std::size_t next = count;
    for (std::size_t i = 0; i < count; ++i) {
      gradient_[i] = demand_[i] - dot(&normal_[i * capacity_], pressure_.data(), count);
      if (state_[i] == State::kFree && gradient_[i] > tolerance &&
          (next == count || gradient_[i] > gradient_[next])) {
        next = i;
      }
    }
    if (next == count) break;
    if (outcome.iterations == bound) {
      outcome.converged = false;
      break;
    }
    append(next);
    solve_active();
    if (!(trial_[next] > 0.0)) {
      // Rounding: its demand is met within the tolerance of the factor.
      take_out(active_count_ - 1);
      state_[next] = State::kRefused;
      continue;
    }
    advance_to_trial();
    for (std::size_t i = 0; i < count; ++i) {
      if (state_[i] == State::kRefused) state_[i] = State::kFree;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double open = std::max(gradient_[i], 0.0);
    outcome.residual =
        std::max(outcome.residual, pressure_[i] > 0.0 ? std::abs(gradient_[i]) : open);
  }
  return outcome;
}

/// Moves the pressures to the solution of the active contacts; those that reach zero on the way
/// leave. Each round but the last takes one out at least.
void ConeSolver::advance_to_trial() HAPTIC_REALTIME {
  for (;;) {
    double share = 1.0;
    std::size_t first = active_count_;  // to reach zero; its product may round to above it
    for (std::size_t k = 0; k < active_count_; ++k) {
      const double p = pressure_[active_[k]], to = trial_[active_[k]];
      if (to > 0.0 || p >= share * (p - to)) continue;
      share = p / (p - to);
      first = k;
    }
    const bool whole = first == active_count_;
    const std::size_t count = active_count_;
    for (std::size_t k = count; k-- > 0;) {
      const std::size_t i = active_[k];
      const double p = pressure_[i], to = trial_[i];
      const bool leaves = k == first || (to <= 0.0 && p <= share * (p - to));
      pressure_[i] = whole ? to : leaves ? 0.0 : p + share * (to - p);
      if (leaves) take_out(k);
    }
    if (whole || active_count_ == 0) return;
    solve_active();
  }
}

/// Extends the Cholesky factor of the active contacts' matrix by a row.
void ConeSolver::append(std::size_t contact) HAPTIC_REALTIME {
  double* const row = &factor_[active_count_ * capacity_];
  const double* const of_P = &normal_[contact * capacity_];
  for (std::size_t k = 0; k < active_count_; ++k) {
    const double* const above = &factor_[k * capacity_];
    row[k] = (of_P[active_[k]] - dot(above, row, k)) / above[k];
  }
  const double left = of_P[contact] - dot(row, row, active_count_);
  row[active_count_] = std::sqrt(std::max(left, smallest_pivot_));
  active_[active_count_++] = contact;
  state_[contact] = State::kActive;
}

/// Deletes a row of the factor; rotations of neighbouring columns make it triangular again.
void ConeSolver::take_out(std::size_t position) HAPTIC_REALTIME {
  state_[active_[position]] = State::kFree;
  pressure_[active_[position]] = 0.0;
  --active_count_;
  for (std::size_t i = position; i < active_count_; ++i) {
    active_[i] = active_[i + 1];
    std::copy_n(&factor_[(i + 1) * capacity_], i + 2, &factor_[i * capacity_]);
  }
  for (std::size_t k = position; k < active_count_; ++k) {
    const double a = factor_[k * capacity_ + k], b = factor_[k * capacity_ + k + 1];
    const double r = std::sqrt(a * a + b * b), cosine = a / r, sine = b / r;
    for (std::size_t i = k; i < active_count_; ++i) {
      double& left = factor_[i * capacity_ + k];
      double& right = factor_[i * capacity_ + k + 1];
      const double l = left;
      left = cosine * l + sine * right;
      right = cosine * right - sine * l;
    }
  }
}

/// trial_ of the active contacts: the pressures that meet their demands.
void ConeSolver::solve_active() HAPTIC_REALTIME {
  double* const y = residual_.data();
  for (std::size_t k = 0; k < active_count_; ++k) {
    const double* const row = &factor_[k * capacity_];
    y[k] = (demand_[active_[k]] - dot(row, y, k)) / row[k];
  }
  for (std::size_t k = active_count_; k-- > 0;) {
    const double* const row = &factor_[k * capacity_];
    y[k] /= row[k];
    add_scaled(-y[k], row, k, y);
    trial_[active_[k]] = y[k];
  }
}

}  // namespace haptic::condensed
