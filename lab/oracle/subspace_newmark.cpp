#include "lab/oracle/subspace_newmark.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "host/reduction/mass_pca.h"
#include "host/unreduced/full_state.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr Eigen::Index kColumnBlock = 16;

}  // namespace

struct SubspaceNewmark::State {
  const StvkModel& model;
  double dt;
  RayleighDamping damping;
  SubspaceNewmarkSettings settings;
  Eigen::MatrixXd U;  // free dofs x r
  Eigen::VectorXd q, v, a;
  Eigen::MatrixXd KU = {};

  Eigen::VectorXd full(const Eigen::VectorXd& x) const { return model.expand(U * x); }

  Eigen::VectorXd force(const Eigen::VectorXd& x) const {
    return U.transpose() * model.restrict_to_free(model.force(full(x)));
  }

  Eigen::MatrixXd stiffness(const Eigen::VectorXd& x) {
    const SparseMatrix K = model.stiffness(full(x));
    KU.resize(U.rows(), U.cols());
    const Eigen::Index blocks = (U.cols() + kColumnBlock - 1) / kColumnBlock;
    tbb::parallel_for(Eigen::Index{0}, blocks, [&](Eigen::Index b) {
      const Eigen::Index first = b * kColumnBlock;
      const Eigen::Index count = std::min(kColumnBlock, U.cols() - first);
      KU.middleCols(first, count).noalias() = K * U.middleCols(first, count);
    });
    Eigen::MatrixXd reduced = U.transpose() * KU;
    return 0.5 * (reduced + reduced.transpose());
  }
};

SubspaceNewmark::SubspaceNewmark(const StvkModel& model, const Eigen::MatrixXd& basis, double dt,
                                 RayleighDamping damping, const SubspaceNewmarkSettings& settings) {
  require_valid("subspace newmark", dt, damping);
  if (basis.rows() != model.dof_count() || basis.cols() < 1) {
    throw InputError("subspace newmark", "basis",
                     fmt::format("found {} x {}", basis.rows(), basis.cols()),
                     fmt::format("{} rows and at least one column", model.dof_count()));
  }
  if (settings.iterations < 1 || !(settings.tolerance >= 0.0)) {
    throw InputError("subspace newmark", "iterations",
                     fmt::format("found {}, tolerance {}", settings.iterations, settings.tolerance),
                     "at least 1, tolerance >= 0");
  }
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(basis.cols());
  state_.reset(
      new State{model, dt, damping, settings, model.restrict_to_free(basis), zero, zero, zero});
}

SubspaceNewmark::~SubspaceNewmark() = default;

FullStepReport SubspaceNewmark::step(const Eigen::Ref<const Eigen::VectorXd>& f_full) {
  State& s = *state_;
  require_full_size("subspace newmark", s.model, f_full);
  const Eigen::VectorXd f = s.U.transpose() * s.model.restrict_to_free(f_full);
  // Average acceleration: beta = 1/4, gamma = 1/2.
  const double a1 = 4.0 / (s.dt * s.dt), a2 = 4.0 / s.dt, a4 = 2.0 / s.dt;
  FullStepReport report;
  Eigen::VectorXd q = s.q, v, a;
  for (int iteration = 0;; ++iteration) {
    v = a4 * (q - s.q) - s.v;
    a = a1 * (q - s.q) - a2 * s.v - s.a;
    // As FullNewmark: one iteration alone does not pay for the residual it ends with.
    if (iteration == s.settings.iterations && iteration == 1) break;
    const Eigen::VectorXd R = s.force(q);
    const Eigen::MatrixXd K = s.stiffness(q);
    const Eigen::VectorXd residual = a + s.damping.alpha * v + s.damping.beta * (K * v) + R - f;
    if (!residual.allFinite()) {
      throw OperationError("subspace newmark: the state after the step is not finite");
    }
    const double scale = a.norm() + R.norm() + f.norm();
    report.residual = scale > 0.0 ? residual.norm() / scale : 0.0;
    report.converged = report.residual <= s.settings.tolerance;
    if (report.converged || iteration == s.settings.iterations) break;
    Eigen::MatrixXd A = (1.0 + a4 * s.damping.beta) * K;
    A.diagonal().array() += a1 + a4 * s.damping.alpha;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(A);
    if (cholesky.info() == Eigen::Success) {
      q -= cholesky.solve(residual);
    } else {
      q -= Eigen::LDLT<Eigen::MatrixXd>(A).solve(residual);
    }
    ++report.iterations;
  }
  if (!q.allFinite())
    throw OperationError("subspace newmark: the state after the step is not finite");
  s.q = std::move(q);
  s.v = std::move(v);
  s.a = std::move(a);
  return report;
}

void SubspaceNewmark::set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                                const Eigen::Ref<const Eigen::VectorXd>& v,
                                const Eigen::Ref<const Eigen::VectorXd>& f) {
  State& s = *state_;
  const FullState full = make_full_state(s.model, u, v, f);
  const SparseMatrix mass = s.model.scalar_mass();
  s.q = s.U.transpose() * multiply_mass(mass, full.u);
  s.v = s.U.transpose() * multiply_mass(mass, full.v);
  s.a = s.U.transpose() * s.model.restrict_to_free(f) - s.force(s.q) - s.damping.alpha * s.v -
        s.damping.beta * (s.stiffness(s.q) * s.v);
}

double SubspaceNewmark::dt() const {
  return state_->dt;
}

Eigen::VectorXd SubspaceNewmark::displacement() const {
  return state_->full(state_->q);
}

Eigen::VectorXd SubspaceNewmark::velocity() const {
  return state_->full(state_->v);
}

double SubspaceNewmark::strain_energy() const {
  return state_->model.energy(state_->full(state_->q));
}

double SubspaceNewmark::kinetic_energy() const {
  return 0.5 * state_->v.squaredNorm();
}

const Eigen::VectorXd& SubspaceNewmark::coordinates() const {
  return state_->q;
}

}  // namespace haptic
