#include "rt/bodies/deformable_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {
namespace {

/// Default of the displacement limit, in diameters of the body.
constexpr double kLargestDisplacement = 10.0;
/// Largest step as a fraction of the displacement limit; a larger one indicates divergence.
constexpr double kLargestStep = 0.1;

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
      dynamics.displacement_limit.value_or(2.0 * kLargestDisplacement * model.bounding_radius);
  if (!(displacement > 0.0 && squares > 0.0)) return limit;
  limit.norm = displacement * std::sqrt(static_cast<double>(basis.size()) / 3.0 / squares);
  limit.step = kLargestStep * limit.norm;
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
      force_(model.dimension()),
      cut_q_(model.dimension()),
      cut_qdot_(model.dimension()) {}

void DeformableBody::advance_material() HAPTIC_REALTIME {
  if (!material_.advance()) return;
  if (auto* newmark = std::get_if<NewmarkIntegrator>(&any_)) {
    newmark->set_system(system());
  } else if (auto* central = std::get_if<CentralDifferences>(&any_)) {
    central->set_system(material_.system());
  } else if (auto* modal = std::get_if<ModalOscillators>(&any_)) {
    modal->set_scales(material_.value(0), material_.value(1), material_.value(2));
  }
}

ReducedSystem DeformableBody::system() const HAPTIC_REALTIME {
  ReducedSystem system = material_.system();
  if (!mass_.empty()) system.mass = mass_;
  return system;
}

void DeformableBody::set_mass(std::span<const double> mass) HAPTIC_REALTIME {
  mass_ = mass;
  std::get_if<NewmarkIntegrator>(&any_)->set_system(system());
}

NewmarkIntegrator::StepSystem DeformableBody::prepare(std::span<const double> dq,
                                                      bool first) HAPTIC_REALTIME {
  if (first) advance_material();
  return std::get_if<NewmarkIntegrator>(&any_)->prepare(dq);
}

double DeformableBody::excess_work(std::span<const double> dq) HAPTIC_REALTIME {
  return std::get_if<NewmarkIntegrator>(&any_)->excess_work(dq);
}

void DeformableBody::halt() HAPTIC_REALTIME {
  std::get_if<NewmarkIntegrator>(&any_)->halt();
}

bool DeformableBody::push(std::span<const double> impulse) HAPTIC_REALTIME {
  return std::get_if<NewmarkIntegrator>(&any_)->push(impulse);
}

StepResult DeformableBody::complete(std::span<const double> dq,
                                    double contact_weight) HAPTIC_REALTIME {
  std::fill(force_.begin(), force_.end(), 0.0);
  return std::get_if<NewmarkIntegrator>(&any_)->complete(dq, contact_weight);
}

StepResult DeformableBody::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  std::copy(f_ext.begin(), f_ext.end(), force_.begin());
  advance_material();
  return integrator_->step(f_ext);
}

StepResult DeformableBody::stop_at(double fraction,
                                   std::span<const double> before) HAPTIC_REALTIME {
  const ReducedState state = integrator_->state();
  for (std::size_t j = 0; j < cut_q_.size(); ++j) {
    cut_q_[j] = before[j] + fraction * (state.q[j] - before[j]);
    cut_qdot_[j] = fraction * state.qdot[j];
  }
  return integrator_->set_state(cut_q_, cut_qdot_, force_);
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
