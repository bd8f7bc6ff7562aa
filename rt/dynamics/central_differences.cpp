#include "rt/dynamics/central_differences.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "rt/dynamics/vector_views.h"
#include "shared/assert.h"

namespace haptic {
double largest_angular_frequency(const ReducedEnergy& energy) {
  const auto r = static_cast<Eigen::Index>(energy.dimension());
  const std::vector<double> rest(energy.dimension(), 0.0);
  std::vector<double> force(rest);
  Eigen::MatrixXd K(r, r);
  ReducedEnergy::Workspace workspace(energy.dimension());
  energy.force_and_stiffness(rest, force, {K.data(), static_cast<std::size_t>(K.size())},
                             workspace);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, eigen.eigenvalues()(r - 1)));
}

struct CentralDifferences::Memory {
  explicit Memory(std::uint32_t r)
      : q(Eigen::VectorXd::Zero(r)),
        v(q),
        a(q),
        q_next(q),
        v_half(q),
        a_next(q),
        R(q),
        K(Eigen::MatrixXd::Zero(r, r)),
        G(K),
        A(K),
        cholesky(r),
        workspace(r),
        viscous_workspace(r) {}

  Eigen::VectorXd q, v, a;  // last good state
  Eigen::VectorXd q_next, v_half, a_next, R;
  Eigen::MatrixXd K, G, A;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  ReducedEnergy::Workspace workspace;
  ViscousDamping::Workspace viscous_workspace;
};

CentralDifferences::CentralDifferences(const ReducedSystem& system, double dt, GrowthLimit limit)
    : system_(system), dt_(dt), limit_(limit) {
  require_valid("central differences", dt, system);
  memory_ = std::make_unique<Memory>(system.energy->dimension());
}

CentralDifferences::CentralDifferences(CentralDifferences&&) noexcept = default;
CentralDifferences& CentralDifferences::operator=(CentralDifferences&&) noexcept = default;
CentralDifferences::~CentralDifferences() = default;

bool CentralDifferences::accelerate(std::span<const double> f_ext, double weight) HAPTIC_REALTIME {
  Memory& m = *memory_;
  const Eigen::Index r = m.q.size();
  const auto values = [](auto& x) { return std::span(x.data(), std::size_t(x.size())); };
  system_.energy->force_and_stiffness(view(m.q_next), values(m.R), values(m.K), m.workspace);
  const double alpha = system_.damping.alpha, beta = system_.damping.beta;
  m.a_next = vector_of(f_ext) - m.R;
  if (system_.mass.empty() && beta == 0.0 && system_.viscosity == nullptr) {
    m.a_next -= alpha * m.v_half;
    m.a_next /= 1.0 + weight * alpha;
    return true;
  }
  m.G = beta * m.K;  // becomes C
  if (system_.viscosity != nullptr) {
    system_.viscosity->evaluate(view(m.q_next), values(m.A), m.viscous_workspace);
    m.G += system_.viscosity_scale * m.A;
  }
  if (system_.mass.empty()) {
    m.G.diagonal().array() += alpha;
    m.A = weight * m.G;
    m.A.diagonal().array() += 1.0;
  } else {
    const Eigen::Map<const Eigen::MatrixXd> M(system_.mass.data(), r, r);
    m.G += alpha * M;
    m.A = weight * m.G + M;
  }
  m.a_next.noalias() -= m.G * m.v_half;
  m.cholesky.compute(m.A);
  if (m.cholesky.info() != Eigen::Success) return false;
  m.cholesky.solveInPlace(m.a_next);
  return true;
}

StepResult CentralDifferences::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(f_ext.size()) == m.q.size());
  const double half = 0.5 * dt_;
  m.v_half = m.v + half * m.a;
  m.q_next = m.q + dt_ * m.v_half;
  if (!accelerate(f_ext, half)) return StepResult::kDiverged;
  if (!m.q_next.allFinite() || !m.a_next.allFinite()) return StepResult::kDiverged;
  if (m.q_next.squaredNorm() > limit_.norm * limit_.norm ||
      (m.q_next - m.q).squaredNorm() > limit_.step * limit_.step) {
    return StepResult::kGrown;
  }
  m.q = m.q_next;
  m.v = m.v_half + half * m.a_next;
  m.a = m.a_next;
  return StepResult::kOk;
}

ReducedState CentralDifferences::state() const HAPTIC_REALTIME {
  const Memory& m = *memory_;
  return {view(m.q), view(m.v), view(m.a)};
}

void CentralDifferences::reset() HAPTIC_REALTIME {
  memory_->q.setZero();
  memory_->v.setZero();
  memory_->a.setZero();
}

StepResult CentralDifferences::set_state(std::span<const double> q, std::span<const double> qdot,
                                         std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  m.q_next = vector_of(q);
  m.v_half = vector_of(qdot);
  if (!accelerate(f_ext, 0.0)) return StepResult::kDiverged;
  if (!m.q_next.allFinite() || !m.v_half.allFinite() || !m.a_next.allFinite()) {
    return StepResult::kDiverged;
  }
  m.q = m.q_next;
  m.v = m.v_half;
  m.a = m.a_next;
  return StepResult::kOk;
}

void CentralDifferences::set_system(const ReducedSystem& system) HAPTIC_REALTIME {
  HAPTIC_ASSERT(system.energy->dimension() == system_.energy->dimension());
  system_ = system;
}

}  // namespace haptic
