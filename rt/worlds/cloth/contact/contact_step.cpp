#include "rt/worlds/cloth/contact/contact_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/product_sum.h"
#include "shared/error.h"

namespace haptic::cloth {
namespace {

ContactStepSettings checked(const ContactStepSettings& settings) {
  check_solver(settings.solver);
  if (settings.most_passes == 0) throw InputError("", "contact passes", "0", "an integer >= 1");
  return settings;
}

}  // namespace

ContactStep::ContactStep(ClothSystem& of, double dt, ContactStepSettings settings,
                         std::span<const std::uint32_t> partners)
    : ClothIntegrator(of, dt),
      settings_(checked(settings)),
      rows_(settings.contact_capacity,
            partners.empty() ? 0 : *std::max_element(partners.begin(), partners.end())),
      partners_(partners),
      matrix_(of.springs().springs(), of.size()),
      preconditioner_(of.springs().springs(), of.size()),
      gradients_(of.size(), settings.solver.most_iterations),
      force_(3 * of.size()),
      right_(3 * of.size()),
      change_(3 * of.size()),
      end_(3 * of.size()),
      base_(3 * of.size()),
      residual_(3 * of.size()),
      product_(3 * of.size()),
      start_(3 * of.size()),
      first_residual_(3 * of.size()),
      components_(preconditioner_.aggregates().size()) {
  of.keep_wind_damping();
}

/// right - A dv + h J^T F, of the forces of rows_.
void ContactStep::set_residual() HAPTIC_REALTIME {
  residual_is_current_ = true;
  matrix_.multiply(change_, product_);
  for (std::size_t k = 0; k < right_.size(); ++k) residual_[k] = right_[k] - product_[k];
  finish_residual();
}

void ContactStep::finish_residual() HAPTIC_REALTIME {
  rows_.add_impulses(1.0, residual_);
  system().constraints().filter(residual_);
}

/// Size of the impulses of gravity and contacts, in the norm of the preconditioner.
double ContactStep::load_size() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < system().size(); ++i) {
    at(product_, i) = dt() * system().masses()[i] * system().surroundings().gravity;
  }
  rows_.add_impulses(1.0, product_);
  system().constraints().filter(product_);
  return gradients_.size(preconditioner_, product_);
}

/// Motions and forces of the velocities v + change_.
void ContactStep::evaluate(std::span<const double> v) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < end_.size(); ++k) end_[k] = v[k] + change_[k];
  rows_.evaluate(end_, partners_);
}

/// Ends a pass where the point's energy is least on its way. @returns false at the end of the way
bool ContactStep::shorten(std::span<const double> v) HAPTIC_REALTIME {
  if (!rows_.point().presses()) return false;
  const double curvature =
      product_sum(first_residual_, change_) - product_sum(first_residual_, start_);
  const double part = rows_.point().best_part(curvature);
  if (!(part < 1.0)) return false;
  for (std::size_t k = 0; k < change_.size(); ++k) {
    change_[k] = start_[k] + part * (change_[k] - start_[k]);
  }
  residual_is_current_ = false;
  evaluate(v);
  return true;
}

/// Lets the contacts press as the last decision says. @returns false if a partner's matrix is not
/// definite
bool ContactStep::press(std::span<const double> v) HAPTIC_REALTIME {
  partners_.clear_stiffness();
  rows_.prepare(partners_);
  if (!partners_.factor()) return false;
  evaluate(v);
  return true;
}

void ContactStep::set_preconditioner() HAPTIC_REALTIME {
  preconditioner_.set(matrix_, system().constraints());
  rows_.add_to(preconditioner_);
  preconditioner_.factor();
  preconditioner_knows_ = true;
}

/// Decides anew how contacts press at the end of change_.
void ContactStep::decide(std::span<const double> v) HAPTIC_REALTIME {
  evaluate(v);
  const bool shortened = shorten(v);
  point_changed_ = rows_.point().decide() > 0 || shortened;
  outcome_.unsettled = rows_.decide() + (point_changed_ ? 1 : 0);
}

/// Solves for the contacts as they press, to `enough` only if none has changed on the way there.
/// @param left  r . P^-1 r before, computed last  @returns it at the end
double ContactStep::run_pass(std::span<const double> v, double enough,
                             double left) HAPTIC_REALTIME {
  constexpr double kLook = 0.01;  // r . P^-1 r at which contacts are looked at, by that before
  ++outcome_.passes;
  if (rows_.point().presses()) {  // for shorten()
    std::copy(change_.begin(), change_.end(), start_.begin());
    std::copy(residual_.begin(), residual_.end(), first_residual_.begin());
  }
  const bool is_last = outcome_.passes == settings_.most_passes;
  ContactGradients::Problem problem{
      matrix_, system().constraints(), preconditioner_, rows_, partners_, enough};
  if (!is_last) problem.tolerance = std::max(enough, kLook * left);
  ContactGradients::Outcome pass = gradients_.begin(problem, left, residual_, change_);
  if (pass.converged && pass.left > enough) {
    decide(v);
    if (outcome_.unsettled == 0) {
      problem.tolerance = enough;
      pass = gradients_.go_on(problem, residual_, change_);
    }
  } else {
    outcome_.unsettled = 0;
  }
  outcome_.iterations += pass.iterations;
  if (outcome_.unsettled > 0) return pass.left;
  if (preconditioner_knows_ && pass.iterations > 0) {
    preconditioner_.correct(residual_, change_);
    residual_is_current_ = false;
  }
  decide(v);
  return pass.left;
}

bool ContactStep::solve(std::span<const double> v) HAPTIC_REALTIME {
  const double tolerance = settings_.solver.tolerance * settings_.solver.tolerance;
  outcome_ = {};
  rows_.predict(v, dt());
  std::fill(change_.begin(), change_.end(), 0.0);
  if (!press(v)) return false;
  set_preconditioner();
  std::copy(right_.begin(), right_.end(), residual_.begin());
  finish_residual();
  double first = gradients_.size(preconditioner_, residual_);  // squared, as `left` and `enough`
  preconditioner_.correct(residual_, change_);
  evaluate(v);
  set_residual();
  const double load = load_size();
  double left = gradients_.size(preconditioner_, residual_);
  bool solved = false;
  while (!solved) {
    // At rest a residual is what rounding leaves of the loads; it needs no solution.
    constexpr double kRest = 1e-6;  // 1e-3 of the loads
    first = std::max(first, left);
    const double enough = tolerance * std::max(first, kRest * load);
    left = run_pass(v, enough, left);
    if (outcome_.unsettled > 0) {  // what contacts have changed by is part of the residual
      preconditioner_knows_ = false;
      if (residual_is_current_) rows_.add_impulses(-1.0, residual_);  // as they pressed
      if (!press(v)) return false;
      residual_is_current_ ? finish_residual() : set_residual();
      if (point_changed_) set_preconditioner();
      left = gradients_.size(preconditioner_, residual_);
    }
    const double forces = std::max(first, load);
    outcome_.residual = forces > 0.0 ? std::sqrt(left / forces) : 0.0;
    outcome_.converged = left <= tolerance * forces && !point_changed_;
    solved = left <= enough && !point_changed_;
    if (outcome_.unsettled == 0 || outcome_.passes == settings_.most_passes) break;
  }
  if (solved && outcome_.unsettled == 0) {
    set_base(false);
    rows_.set_base(base_);
    rows_.push_only(1.0);
    return true;
  }
  set_products(v);
  // Contacts alone may have to take momentum.
  return keep_energy(v, set_base(true)) || keep_energy(v, set_base(false));
}

/// Sets base_ to the mean velocity of each part of the cloth that no constraint holds, zeros for
/// the others. Weighted by what of the matrix is the particles' own, no internal motion shares it.
/// @returns whether there is such a part
bool ContactStep::set_base(bool rigid) HAPTIC_REALTIME {
  const ParticleAggregates& groups = preconditioner_.aggregates();
  std::fill(base_.begin(), base_.end(), 0.0);
  if (!rigid) return false;
  std::fill(components_.begin(), components_.end(), Component{});
  for (std::size_t i = 0; i < system().size(); ++i) {
    Component& of = components_[groups.component[groups.of[i]]];
    of.weight += matrix_.own(i);
    of.sum += matrix_.own(i) * at(end_, i);
    of.held = of.held || system().constraints().hold(i) != ParticleConstraints::Hold::kFree;
  }
  bool moves = false;
  for (std::size_t i = 0; i < system().size(); ++i) {
    const Component& of = components_[groups.component[groups.of[i]]];
    if (of.held) continue;
    at(base_, i) = of.sum / of.weight;
    moves = true;
  }
  return moves;
}

/// What keep_energy() needs: force_ = right + A v, filtered, and product_ = A v_end.
void ContactStep::set_products(std::span<const double> v) HAPTIC_REALTIME {
  matrix_.multiply(end_, product_);
  matrix_.multiply(v, force_);
  for (std::size_t k = 0; k < force_.size(); ++k) force_[k] += right_[k];
  system().constraints().filter(force_);
}

/// The energy falls by at least 1/2 dv . M dv + r . v_end, r the residual: then springs and
/// contacts with convex potentials get none. Where that is negative, what of the velocities is not
/// base_ is multiplied by the a in [0, 1] where it is zero.
/// @param has_base  whether any of base_ is not zero  @returns false if no such factor exists
bool ContactStep::keep_energy(std::span<const double> v, bool has_base) HAPTIC_REALTIME {
  rows_.set_base(base_);
  // r . v_end of v_end = base + a inner, without contacts: by powers of a.
  const ParticleVectors& load = force_;
  ParticleVectors &inner = residual_, &of_base = start_, &of_inner = first_residual_;
  if (has_base) matrix_.multiply(base_, of_base);
  if (!has_base) std::fill(of_base.begin(), of_base.end(), 0.0);
  for (std::size_t k = 0; k < inner.size(); ++k) {
    inner[k] = end_[k] - base_[k];
    of_inner[k] = product_[k] - of_base[k];
  }
  system().constraints().filter(of_inner);
  double constant = product_sum(load, base_) - product_sum(of_base, base_);
  double linear =
      product_sum(load, inner) - 2.0 * product_sum(of_inner, base_) + partners_.work_of_loads();
  double quadratic = -product_sum(of_inner, inner) - partners_.own_product();
  for (std::size_t i = 0; i < system().size(); ++i) {
    const double half = 0.5 * system().masses()[i];
    const Vector3 still = at(base_, i) - at(v, i);
    constant += half * still.squaredNorm();
    linear += 2.0 * half * still.dot(at(inner, i));
    quadratic += half * at(inner, i).squaredNorm();
  }
  const auto loss = [&](double a) HAPTIC_REALTIME {
    return constant + a * (linear + a * quadratic) + rows_.push_only(a);
  };
  double low = 0.0, high = 1.0, at_high = loss(1.0);
  if (!(at_high < 0.0)) return true;
  double at_low = loss(0.0);
  if (!(at_low >= 0.0)) return false;
  constexpr int kEvaluations = 30;
  for (int k = 0; k < kEvaluations && high - low > 1e-9; ++k) {
    // Of the two, in turn: the secant meets the root between two kinks at once. Of a cloth at rest
    // a = 0 is a root too, and not the one that is sought.
    const double a = k % 2 == 0 && at_low > 0.0 ? low + (high - low) * at_low / (at_low - at_high)
                                                : 0.5 * (low + high);
    const double value = loss(a);
    if (value >= 0.0) {
      low = a, at_low = value;
      if (value == 0.0) break;
    } else {
      high = a, at_high = value;
    }
  }
  outcome_.kept = low;
  rows_.push_only(low);
  partners_.scale_motions(low);
  for (std::size_t k = 0; k < end_.size(); ++k) end_[k] = base_[k] + low * inner[k];
  return true;
}

ClothStepResult ContactStep::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  if (!rows_.finite()) return ClothStepResult::kDiverged;
  system().forces(state.x, state.v, state.time, force_);
  matrix_.set(system(), state.x, {.mass = 1.0, .damping = h, .stiffness = h * h});
  matrix_.multiply_stiffness(state.v, right_);
  for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = h * force_[k] - right_[k];
  if (!solve(state.v)) return ClothStepResult::kDiverged;
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    if (!all_finite(partners_.motion(p))) return ClothStepResult::kDiverged;
  }
  std::copy(end_.begin(), end_.end(), state.v.begin());
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
