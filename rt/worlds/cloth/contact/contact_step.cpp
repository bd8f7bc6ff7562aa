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
      preconditioner_(of.size()),
      gradients_(of.size(), settings.solver.most_iterations),
      force_(3 * of.size()),
      right_(3 * of.size()),
      change_(3 * of.size()),
      last_(3 * of.size()),
      end_(3 * of.size()),
      residual_(3 * of.size()),
      product_(3 * of.size()) {}

/// right - A dv + h J^T F, of the forces of rows_.
void ContactStep::set_residual() HAPTIC_REALTIME {
  matrix_.multiply(change_, product_);
  for (std::size_t k = 0; k < right_.size(); ++k) residual_[k] = right_[k] - product_[k];
  rows_.add_impulses(residual_);
  system().constraints().filter(residual_);
}

/// Size of the impulses of gravity and contacts, in the norm of the preconditioner.
double ContactStep::load_size() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < system().size(); ++i) {
    at(product_, i) = dt() * system().masses()[i] * system().surroundings().gravity;
  }
  rows_.add_impulses(product_);
  system().constraints().filter(product_);
  return gradients_.size(preconditioner_, product_);
}

void ContactStep::set_end(std::span<const double> v) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < end_.size(); ++k) end_[k] = v[k] + change_[k];
}

/// Begins with the change of velocity of the last step where that leaves less than none: smooth
/// motion, a free fall above all, is then there before the first iteration. Sets change_ and
/// residual_. @returns the squared size of the residual of no change
double ContactStep::start(std::span<const double> v) HAPTIC_REALTIME {
  std::copy(v.begin(), v.end(), end_.begin());
  rows_.evaluate(end_, partners_);
  std::copy(right_.begin(), right_.end(), residual_.begin());
  rows_.add_impulses(residual_);
  system().constraints().filter(residual_);
  const double none = gradients_.size(preconditioner_, residual_);
  std::copy(last_.begin(), last_.end(), change_.begin());
  system().constraints().filter(change_);
  set_end(v);
  rows_.evaluate(end_, partners_);
  set_residual();
  // `!(<)` also where a value is not finite.
  if (gradients_.size(preconditioner_, residual_) < none) return none;
  std::fill(change_.begin(), change_.end(), 0.0);
  set_end(v);
  rows_.evaluate(end_, partners_);
  set_residual();
  return none;
}

bool ContactStep::solve(std::span<const double> v) HAPTIC_REALTIME {
  const ParticleConstraints& constraints = system().constraints();
  const double tolerance = settings_.solver.tolerance * settings_.solver.tolerance;
  outcome_ = {};
  rows_.predict(v, dt());
  double first = 0.0;
  bool converged = true;
  while (outcome_.passes < settings_.most_passes) {
    ++outcome_.passes;
    partners_.clear_stiffness();
    rows_.prepare(partners_);
    if (!partners_.factor()) return false;
    preconditioner_.set(matrix_.diagonal(), rows_, constraints, dt());
    if (outcome_.passes == 1) {
      first = start(v);
    } else {
      set_end(v);
      rows_.evaluate(end_, partners_);
      set_residual();
    }
    // At rest a residual is what rounding leaves of the loads; it needs no solution.
    constexpr double kRest = 1e-6;  // squared: 1e-3 of the loads
    first = std::max({first, gradients_.size(preconditioner_, residual_), kRest * load_size()});
    const ContactGradients::Outcome pass = gradients_.solve(
        {matrix_, constraints, preconditioner_, rows_, partners_, tolerance * first}, residual_,
        change_);
    outcome_.iterations += pass.iterations;
    outcome_.residual = first > 0.0 ? std::sqrt(pass.left / first) : 0.0;
    converged = pass.converged;
    set_end(v);
    rows_.evaluate(end_, partners_);
    outcome_.unsettled = rows_.decide();
    if (outcome_.unsettled == 0) break;
  }
  if (outcome_.unsettled > 0 || !converged) {
    keep_energy(v);
  } else {
    rows_.push_only(1.0);
  }
  return true;
}

/// The work of the residual r on the motion of the step is at least -1/2 dv . M dv: then the step
/// adds no energy to springs and contacts with convex potentials. Otherwise all velocities are
/// multiplied by the a in [0, 1] where that work is zero; it decreases with a.
void ContactStep::keep_energy(std::span<const double> v) HAPTIC_REALTIME {
  const ParticleConstraints& constraints = system().constraints();
  matrix_.multiply(end_, product_);
  ParticleVectors& own = force_;  // right + A v, without contacts
  matrix_.multiply(v, own);
  for (std::size_t k = 0; k < own.size(); ++k) own[k] += right_[k];
  constraints.filter(own);
  constraints.filter(product_);
  const double linear = product_sum(own, end_) + partners_.work_of_loads();
  const double quadratic = product_sum(product_, end_) + partners_.own_product();
  double change = 0.0;
  for (std::size_t i = 0; i < system().size(); ++i) {
    change += system().masses()[i] * at(change_, i).squaredNorm();
  }
  const auto work = [&](double a)
                        HAPTIC_REALTIME { return linear - a * quadratic + rows_.push_only(a); };
  if (!(work(1.0) < -0.5 * change)) return;
  double low = 0.0, high = 1.0, at_low = work(0.0), at_high = work(1.0);
  if (at_low > 0.0) {
    constexpr int kEvaluations = 30;
    for (int k = 0; k < kEvaluations && high - low > 1e-9; ++k) {
      // Of the two, in turn: the secant meets the root between two kinks at once.
      const double a =
          k % 2 == 0 ? low + (high - low) * at_low / (at_low - at_high) : 0.5 * (low + high);
      const double value = work(a);
      if (value >= 0.0) {
        low = a, at_low = value;
        if (value == 0.0) break;
      } else {
        high = a, at_high = value;
      }
    }
  }
  outcome_.kept = low;
  rows_.push_only(low);
  partners_.scale_motions(low);
  for (std::size_t k = 0; k < end_.size(); ++k) end_[k] *= low;
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
  for (std::size_t k = 0; k < end_.size(); ++k) last_[k] = end_[k] - state.v[k];
  std::copy(end_.begin(), end_.end(), state.v.begin());
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
