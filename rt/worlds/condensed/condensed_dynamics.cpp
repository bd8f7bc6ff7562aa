#include "rt/worlds/condensed/condensed_dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::condensed {
namespace {

/// Fraction of a release that is left when it ends.
constexpr double kReleased = 1e-6;

bool all_finite(std::span<const double> values) HAPTIC_REALTIME {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

double product(std::span<const double> a, std::span<const double> b) HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum = std::fma(a[i], b[i], sum);
  return sum;
}

std::vector<ModalStep> modal_steps(const CondensedModel& model,
                                   const CondensedDynamicsSettings& s) {
  require_valid("condensed body", s.dt, s.damping);
  if (s.modes > model.mode_count || s.modes > model.eigenvalues.size()) {
    throw InputError("condensed body", "modes", fmt::format("found {}", s.modes),
                     fmt::format("0 to {}, the modes of the model", model.mode_count));
  }
  if (!(s.release_time >= 0.0) || !std::isfinite(s.release_time)) {
    throw InputError("condensed body", "release_time", fmt::format("found {}", s.release_time),
                     "a number >= 0 [s]");
  }
  HAPTIC_DEMAND(s.integrator != (s.coupling == ModalCoupling::kMultipliers
                                     ? ModalIntegrator::kSymplectic
                                     : ModalIntegrator::kExact));
  std::vector<ModalStep> steps;
  for (std::size_t i = 0; i < s.modes; ++i) {
    const double k = model.eigenvalues[i];
    if (!(k > 0.0) || !std::isfinite(k)) {
      throw InputError("condensed model", "eigenvalues", fmt::format("found {} for mode {}", k, i),
                       "a number > 0 [1/s^2]");
    }
    const double h = s.dt, d = s.damping.alpha + s.damping.beta * k;
    if (!std::isfinite((1.0 + h * d + h * h * k) * k)) {
      throw InputError("condensed model", "eigenvalues", fmt::format("found {} for mode {}", k, i),
                       "numbers with which a step of the damped mode is finite");
    }
    steps.push_back(modal_step(s.integrator, k, d, h));
  }
  return steps;
}

/// What ContactCompliance takes away of the modes: kappa L1^-1 for method 1; method 2 gives what a
/// force moves them in its step back. A mode that a force has moved stays by q_of_q without it, so
/// q_of_force = kappa (1 - q_of_q) / k, without cancellation. It must not pass 1 / k by rounding.
std::vector<double> removed_compliance(std::span<const ModalStep> steps, ModalCoupling coupling) {
  std::vector<double> removed;
  for (const ModalStep& mode : steps) {
    const double left = coupling == ModalCoupling::kMultipliers ? mode.q_of_q : 1.0;
    removed.push_back(std::min(mode.part * left / mode.stiffness, 1.0 / mode.stiffness));
  }
  return removed;
}

}  // namespace

CondensedDynamics::CondensedDynamics(const CondensedModel& model,
                                     const CondensedDynamicsSettings& settings)
    : settings_(settings),
      modes_(modal_steps(model, settings)),
      contacts_(model, removed_compliance(modes_, settings.coupling), settings.capacity),
      q_(settings.modes, 0.0),
      qd_(q_),
      q_next_(q_),
      qd_next_(q_),
      modal_force_(q_),
      pose_q_(q_),
      pose_amplitude_(q_),
      forces_(3 * settings.capacity, 0.0),
      free_(forces_),
      released_(settings.release_time > 0.0 ? model.dof() : 0, 0.0) {
  if (settings.release_time > 0.0) decay_ = std::exp(-settings.dt / settings.release_time);
}

bool CondensedDynamics::add_contact(const ContactRow& row) HAPTIC_REALTIME {
  const std::size_t at = 3 * contacts_.size();
  if (!contacts_.add(row)) return false;
  std::fill_n(forces_.begin() + static_cast<std::ptrdiff_t>(at), 3, 0.0);
  return true;
}

void CondensedDynamics::replace_contact(std::size_t i, const ContactRow& row) HAPTIC_REALTIME {
  contacts_.replace(i, row);
  pair_pose();
}

void CondensedDynamics::remove_contact(std::size_t i) HAPTIC_REALTIME {
  HAPTIC_ASSERT(i < contacts_.size());
  if (settings_.release_time > 0.0) release(i);
  const auto at = forces_.begin() + static_cast<std::ptrdiff_t>(3 * i);
  std::copy(at + 3, forces_.begin() + static_cast<std::ptrdiff_t>(3 * contacts_.size()), at);
  contacts_.remove(i);
  pair_pose();
}

void CondensedDynamics::clear_contacts() HAPTIC_REALTIME {
  while (contacts_.size() > 0) remove_contact(contacts_.size() - 1);
}

/// Adds the static part of H_i^T lambda_i to what is being released.
void CondensedDynamics::release(std::size_t i) HAPTIC_REALTIME {
  if (remaining_ == 0.0) std::fill(released_.begin(), released_.end(), 0.0);
  const double* const force = &forces_[3 * i];
  const SymmetricView S = contacts_.matrix();
  const std::array<double, 3> before = displacement_at(contacts_.row(i), released_);
  double rows_weights[3];
  const double* rows[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    rows[axis] = contacts_.response(i, axis).data();
    rows_weights[axis] = force[axis];
    released_energy_ += force[axis] * before[axis];
    for (std::size_t k = 0; k < 3; ++k) {
      released_energy_ += 0.5 * force[axis] * S(3 * i + axis, 3 * i + k) * force[k];
    }
  }
  contacts_.kernels().add(rows, rows_weights, 3, released_.size(), released_.data());
  for (std::size_t mode = 0; mode < q_.size(); ++mode) {
    const auto H = contacts_.contact_mode(mode).subspan(3 * i, 3);
    const double p = product(H, {force, 3});
    const double amplitude = -modes_[mode].part * p / modes_[mode].stiffness;
    released_energy_ -= 0.5 * modal_response(mode) * p * p;
    const double* const column = contacts_.mode(mode).data();
    contacts_.kernels().add(&column, &amplitude, 1, released_.size(), released_.data());
  }
  remaining_ = 1.0;
}

void CondensedDynamics::prepare() HAPTIC_REALTIME {
  if (remaining_ > 0.0) {
    remaining_ *= decay_;
    // Ends before the values are denormal.
    const double factor = remaining_ < kReleased ? 0.0 : decay_;
    if (factor == 0.0) remaining_ = 0.0;
    for (double& u : released_) u *= factor;
    released_energy_ *= factor * factor;
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const ModalStep& mode = modes_[i];
    q_next_[i] = mode.q_of_q * q_[i] + mode.q_of_rate * qd_[i];
    qd_next_[i] = mode.rate_of_q * q_[i] + mode.rate_of_rate * qd_[i];
  }
  contacts_.modal_displacement(free_q(), free_);
  if (remaining_ > 0.0) {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const auto u = displacement_at(contacts_.row(i), released_);
      for (std::size_t axis = 0; axis < 3; ++axis) free_[3 * i + axis] += u[axis];
    }
  }
}

std::span<const double> CondensedDynamics::free_displacement() const HAPTIC_REALTIME {
  return {free_.data(), 3 * contacts_.size()};
}

bool CondensedDynamics::advance(std::span<const double> lambda,
                                std::span<const double> extra) HAPTIC_REALTIME {
  HAPTIC_ASSERT(lambda.size() == 3 * contacts_.size());
  contacts_.modal_force(lambda, modal_force_);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double p = modal_force_[i] + (extra.empty() ? 0.0 : extra[i]);
    q_next_[i] += modes_[i].q_of_force * p;  // from the free motion of prepare()
    qd_next_[i] += modes_[i].rate_of_force * p;
  }
  if (!all_finite(q_next_) || !all_finite(qd_next_) || !all_finite(lambda)) return false;
  std::copy(lambda.begin(), lambda.end(), forces_.begin());
  // The pose has the q for which lambda was found (docs/methods/static-dynamic.md, "Step").
  const bool lagged = settings_.coupling == ModalCoupling::kStaticsDriveDynamics;
  std::copy(q_.begin(), q_.end(), pose_q_.begin());
  q_.swap(q_next_);
  qd_.swap(qd_next_);
  if (!lagged) std::copy(q_.begin(), q_.end(), pose_q_.begin());
  pair_pose();
  return true;
}

/// q - kappa L1^-1 (H U1)^T lambda of the displayed pose.
void CondensedDynamics::pair_pose() HAPTIC_REALTIME {
  contacts_.modal_force(forces(), modal_force_);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    pose_amplitude_[i] = pose_q_[i] - modes_[i].part * modal_force_[i] / modes_[i].stiffness;
  }
}

std::span<const double> CondensedDynamics::forces() const HAPTIC_REALTIME {
  return {forces_.data(), 3 * contacts_.size()};
}

std::array<double, 3> CondensedDynamics::displacement_of_node(std::uint32_t node) const
    HAPTIC_REALTIME {
  std::array<double, 3> u = contacts_.displacement_of_node(pose_amplitude_, forces(), node);
  if (remaining_ > 0.0) {
    for (std::size_t axis = 0; axis < 3; ++axis) u[axis] += released_[3 * node + axis];
  }
  return u;
}

std::array<double, 3> CondensedDynamics::displacement_of_row(const ContactRow& row) const
    HAPTIC_REALTIME {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < row.count; ++i) {
    const auto u = displacement_of_node(row.nodes[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum[axis] = std::fma(row.weights[i], u[axis], sum[axis]);
    }
  }
  return sum;
}

void CondensedDynamics::node_displacements(std::span<double> out) HAPTIC_REALTIME {
  contacts_.displacement(pose_amplitude_, forces(), out);
  if (remaining_ > 0.0) {
    for (std::size_t d = 0; d < out.size(); ++d) out[d] += released_[d];
  }
}

void CondensedDynamics::node_displacements(std::span<const std::uint32_t> nodes,
                                           std::span<double> out) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(out.size() == 3 * nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto u = displacement_of_node(nodes[i]);
    std::copy(u.begin(), u.end(), out.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
}

CondensedEnergy CondensedDynamics::energy() const HAPTIC_REALTIME {
  CondensedEnergy energy;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    // Of a mode that carries kappa of the force, so that work and energy agree. Without force, a
    // mode that is static altogether moves only if set_state made it.
    const double part = modes_[i].part > 0.0 ? modes_[i].part : 1.0;
    energy.kinetic += 0.5 * qd_[i] * qd_[i] / part;
    energy.modal += 0.5 * modes_[i].stiffness * pose_q_[i] * pose_q_[i] / part;
  }
  const SymmetricView S = contacts_.matrix();
  for (std::size_t i = 0; i < S.rows; ++i) {
    energy.statics += 0.5 * forces_[i] * product({S.row(i), S.rows}, forces());
  }
  // S has the modes' compliance in a step besides that of the statics.
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const double p = product(contacts_.contact_mode(i), forces());
    energy.statics -= 0.5 * modal_response(i) * p * p;
  }
  if (remaining_ > 0.0) {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const auto u = displacement_at(contacts_.row(i), released_);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        energy.statics += forces_[3 * i + axis] * u[axis];
      }
    }
    energy.statics += released_energy_;
  }
  return energy;
}

bool CondensedDynamics::set_state(std::span<const double> q,
                                  std::span<const double> qd) HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == q_.size() && qd.size() == q_.size());
  if (!all_finite(q) || !all_finite(qd)) return false;
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(qd.begin(), qd.end(), qd_.begin());
  forget_forces();
  return true;
}

void CondensedDynamics::reset() HAPTIC_REALTIME {
  contacts_.clear();
  std::fill(q_.begin(), q_.end(), 0.0);
  std::fill(qd_.begin(), qd_.end(), 0.0);
  forget_forces();
}

/// The pose becomes that of the modes alone.
void CondensedDynamics::forget_forces() HAPTIC_REALTIME {
  std::copy(q_.begin(), q_.end(), pose_q_.begin());
  std::fill(forces_.begin(), forces_.end(), 0.0);
  std::fill(released_.begin(), released_.end(), 0.0);
  remaining_ = released_energy_ = 0.0;
  pair_pose();
}

}  // namespace haptic::condensed
