#include "rt/dynamics/central_differences.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "rt/dynamics/symmetric_kernels.h"
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
      : capacity(r), memory(r, 7, 4), workspace(r), viscous_workspace(r), cholesky(factor) {
    place(r);
  }
  void place(Eigen::Index r) HAPTIC_REALTIME {
    memory.place(r, {&q, &v, &a, &q_next, &v_half, &a_next, &R}, {&K, &G, &A, &factor});
  }
  /// The state gets `r` coordinates: those behind vanish, and new ones are at rest at zero.
  void resize(std::size_t r) HAPTIC_REALTIME {
    const auto before = static_cast<std::size_t>(q.size());
    place(static_cast<Eigen::Index>(r));
    for (double* const values : {q.data(), v.data(), a.data()}) {
      std::fill(values + std::min(before, r), values + std::max(before, r), 0.0);
    }
  }

  static constexpr std::nullptr_t kNone = nullptr;
  std::size_t capacity;  // largest dimension
  ViewMemory memory;
  VectorView q{kNone, 0}, v{kNone, 0}, a{kNone, 0};  // last good state
  VectorView q_next{kNone, 0}, v_half{kNone, 0}, a_next{kNone, 0}, R{kNone, 0};
  MatrixView K{kNone, 0, 0}, G{kNone, 0, 0}, A{kNone, 0, 0}, factor{kNone, 0, 0};
  std::array<double, kMaxReducedDimension> all;  // coordinates of the energy
  ReducedEnergy::Workspace workspace;
  ViscousDamping::Workspace viscous_workspace;
  CholeskyInView cholesky;
};

CentralDifferences::CentralDifferences(const ReducedSystem& system, double dt, GrowthLimit limit)
    : system_(system), dt_(dt), limit_(limit) {
  require_valid("central differences", dt, system);
  memory_ = std::make_unique<Memory>(system.energy->dimension());
  memory_->resize(system.dimension());
}

CentralDifferences::CentralDifferences(CentralDifferences&&) noexcept = default;
CentralDifferences& CentralDifferences::operator=(CentralDifferences&&) noexcept = default;
CentralDifferences::~CentralDifferences() = default;

bool CentralDifferences::accelerate(std::span<const double> f_ext, double weight) HAPTIC_REALTIME {
  Memory& m = *memory_;
  const Eigen::Index r = m.q.size();
  std::span<const double> q = view(m.q_next);
  if (!system_.fixed.empty()) {
    std::ranges::copy(q, m.all.begin());
    std::ranges::copy(system_.fixed, m.all.begin() + r);
    q = std::span(m.all).first(q.size() + system_.fixed.size());
  }
  system_.energy->evaluate(q, {m.R.data(), q.size()}, m.workspace);
  symmetric_kernels(system_.energy->simd())
      .unpack(m.workspace.stiffness(), static_cast<std::size_t>(r), m.K.data());
  const double alpha = system_.damping.alpha, beta = system_.damping.beta;
  m.a_next = vector_of(f_ext) - m.R;
  if (system_.mass.empty() && beta == 0.0 && system_.viscosity == nullptr) {
    m.a_next -= alpha * m.v_half;
    m.a_next /= 1.0 + weight * alpha;
    return true;
  }
  m.G = beta * m.K;  // becomes C
  if (system_.viscosity != nullptr) {
    system_.viscosity->evaluate(q, view(m.A), m.viscous_workspace);
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
  if (!m.cholesky.compute(m.A)) return false;
  m.cholesky.solve_in_place(m.a_next);
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
  HAPTIC_ASSERT(system.energy->dimension() <= memory_->capacity);
  if (system.dimension() != memory_->q.size()) memory_->resize(system.dimension());
  system_ = system;
}

}  // namespace haptic
