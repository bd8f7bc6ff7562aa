#include "rt/dynamics/newmark_integrator.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Average acceleration; a3 = 1, a5 = -1, a6 = 0 in the constants of spec 2.17.
constexpr double kBeta = 0.25;
constexpr double kGamma = 0.5;

/// Largest residual of an LDL^T solve, relative to the right-hand side: its diagonal pivoting is
/// not backward stable on every indefinite matrix.
constexpr double kIndefiniteResidual = 1e-8;

Eigen::Map<const Eigen::VectorXd> map(std::span<const double> v) HAPTIC_REALTIME {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

std::span<const double> view(const Eigen::VectorXd& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

std::span<double> view(Eigen::VectorXd& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

std::span<double> view(Eigen::MatrixXd& m) HAPTIC_REALTIME {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

}  // namespace

struct NewmarkIntegrator::Memory {
  explicit Memory(std::uint32_t r)
      : q(Eigen::VectorXd::Zero(r)),
        v(q),
        a(q),
        q_next(q),
        v_next(q),
        a_next(q),
        R(q),
        rhs(q),
        dq(q),
        image(q),
        K(Eigen::MatrixXd::Zero(r, r)),
        A(K),
        G(K),
        cholesky(r),
        ldlt(r),
        workspace(r),
        viscous_workspace(r) {}

  /// dq = A^-1 rhs. @returns false if neither factorisation solves it
  bool solve() HAPTIC_REALTIME {
    cholesky.compute(A);
    if (cholesky.info() == Eigen::Success) {
      dq = rhs;
      cholesky.solveInPlace(dq);
      return dq.allFinite();
    }
    if (!A.allFinite()) return false;
    ldlt.compute(A);
    if (ldlt.info() != Eigen::Success) return false;
    dq = rhs;
    ldlt.solveInPlace(dq);
    image.noalias() = A * dq;
    image -= rhs;
    // Negated so that a residual that is not a number fails.
    return image.norm() <= kIndefiniteResidual * rhs.norm() && dq.allFinite();
  }

  /// Finite, and small enough that energies are too: a state the next step could not leave again is
  /// not a good one.
  bool next_is_finite() const HAPTIC_REALTIME {
    const double q2 = q_next.squaredNorm();
    return std::isfinite(q2 * q2) && std::isfinite(v_next.squaredNorm()) &&
           std::isfinite(a_next.squaredNorm());
  }
  bool next_has_grown(const GrowthLimit& limit) const HAPTIC_REALTIME {
    return q_next.squaredNorm() > limit.norm * limit.norm ||
           (q_next - q).squaredNorm() > limit.step * limit.step;
  }
  /// Copies, so that views on the state stay.
  void accept() HAPTIC_REALTIME {
    q = q_next;
    v = v_next;
    a = a_next;
  }

  /// M where it is not the identity; symmetric, so either order of storage is the other.
  Eigen::Map<const Eigen::MatrixXd> mass(const ReducedSystem& system) const HAPTIC_REALTIME {
    return {system.mass.data(), q.size(), q.size()};
  }

  Eigen::VectorXd q, v, a;                 // last good state
  Eigen::VectorXd q_next, v_next, a_next;  // the step in the making
  Eigen::VectorXd R, rhs, dq, image;
  Eigen::MatrixXd K, A, G;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  Eigen::LDLT<Eigen::MatrixXd> ldlt;
  ReducedEnergy::Workspace workspace;
  ViscousDamping::Workspace viscous_workspace;
};

NewmarkIntegrator::NewmarkIntegrator(const ReducedSystem& system, double dt, NewtonSettings newton,
                                     GrowthLimit limit)
    : system_(system), dt_(dt), newton_(newton), limit_(limit) {
  require_valid("newmark integrator", dt, system);
  if (newton.iterations < 1) {
    throw InputError("newmark integrator", "iterations", "found 0", "at least 1");
  }
  if (!(newton.tolerance >= 0.0)) {
    throw InputError("newmark integrator", "tolerance", fmt::format("found {}", newton.tolerance),
                     "a number >= 0");
  }
  memory_ = std::make_unique<Memory>(system.energy->dimension());
}

NewmarkIntegrator::NewmarkIntegrator(NewmarkIntegrator&&) noexcept = default;
NewmarkIntegrator& NewmarkIntegrator::operator=(NewmarkIntegrator&&) noexcept = default;
NewmarkIntegrator::~NewmarkIntegrator() = default;

void NewmarkIntegrator::evaluate(std::span<const double> q) HAPTIC_REALTIME {
  Memory& m = *memory_;
  system_.energy->force_and_stiffness(q, view(m.R), view(m.K), m.workspace);
  if (system_.viscosity != nullptr) {
    system_.viscosity->evaluate(q, view(m.G), m.viscous_workspace);
    m.G *= system_.viscosity_scale;
  }
}

StepResult NewmarkIntegrator::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(f_ext.size()) == m.q.size());
  const double a1 = 1.0 / (kBeta * dt_ * dt_), a2 = 1.0 / (kBeta * dt_);
  const double a3 = (1.0 - 2.0 * kBeta) / (2.0 * kBeta), a4 = kGamma / (kBeta * dt_);
  const double a5 = 1.0 - kGamma / kBeta, a6 = (1.0 - kGamma / (2.0 * kBeta)) * dt_;
  const double alpha = system_.damping.alpha, beta = system_.damping.beta;
  const bool viscous = system_.viscosity != nullptr, unit_mass = system_.mass.empty();

  m.q_next = m.q;
  for (std::uint32_t iteration = 0; iteration < newton_.iterations; ++iteration) {
    evaluate(view(m.q_next));
    m.v_next = a4 * (m.q_next - m.q) + a5 * m.v + a6 * m.a;
    m.a_next = a1 * (m.q_next - m.q) - a2 * m.v - a3 * m.a;
    m.A = (1.0 + a4 * beta) * m.K;
    if (unit_mass) {
      m.rhs = map(f_ext) - m.R - m.a_next - alpha * m.v_next;
      m.A.diagonal().array() += a1 + a4 * alpha;
    } else {
      m.rhs = map(f_ext) - m.R;
      m.image = m.a_next + alpha * m.v_next;
      m.rhs.noalias() -= m.mass(system_) * m.image;
      m.A += (a1 + a4 * alpha) * m.mass(system_);
    }
    if (beta > 0.0) m.rhs.noalias() -= beta * (m.K * m.v_next);
    if (viscous) {
      m.rhs.noalias() -= m.G * m.v_next;
      m.A += a4 * m.G;
    }
    if (m.rhs.norm() < newton_.tolerance) break;
    if (!m.solve()) return StepResult::kDiverged;
    m.q_next += m.dq;
  }
  m.v_next = a4 * (m.q_next - m.q) + a5 * m.v + a6 * m.a;
  m.a_next = a1 * (m.q_next - m.q) - a2 * m.v - a3 * m.a;
  if (!m.next_is_finite()) return StepResult::kDiverged;
  if (m.next_has_grown(limit_)) return StepResult::kGrown;
  m.accept();
  return StepResult::kOk;
}

void NewmarkIntegrator::set_system(const ReducedSystem& system) HAPTIC_REALTIME {
  HAPTIC_ASSERT(system.energy->dimension() == system_.energy->dimension());
  system_ = system;
}

ReducedState NewmarkIntegrator::state() const HAPTIC_REALTIME {
  const Memory& m = *memory_;
  return {view(m.q), view(m.v), view(m.a)};
}

void NewmarkIntegrator::reset() HAPTIC_REALTIME {
  memory_->q.setZero();
  memory_->v.setZero();
  memory_->a.setZero();
}

StepResult NewmarkIntegrator::set_state(std::span<const double> q, std::span<const double> qdot,
                                        std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  m.q_next = map(q);
  m.v_next = map(qdot);
  evaluate(q);
  m.rhs = map(f_ext) - m.R;
  m.rhs.noalias() -= system_.damping.beta * (m.K * m.v_next);
  if (system_.viscosity != nullptr) m.rhs.noalias() -= m.G * m.v_next;
  m.dq = m.rhs;
  if (!system_.mass.empty()) {
    m.A = m.mass(system_);
    if (!m.solve()) return StepResult::kDiverged;
  }
  m.a_next = m.dq - system_.damping.alpha * m.v_next;
  if (!m.next_is_finite()) return StepResult::kDiverged;
  m.accept();
  return StepResult::kOk;
}

}  // namespace haptic
