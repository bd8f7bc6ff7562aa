#include "rt/dynamics/modal_oscillators.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "rt/dynamics/impulse_response.h"
#include "rt/dynamics/vector_views.h"
#include "shared/assert.h"

namespace haptic {

struct ModalOscillators::Memory {
  explicit Memory(Eigen::Index r)
      : q(Eigen::VectorXd::Zero(r)),
        v(q),
        a(q),
        q_next(q),
        y(q),
        y_rate(q),
        y_next(q),
        y_rate_next(q),
        force(q),
        response(r) {}

  Eigen::VectorXd q, v, a;  // last good state
  Eigen::VectorXd q_next;
  Eigen::MatrixXd modes;        // one mode per column
  Eigen::VectorXd eigenvalues;  // of K(0) as baked [s^-2]
  Eigen::VectorXd y, y_rate;    // modal coordinates of the state
  Eigen::VectorXd y_next, y_rate_next, force;
  std::vector<ImpulseResponse> response;
};

ModalOscillators::ModalOscillators(const ReducedEnergy& energy, double dt, RayleighDamping damping,
                                   GrowthLimit limit)
    : dt_(dt), damping_(damping), limit_(limit) {
  require_valid("modal oscillators", dt, damping);
  const auto r = static_cast<Eigen::Index>(energy.dimension());
  const std::vector<double> rest(energy.dimension(), 0.0);
  std::vector<double> none(rest);
  Eigen::MatrixXd K(r, r);
  ReducedEnergy::Workspace workspace(energy.dimension());
  energy.force_and_stiffness(rest, none, {K.data(), static_cast<std::size_t>(K.size())}, workspace);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K);
  memory_ = std::make_unique<Memory>(r);
  memory_->modes = eigen.eigenvectors();
  memory_->eigenvalues = eigen.eigenvalues();
  set_scales(1.0, 1.0, 1.0);
}

ModalOscillators::ModalOscillators(ModalOscillators&&) noexcept = default;
ModalOscillators& ModalOscillators::operator=(ModalOscillators&&) noexcept = default;
ModalOscillators::~ModalOscillators() = default;

void ModalOscillators::set_scales(double stiffness, double density,
                                  double damping) HAPTIC_REALTIME {
  stiffness_scale_ = stiffness;
  density_scale_ = density;
  damping_scale_ = damping;
  for (Eigen::Index i = 0; i < memory_->q.size(); ++i) {
    const auto [k, c] = oscillator(i);
    memory_->response[static_cast<std::size_t>(i)] = impulse_response(k, c, dt_);
  }
}

ModalOscillators::Oscillator ModalOscillators::oscillator(std::ptrdiff_t i) const HAPTIC_REALTIME {
  const double k = stiffness_scale_ / density_scale_ * memory_->eigenvalues(i);
  // A negative eigenvalue of K(0) must not give negative damping.
  return {k, damping_scale_ * (damping_.alpha + damping_.beta * std::max(k, 0.0))};
}

/// q'' = (f - C q' - K q) / density.
void ModalOscillators::accelerate(std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  m.force.noalias() = m.modes.transpose() * vector_of(f_ext);
  for (Eigen::Index i = 0; i < m.q.size(); ++i) {
    const auto [k, c] = oscillator(i);
    m.force(i) = m.force(i) / density_scale_ - c * m.y_rate(i) - k * m.y(i);
  }
  m.a.noalias() = m.modes * m.force;
}

StepResult ModalOscillators::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(f_ext.size()) == m.q.size());
  m.force.noalias() = m.modes.transpose() * vector_of(f_ext);
  for (Eigen::Index i = 0; i < m.q.size(); ++i) {
    const ImpulseResponse& h = m.response[static_cast<std::size_t>(i)];
    const double k = oscillator(i).k;
    // The impulse response satisfies 1 = y' + c y + k (integral of y).
    const double from_rest = m.force(i) / density_scale_ - k * m.y(i);
    m.y_next(i) = m.y(i) + h.y * m.y_rate(i) + h.integral * from_rest;
    m.y_rate_next(i) = h.rate * m.y_rate(i) + h.y * from_rest;
  }
  m.q_next.noalias() = m.modes * m.y_next;
  if (!std::isfinite(m.q_next.squaredNorm()) || !std::isfinite(m.y_rate_next.squaredNorm())) {
    return StepResult::kDiverged;
  }
  if (m.q_next.squaredNorm() > limit_.norm * limit_.norm ||
      (m.q_next - m.q).squaredNorm() > limit_.step * limit_.step) {
    return StepResult::kGrown;
  }
  m.q = m.q_next;
  m.y = m.y_next;
  m.y_rate = m.y_rate_next;
  m.v.noalias() = m.modes * m.y_rate;
  accelerate(f_ext);
  return StepResult::kOk;
}

ReducedState ModalOscillators::state() const HAPTIC_REALTIME {
  return {view(memory_->q), view(memory_->v), view(memory_->a)};
}

void ModalOscillators::reset() HAPTIC_REALTIME {
  for (Eigen::VectorXd* x : {&memory_->q, &memory_->v, &memory_->a, &memory_->y, &memory_->y_rate})
    x->setZero();
}

StepResult ModalOscillators::set_state(std::span<const double> q, std::span<const double> qdot,
                                       std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  if (!vector_of(q).allFinite() || !vector_of(qdot).allFinite() || !vector_of(f_ext).allFinite()) {
    return StepResult::kDiverged;
  }
  m.q = vector_of(q);
  m.v = vector_of(qdot);
  m.y.noalias() = m.modes.transpose() * m.q;
  m.y_rate.noalias() = m.modes.transpose() * m.v;
  accelerate(f_ext);
  return StepResult::kOk;
}

}  // namespace haptic
