#include "rt/bodies/deformable_body.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {
namespace {

/// Default of the displacement limit, in diameters of the body.
constexpr double kMaxDisplacement = 10.0;
/// Largest step as a fraction of the displacement limit; a larger one indicates divergence.
constexpr double kMaxStep = 0.1;

ReducedSystem as_baked(const BodyModel& model) {
  return {.energy = &*model.energy,
          .damping = model.damping,
          .viscosity = model.viscosity ? &*model.viscosity : nullptr};
}

/// ModalOscillators applies the scales itself and needs no polynomials.
MaterialRows rows_of(const BodyModel& model, const BodyDynamics& dynamics) {
  if (dynamics.integrator != DynamicsIntegrator::kModal) {
    return MaterialRows::of_model(*model.file, model.dimension());
  }
  MaterialRows rows;
  rows.dimension = model.dimension();
  return rows;
}

/// |q| divided by the square root of the mass is the root-mean-square displacement. U^T M U = I
/// gives the mass: about n r / |U|^2 for n vertices.
GrowthLimit growth_limit(const BodyModel& model, const BodyDynamics& dynamics) {
  GrowthLimit limit;
  if (dynamics.acceleration_limit) limit.acceleration = *dynamics.acceleration_limit;
  const std::span<const double> basis = model.file->doubles("/reduced/basis");
  double squares = 0.0;
  for (const double x : basis) squares += x * x;
  const double displacement =
      dynamics.displacement_limit.value_or(2.0 * kMaxDisplacement * model.bounding_radius);
  if (!(displacement > 0.0 && squares > 0.0)) return limit;
  limit.norm = displacement * std::sqrt(static_cast<double>(basis.size()) / 3.0 / squares);
  limit.step = kMaxStep * limit.norm;
  return limit;
}

/// Requires dt <= 2 / w_max; with a longer step, the first contact would end in a fault.
void demand_stable(const BodyModel& model, double dt) {
  const double largest = 2.0 / largest_angular_frequency(*model.energy);
  if (dt <= largest) return;
  throw InputError(
      model.file->path().string(), "central differences",
      fmt::format("found steps of {:.4g} s ({:g} Hz)", dt, 1.0 / dt),
      fmt::format("at most {:.4g} s, 2/w_max of the reduced model: a higher rate_hz, or "
                  "another [dynamics] integrator",
                  largest));
}

}  // namespace

DeformableBody::AnyIntegrator DeformableBody::make(const BodyModel& model,
                                                   const MaterialBlend& material,
                                                   const BodyDynamics& dynamics, double dt) {
  const GrowthLimit limit = growth_limit(model, dynamics);
  switch (dynamics.integrator) {
    case DynamicsIntegrator::kCentralDifferences:
      demand_stable(model, dt);
      return CentralDifferences(material.system(), dt, limit);
    case DynamicsIntegrator::kModal:
      if (model.viscosity) {
        throw InputError(model.file->path().string(), "/reduced/viscous/linear",
                         "found strain-rate damping, which does not decouple into modes",
                         "another integrator than \"modal\" in the scene");
      }
      return ModalOscillators(*model.energy, dt, model.damping, limit);
    case DynamicsIntegrator::kNewmark:
      break;
  }
  return NewmarkIntegrator(material.system(), dt, {dynamics.newton_iterations, 0.0}, limit);
}

DeformableBody::DeformableBody(const BodyModel& model, const BodyDynamics& dynamics, double dt)
    : material_(as_baked(model), rows_of(model, dynamics), dt, dynamics.material_ramp_s,
                dynamics.integrator == DynamicsIntegrator::kCentralDifferences
                    ? MaterialBlend::Stepping::kExplicit
                    : MaterialBlend::Stepping::kStable),
      any_(make(model, material_, dynamics, dt)),
      integrator_(std::visit([](auto& i) -> Integrator* { return &i; }, any_)),
      dt_(dt),
      ramp_s_(dynamics.material_ramp_s),
      q_(model.dimension(), 0.0),
      qdot_(model.dimension(), 0.0),
      wanted_(model.dimension()),
      stopped_(model.dimension(), 0.0),
      rest_workspace_(model.dimension()),
      rest_stiffness_(q_.size() * q_.size()),
      rest_force_(q_.size()),
      at_rest_(q_.size(), 0.0),
      leading_mass_{std::vector<double>(q_.size() * q_.size()),
                    std::vector<double>(q_.size() * q_.size())},
      force_(model.dimension()),
      cut_q_(model.dimension()),
      cut_qdot_(model.dimension()) {}

bool DeformableBody::set_dimension(double dimension) HAPTIC_REALTIME {
  if (!may_change_dimension() || !(dimension >= 1.0 && dimension <= double(q_.size()))) {
    return false;
  }
  const auto whole = static_cast<std::uint32_t>(dimension);
  if (static_cast<double>(whole) != dimension) return false;
  wanted_ = whole;
  return true;
}

bool DeformableBody::begin_step() HAPTIC_REALTIME {
  const bool released = released_.advance(dt_);
  const bool falls = wanted_ < used() && !releases();
  if (falls) stop_coordinates();
  const bool moved = part_.advance(dt_);
  if (moved) {
    for (std::size_t j = used(); j < q_.size(); ++j) q_[j] = part_.value() * stopped_[j];
  }
  const bool at_zero = part_.value() == 0.0;
  if (at_zero && !releases() && may_change_dimension()) material_.select(wanted_);
  const bool changed = material_.advance();
  const bool rises = at_zero && wanted_ > used() && dimension() == wanted_;
  if (rises) begin_release();
  if (changed || rises || released) apply_material(rises ? wanted_ : used());
  return falls || moved || changed || rises || released;
}

/// The first step with the new coordinates has the first part of their compliance. The explicit
/// integrator, which such stiffness would make unstable, gets all of it at once.
void DeformableBody::begin_release() HAPTIC_REALTIME {
  if (!std::holds_alternative<NewmarkIntegrator>(any_)) return;
  const std::size_t r = dimension();  // those of the next step
  release_from_ = used();
  material_.system().energy->force_and_stiffness(
      std::span(at_rest_).first(r), std::span(rest_force_).first(r),
      std::span(rest_stiffness_).first(r * r), rest_workspace_);
  released_ = ValueRamp(0.0);
  released_.set(1.0, ramp_s_);
  released_.advance(dt_);
}

void DeformableBody::stop_coordinates() HAPTIC_REALTIME {
  std::copy(q_.begin(), q_.end(), stopped_.begin());
  const auto moved = [](double q) HAPTIC_REALTIME { return q != 0.0; };
  part_ = ValueRamp(std::any_of(q_.begin() + wanted_, q_.end(), moved) ? 1.0 : 0.0);
  part_.set(0.0, ramp_s_);
  apply_material(wanted_);
  load_state();
  std::fill(qdot_.begin() + wanted_, qdot_.end(), 0.0);
}

void DeformableBody::apply_material(std::uint32_t used) HAPTIC_REALTIME {
  if (auto* newmark = std::get_if<NewmarkIntegrator>(&any_)) {
    newmark->set_system(system(used));
  } else if (auto* central = std::get_if<CentralDifferences>(&any_)) {
    central->set_system(system(used));
  } else if (auto* modal = std::get_if<ModalOscillators>(&any_)) {
    modal->set_scales(material_.value(0), material_.value(1), material_.value(2));
  }
}

ReducedSystem DeformableBody::system(std::uint32_t used) HAPTIC_REALTIME {
  ReducedSystem system = material_.system();
  const std::size_t all = dimension(), n = used;
  system.fixed = std::span(q_).subspan(n, all - n);
  if (releases()) {
    system.release = {.stiffness = std::span(rest_stiffness_).first(n * n),
                      .dimension = used,
                      .first = release_from_,
                      .factor = 1.0 / released_.value() - 1.0};
  }
  if (!mass_.empty()) {
    system.mass = mass_;
  } else if (!system.mass.empty() && n < all) {
    leading_ = 1 - leading_;
    std::vector<double>& leading = leading_mass_[leading_];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) leading[i * n + j] = system.mass[i * all + j];
    }
    system.mass = std::span(leading).first(n * n);
  }
  return system;
}

void DeformableBody::load_state() HAPTIC_REALTIME {
  const ReducedState state = integrator_->state();
  std::ranges::copy(state.q, q_.begin());
  std::ranges::copy(state.qdot, qdot_.begin());
}

void DeformableBody::set_mass(std::span<const double> mass) HAPTIC_REALTIME {
  mass_ = mass;
  std::get_if<NewmarkIntegrator>(&any_)->set_system(system(used()));
}

NewmarkIntegrator::StepSystem DeformableBody::prepare(std::span<const double> dq) HAPTIC_REALTIME {
  return std::get_if<NewmarkIntegrator>(&any_)->prepare(dq.first(used()));
}

double DeformableBody::excess_work(std::span<const double> dq) HAPTIC_REALTIME {
  return std::get_if<NewmarkIntegrator>(&any_)->excess_work(dq.first(used()));
}

void DeformableBody::halt() HAPTIC_REALTIME {
  std::get_if<NewmarkIntegrator>(&any_)->halt();
}

bool DeformableBody::push(std::span<const double> impulse) HAPTIC_REALTIME {
  if (!std::get_if<NewmarkIntegrator>(&any_)->push(impulse)) return false;
  load_state();
  return true;
}

StepResult DeformableBody::complete(std::span<const double> dq,
                                    double contact_weight) HAPTIC_REALTIME {
  std::fill(force_.begin(), force_.end(), 0.0);
  const StepResult result =
      std::get_if<NewmarkIntegrator>(&any_)->complete(dq.first(used()), contact_weight);
  load_state();
  return result;
}

StepResult DeformableBody::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  std::copy(f_ext.begin(), f_ext.end(), force_.begin());
  const StepResult result = integrator_->step(f_ext.first(used()));
  load_state();
  return result;
}

StepResult DeformableBody::stop_at(double fraction,
                                   std::span<const double> before) HAPTIC_REALTIME {
  const std::size_t n = used();
  const auto leading = [&](std::vector<double>& values) HAPTIC_REALTIME {
    return Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(n));
  };
  const Eigen::Map<const Eigen::VectorXd> from(before.data(), static_cast<Eigen::Index>(n));
  leading(cut_q_) = from + fraction * (leading(q_) - from);
  leading(cut_qdot_) = fraction * leading(qdot_);
  const StepResult result = integrator_->set_state(
      std::span(cut_q_).first(n), std::span(cut_qdot_).first(n), std::span(force_).first(n));
  load_state();
  return result;
}

void DeformableBody::reset() HAPTIC_REALTIME {
  integrator_->reset();
  part_ = ValueRamp(0.0);
  if (releases()) {
    released_.finish();
    apply_material(used());
  }
  std::fill(q_.begin(), q_.end(), 0.0);
  std::fill(qdot_.begin(), qdot_.end(), 0.0);
}

std::string DeformableBody::key(std::size_t parameter) const {
  using Kind = MaterialBlend::Kind;
  const MaterialBlend::Parameter& p = material_.parameters()[parameter];
  const auto group = [&](const char* word) {
    return fmt::format("{}.{}", word, material_.rows().groups[p.group].name);
  };
  switch (p.kind) {
    case Kind::kStiffness:
      return "stiffness";
    case Kind::kDensity:
      return "density";
    case Kind::kDamping:
      return "damping";
    case Kind::kLambda:
      return group("lambda");
    case Kind::kMu:
      return group("mu");
    case Kind::kGroupStiffness:
      return group("stiffness");
    case Kind::kGroupDensity:
      return group("density");
  }
  return {};
}

}  // namespace haptic
