#include "host/unreduced/full_central_differences.h"

#include <fmt/format.h>

#include <cmath>

#include "host/reduction/block_lanczos.h"
#include "host/unreduced/full_state.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Lumped mass of every free dof [kg].
Eigen::VectorXd lumped_mass(const StvkModel& model) {
  const Eigen::VectorXd by_vertex = model.scalar_mass(MassKind::kLumped).diagonal();
  Eigen::VectorXd mass(3 * by_vertex.size());
  for (Eigen::Index v = 0; v < by_vertex.size(); ++v)
    mass.segment<3>(3 * v).setConstant(by_vertex[v]);
  return mass;
}

}  // namespace

double largest_angular_frequency(const StvkModel& model) {
  const Eigen::VectorXd mass = lumped_mass(model);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.dof_count());
  const auto multiply = [&](const Eigen::MatrixXd& X) -> Eigen::MatrixXd {
    return mass.asDiagonal() * X;
  };
  // M X -> M^-1 K X
  const auto apply = [&](const Eigen::MatrixXd& MX) {
    Eigen::MatrixXd image(MX.rows(), MX.cols());
    for (Eigen::Index c = 0; c < MX.cols(); ++c) {
      const Eigen::VectorXd x = model.expand(MX.col(c).cwiseQuotient(mass));
      image.col(c) =
          model.restrict_to_free(model.stiffness_product(rest, x)).col(0).cwiseQuotient(mass);
    }
    return image;
  };
  LanczosOptions options;
  options.block = 2;
  // The error of the value is the square of that of the vector.
  options.tolerance = 1e-4;
  options.max_blocks = 400;
  return std::sqrt(block_lanczos(model.free_dof_count(), 1, multiply, apply, options).values[0]);
}

double stable_step(double largest_angular_frequency, RayleighDamping damping) {
  const double xi = 0.5 * damping.beta * largest_angular_frequency;
  return 2.0 / largest_angular_frequency * (std::sqrt(1.0 + xi * xi) - xi);
}

struct FullCentralDifferences::State {
  State(const StvkModel& body, double step, RayleighDamping rayleigh)
      : model(body),
        dt(step),
        damping(rayleigh),
        mass(lumped_mass(body)),
        highest(largest_angular_frequency(body)),
        now(FullState::at_rest(body.free_dof_count())) {}

  // M^-1 (f - R(u) - beta K(u) v), without the alpha term.
  Eigen::VectorXd drive(const Eigen::VectorXd& u, const Eigen::VectorXd& v,
                        const Eigen::VectorXd& f) const {
    const Eigen::VectorXd full = model.expand(u);
    Eigen::VectorXd force = f - model.restrict_to_free(model.force(full));
    if (damping.beta > 0.0) {
      force -=
          damping.beta * model.restrict_to_free(model.stiffness_product(full, model.expand(v)));
    }
    return force.cwiseQuotient(mass);
  }

  const StvkModel& model;
  double dt;
  RayleighDamping damping;
  Eigen::VectorXd mass;
  double highest;
  FullState now;
};

FullCentralDifferences::FullCentralDifferences(const StvkModel& model, double dt,
                                               RayleighDamping damping) {
  require_valid("unreduced central differences", dt, damping);
  state_ = std::make_unique<State>(model, dt, damping);
  if (dt > largest_step()) {
    throw InputError(
        "unreduced central differences", "dt_s", fmt::format("found {:.4g} s", dt),
        fmt::format("at most {:.4g} s, the limit of the highest frequency {:.4g} rad/s",
                    largest_step(), highest_frequency()));
  }
}

FullCentralDifferences::~FullCentralDifferences() = default;

FullStepReport FullCentralDifferences::step(const Eigen::Ref<const Eigen::VectorXd>& f) {
  State& s = *state_;
  require_full_size("unreduced central differences", s.model, f);
  const double alpha = s.damping.alpha;
  FullState next;
  const Eigen::VectorXd v_half = s.now.v + 0.5 * s.dt * s.now.a;
  next.u = s.now.u + s.dt * v_half;
  require_not_inverted("unreduced central differences", s.model, s.model.expand(next.u));
  next.a = (s.drive(next.u, v_half, s.model.restrict_to_free(f)) - alpha * v_half) /
           (1.0 + 0.5 * alpha * s.dt);
  next.v = v_half + 0.5 * s.dt * next.a;
  // A state whose energy overflows cannot be recovered.
  if (!next.is_finite() || !std::isfinite(next.u.squaredNorm() * next.u.squaredNorm())) {
    throw OperationError("unreduced central differences: the state after the step is not finite");
  }
  s.now = std::move(next);
  FullStepReport report;
  report.converged = true;
  return report;
}

void FullCentralDifferences::set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                                       const Eigen::Ref<const Eigen::VectorXd>& v,
                                       const Eigen::Ref<const Eigen::VectorXd>& f) {
  State& s = *state_;
  FullState next = make_full_state(s.model, u, v, f);
  require_not_inverted("unreduced central differences", s.model, u);
  next.a = s.drive(next.u, next.v, s.model.restrict_to_free(f)) - s.damping.alpha * next.v;
  s.now = std::move(next);
}

double FullCentralDifferences::dt() const {
  return state_->dt;
}

Eigen::VectorXd FullCentralDifferences::displacement() const {
  return state_->model.expand(state_->now.u);
}

Eigen::VectorXd FullCentralDifferences::velocity() const {
  return state_->model.expand(state_->now.v);
}

double FullCentralDifferences::strain_energy() const {
  return state_->model.energy(displacement());
}

double FullCentralDifferences::kinetic_energy() const {
  return 0.5 * state_->now.v.dot(state_->mass.cwiseProduct(state_->now.v));
}

double FullCentralDifferences::highest_frequency() const {
  return state_->highest;
}

double FullCentralDifferences::largest_step() const {
  return stable_step(state_->highest, state_->damping);
}

}  // namespace haptic
