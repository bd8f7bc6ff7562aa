#include "host/unreduced/full_newmark.h"

#include <fmt/format.h>

#include <cmath>

#include "host/reduction/mass_pca.h"
#include "host/unreduced/full_state.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Average acceleration.
constexpr double kBeta = 0.25;
constexpr double kGamma = 0.5;
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxBacktracks = 40;

}  // namespace

struct FullNewmark::State {
  State(const StvkModel& body, double step, RayleighDamping rayleigh,
        const FullNewmarkSettings& chosen)
      : model(body),
        dt(step),
        damping(rayleigh),
        settings(chosen),
        mass(body.scalar_mass()),
        system(make_tangent_system(body, chosen.solver, chosen.viscosity, chosen.cg_tolerance)),
        now(FullState::at_rest(body.free_dof_count())) {}

  Eigen::VectorXd times_mass(const Eigen::VectorXd& x) const { return multiply_mass(mass, x); }

  bool is_viscous() const { return haptic::is_viscous(settings.viscosity); }

  // The potential of a step from `now` whose end is u, and what its line search compares with.
  struct Potential {
    double value;
    double magnitude;  // of the terms, for rounding
  };
  Potential potential(const Eigen::VectorXd& u, const Eigen::VectorXd& f) const {
    const Eigen::VectorXd d = u - now.u;
    const Eigen::VectorXd coast = a5 * now.v + a6 * now.a;  // velocity at d = 0
    const Eigen::VectorXd Md = times_mass(d);
    const double W = system->energy(u);
    const double inertia = 0.5 * (a1 + damping.alpha * a4) * d.dot(Md) -
                           Md.dot(a2 * now.v + a3 * now.a - damping.alpha * coast);
    const double work = f.dot(d);
    double viscous = 0.0;
    if (damping.beta > 0.0) {
      viscous = damping.beta * (system->force(u).dot(a4 * d + coast) - a4 * W);
    }
    if (is_viscous()) {
      const Eigen::VectorXd v = a4 * d + coast;
      viscous += 0.5 / a4 * v.dot(system->viscous(v));
    }
    return {inertia + W - work + viscous,
            std::abs(inertia) + std::abs(W) + std::abs(work) + std::abs(viscous)};
  }

  const StvkModel& model;
  double dt;
  RayleighDamping damping;
  FullNewmarkSettings settings;
  SparseMatrix mass;  // scalar
  std::unique_ptr<TangentSystem> system;
  FullState now;
  double a1 = 1.0 / (kBeta * dt * dt), a2 = 1.0 / (kBeta * dt);
  double a3 = (1.0 - 2.0 * kBeta) / (2.0 * kBeta), a4 = kGamma / (kBeta * dt);
  double a5 = 1.0 - kGamma / kBeta, a6 = (1.0 - kGamma / (2.0 * kBeta)) * dt;
};

FullNewmark::FullNewmark(const StvkModel& model, double dt, RayleighDamping damping,
                         const FullNewmarkSettings& settings) {
  require_valid("unreduced newmark", dt, damping);
  if (settings.iterations < 1) {
    throw InputError("unreduced newmark", "iterations",
                     fmt::format("found {}", settings.iterations), "at least 1");
  }
  if (!(settings.tolerance >= 0.0) || !(settings.cg_tolerance > 0.0)) {
    throw InputError("unreduced newmark", "tolerance",
                     fmt::format("found {}, {}", settings.tolerance, settings.cg_tolerance),
                     "numbers >= 0 and > 0");
  }
  const std::size_t given = settings.viscosity.size();
  if (given > 1 && given != static_cast<std::size_t>(model.mesh().group_count())) {
    throw InputError("unreduced newmark", "viscosity", fmt::format("found {} pairs", given),
                     fmt::format("one, or {}, the material groups", model.mesh().group_count()));
  }
  for (const auto& [phi, psi] : settings.viscosity) {
    if (!(phi >= 0.0) || !(psi >= 0.0)) {
      throw InputError("unreduced newmark", "viscosity", fmt::format("found {}, {}", phi, psi),
                       "numbers >= 0 [Pa s]");
    }
  }
  state_ = std::make_unique<State>(model, dt, damping, settings);
}

FullNewmark::~FullNewmark() = default;

FullStepReport FullNewmark::step(const Eigen::Ref<const Eigen::VectorXd>& f_full) {
  State& s = *state_;
  require_full_size("unreduced newmark", s.model, f_full);
  const Eigen::VectorXd f = s.model.restrict_to_free(f_full);
  const double alpha = s.damping.alpha, beta = s.damping.beta;
  FullStepReport report;
  FullState next = s.now;
  for (int iteration = 0;; ++iteration) {
    next.v = s.a4 * (next.u - s.now.u) + s.a5 * s.now.v + s.a6 * s.now.a;
    next.a = s.a1 * (next.u - s.now.u) - s.a2 * s.now.v - s.a3 * s.now.a;
    // After the last iteration the residual is only reported; with a single iteration, the
    // semi-implicit step, it is not computed.
    if (iteration == s.settings.iterations && iteration == 1) {
      report.residual = 0.0;
      break;
    }
    s.system->linearise(next.u);
    const Eigen::VectorXd R = s.system->force(next.u);
    const Eigen::VectorXd inertia = s.times_mass(next.a + alpha * next.v);
    Eigen::VectorXd residual = inertia + R - f;
    if (beta > 0.0) residual += beta * s.system->multiply(next.v);
    if (s.is_viscous()) residual += s.system->viscous(next.v);
    const double scale = inertia.norm() + R.norm() + f.norm();
    if (!std::isfinite(residual.norm())) {
      throw OperationError("unreduced newmark: the state after the step is not finite");
    }
    report.residual = scale > 0.0 ? residual.norm() / scale : 0.0;
    report.converged = report.residual <= s.settings.tolerance;
    if (report.converged || iteration == s.settings.iterations) break;

    const Eigen::VectorXd move =
        s.system->solve(s.a1 + s.a4 * alpha, 1.0 + s.a4 * beta, s.a4, -residual, report);
    ++report.iterations;
    double length = 1.0;
    if (s.settings.line_search) {
      const double slope = residual.dot(move);
      const auto before = s.potential(next.u, f);
      for (int halvings = 0; halvings < kMaxBacktracks; ++halvings, length *= 0.5) {
        const auto after = s.potential(next.u + length * move, f);
        // If the decrease is below the rounding of the terms, the full step is accepted.
        const double rounding = 1e-13 * (before.magnitude + after.magnitude);
        // Infinite where a neo-Hookean element is inverted: so is the rounding then.
        if (std::isfinite(after.value) &&
            after.value <= before.value + kSufficientDecrease * length * slope + rounding) {
          break;
        }
        ++report.backtracks;
      }
    }
    next.u += length * move;
  }
  if (!next.is_finite()) {
    throw OperationError("unreduced newmark: the state after the step is not finite");
  }
  require_not_inverted("unreduced newmark", s.model, s.model.expand(next.u));
  s.now = std::move(next);
  return report;
}

void FullNewmark::set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                            const Eigen::Ref<const Eigen::VectorXd>& v,
                            const Eigen::Ref<const Eigen::VectorXd>& f) {
  State& s = *state_;
  FullState next = make_full_state(s.model, u, v, f);
  require_not_inverted("unreduced newmark", s.model, u);
  s.system->linearise(next.u);
  Eigen::VectorXd force = s.model.restrict_to_free(f);
  force -= s.system->force(next.u) + s.damping.beta * s.system->multiply(next.v);
  if (s.is_viscous()) force -= s.system->viscous(next.v);
  next.a = solve_mass(s.mass, force) - s.damping.alpha * next.v;
  s.now = std::move(next);
}

double FullNewmark::dt() const {
  return state_->dt;
}

Eigen::VectorXd FullNewmark::displacement() const {
  return state_->model.expand(state_->now.u);
}

Eigen::VectorXd FullNewmark::velocity() const {
  return state_->model.expand(state_->now.v);
}

double FullNewmark::strain_energy() const {
  return state_->system->energy(state_->now.u);
}

double FullNewmark::kinetic_energy() const {
  return 0.5 * state_->now.v.dot(state_->times_mass(state_->now.v));
}

}  // namespace haptic
