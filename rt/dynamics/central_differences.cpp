#include "rt/dynamics/central_differences.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/assert.h"

namespace haptic {
namespace {

Eigen::Map<const Eigen::VectorXd> map(std::span<const double> v) HAPTIC_REALTIME {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

std::span<const double> view(const Eigen::VectorXd& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace

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
        A(K),
        cholesky(r),
        workspace(r) {}

  void evaluate(const ReducedEnergy& energy) HAPTIC_REALTIME {
    energy.force_and_stiffness(view(q_next), {R.data(), static_cast<std::size_t>(R.size())},
                               {K.data(), static_cast<std::size_t>(K.size())}, workspace);
  }

  Eigen::VectorXd q, v, a;  // last good state
  Eigen::VectorXd q_next, v_half, a_next, R;
  Eigen::MatrixXd K, A;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  ReducedEnergy::Workspace workspace;
};

CentralDifferences::CentralDifferences(const ReducedEnergy& energy, double dt,
                                       RayleighDamping damping)
    : energy_(&energy), dt_(dt), damping_(damping) {
  require_valid("central differences", dt, damping);
  memory_ = std::make_unique<Memory>(energy.dimension());
}

CentralDifferences::CentralDifferences(CentralDifferences&&) noexcept = default;
CentralDifferences& CentralDifferences::operator=(CentralDifferences&&) noexcept = default;
CentralDifferences::~CentralDifferences() = default;

StepResult CentralDifferences::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(f_ext.size()) == m.q.size());
  const double half = 0.5 * dt_;
  m.v_half = m.v + half * m.a;
  m.q_next = m.q + dt_ * m.v_half;
  m.evaluate(*energy_);
  m.a_next = map(f_ext) - m.R - damping_.alpha * m.v_half;
  if (damping_.beta > 0.0) {
    m.a_next.noalias() -= damping_.beta * (m.K * m.v_half);
    m.A = half * damping_.beta * m.K;
    m.A.diagonal().array() += 1.0 + half * damping_.alpha;
    m.cholesky.compute(m.A);
    if (m.cholesky.info() != Eigen::Success) return StepResult::kDiverged;
    m.cholesky.solveInPlace(m.a_next);
  } else {
    m.a_next /= 1.0 + half * damping_.alpha;
  }
  if (!m.q_next.allFinite() || !m.a_next.allFinite()) return StepResult::kDiverged;
  m.q = m.q_next;
  m.v = m.v_half + half * m.a_next;
  m.a = m.a_next;
  return StepResult::kOk;
}

ReducedState CentralDifferences::state() const HAPTIC_REALTIME {
  const Memory& m = *memory_;
  return {view(m.q), view(m.v), view(m.a)};
}

StepResult CentralDifferences::set_state(std::span<const double> q, std::span<const double> qdot,
                                         std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  m.q_next = map(q);
  m.v_half = map(qdot);
  m.evaluate(*energy_);
  m.a_next = map(f_ext) - m.R - damping_.alpha * m.v_half;
  m.a_next.noalias() -= damping_.beta * (m.K * m.v_half);
  if (!m.q_next.allFinite() || !m.v_half.allFinite() || !m.a_next.allFinite()) {
    return StepResult::kDiverged;
  }
  m.q = m.q_next;
  m.v = m.v_half;
  m.a = m.a_next;
  return StepResult::kOk;
}

}  // namespace haptic
