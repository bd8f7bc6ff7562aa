#include "rt/worlds/cloth/cloth_sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "rt/worlds/cloth/scene_constraints.h"
#include "rt/worlds/cloth/scene_integrator.h"
#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// For a pull and for what the hand grabs, besides the constraints of the scene.
constexpr std::size_t kTethers = 2;
/// Most contacts of a point in the hand with an explicit method.
constexpr std::size_t kPointContacts = 3;

/// Of the triangles at rest.
double area_per_mass(const ClothModel& model) {
  double area = 0.0, mass = 0.0;
  for (const auto& [a, b, c] : model.mesh.triangles) {
    const Vector3 p(model.mesh.vertices[a].data());
    area += 0.5 * (Vector3(model.mesh.vertices[b].data()) - p)
                      .cross(Vector3(model.mesh.vertices[c].data()) - p)
                      .norm();
  }
  for (const double of : model.masses) mass += of;
  return area / mass;
}

ClothSurroundings surroundings(const ClothModel& model, const ClothSettings& settings,
                               const Vector3& gravity) {
  ClothSurroundings s;
  s.gravity = gravity;
  s.air.drag = settings.drag;
  s.air.drag_per_area = settings.drag_per_area;
  s.air.gust_per_area = settings.gust_per_area;
  s.air.area_per_mass = area_per_mass(model);
  s.air.wind.velocity = settings.wind;
  s.air.wind.pressure = settings.wind_pressure;
  s.air.gust = {settings.gust, settings.gust_coefficient, settings.gust_period};
  return s;
}

void require_size(const ClothModel& model, const std::string& source) {
  if (model.mesh.vertices.size() <= ClothSettings::kMaxParticles) return;
  throw InputError(source, "cloth", fmt::format("found {} particles", model.mesh.vertices.size()),
                   fmt::format("at most {} in the loop", ClothSettings::kMaxParticles));
}

}  // namespace

ClothState placed_at_rest(const ClothMesh& mesh, const Pose& pose) {
  ClothState state = state_at_rest(mesh);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    at(state.x, i) = pose.to_world(Vector3(at(state.x, i)));
  }
  return state;
}

ClothSheet::ClothSheet(const ClothModel& model, const Pose& pose, const ClothSettings& settings,
                       const Vector3& gravity, double dt, std::size_t bodies,
                       std::span<const std::uint32_t> partners, const std::string& source)
    : dt_(dt), triangles_(model.mesh.triangles) {
  require_size(model, source);
  state_ = placed_at_rest(model.mesh, pose);
  system_.emplace(
      model.masses, model.springs, triangles_, surroundings(model, settings, gravity),
      kTethers +
          (settings.is_explicit() ? tethers_needed(settings.constraints, model.mesh, source) : 0));
  apply_constraints(settings.constraints, model.mesh, source, state_, settings.is_explicit(),
                    *system_);
  following_ = following_particles(settings.constraints, model.mesh, source, state_);
  before_ = state_.x;
  rest_ = state_;
  if (settings.implicit_contact()) {
    ContactStepSettings step;
    step.solver = {settings.iterations, settings.tolerance};
    step.most_passes = settings.passes;
    step.contact_capacity = bodies * settings.contact_capacity;
    implicit_.emplace(*system_, dt, step, partners);
  } else {
    method_ = make_cloth_integrator(settings, *system_, state_, dt, source);
    explicit_.emplace(kPointContacts);
  }
  StrainLimiter::Settings strain;
  stretch_.emplace(*system_, strain);
  if (settings.strain_limit) {
    strain.most = 1.0 + *settings.strain_limit;
    strain.least = settings.strain_least;
    strain.sweeps = settings.strain_sweeps;
    if (settings.strain_ordered) strain.order = StrainLimiter::Order::kMostStretchedFirst;
    limiter_.emplace(*system_, strain);
  }
  if (settings.self_contact) {
    SelfContact::Settings self;
    self.thickness = settings.thickness;
    self.friction = settings.contact_friction;
    try {
      self_.emplace(triangles_, state_.x, self);
    } catch (const InputError& error) {
      throw InputError(source, "cloth.self_contact", error.what());
    }
  }
  near_ = std::make_unique<HierarchyTriangles>(triangles_, state_.x);
}

double ClothSheet::largest_stiffness() const {
  return ExplicitContacts::largest_stiffness(std::ranges::min(system_->masses()), dt_);
}

void ClothSheet::clear() HAPTIC_REALTIME {
  if (implicit_) {
    implicit_->clear();
  } else {
    explicit_->clear();
  }
}

bool ClothSheet::add(const ClothContact& contact) HAPTIC_REALTIME {
  return implicit_ ? implicit_->add(contact) : explicit_->add(contact);
}

std::size_t ClothSheet::contacts() const HAPTIC_REALTIME {
  return implicit_ ? implicit_->contacts() : explicit_->size();
}

ContactForce ClothSheet::force(std::size_t contact) const HAPTIC_REALTIME {
  return implicit_ ? implicit_->force(contact) : explicit_->force(contact);
}

ClothStepResult ClothSheet::step() HAPTIC_REALTIME {
  std::ranges::copy(state_.x, before_.begin());
  for (const FollowingParticle& f : following_) {
    system_->constraints().set_target(f.particle, f.target(state_.time + dt_));
  }
  ClothStepResult result;
  if (implicit_) {
    result = implicit_->step(state_);
  } else {
    std::ranges::fill(system_->applied(), 0.0);
    explicit_->apply(state_.v, dt_, system_->applied());
    result = method_->step(state_);
  }
  if (result != ClothStepResult::kOk && result != ClothStepResult::kUnfinished) return result;
  if (limiter_) limiter_->apply(system_->constraints(), before_, dt_, state_);
  if (self_ && self_->apply(system_->constraints(), system_->masses(), before_, dt_, state_) ==
                   SelfContact::Result::kNotFinite) {
    return ClothStepResult::kDiverged;
  }
  if (near_->update(before_, state_.x) != UpdateResult::kDone) return ClothStepResult::kDiverged;
  return result;
}

void ClothSheet::reset() HAPTIC_REALTIME {
  std::ranges::copy(rest_.x, state_.x.begin());
  std::ranges::copy(rest_.v, state_.v.begin());
  std::ranges::copy(rest_.x, before_.begin());
  state_.time = 0.0;
  for (const FollowingParticle& f : following_) {
    system_->constraints().follow(f.particle, f.at_rest, f.at_rest);
  }
  if (method_) method_->restart();
  [[maybe_unused]] const UpdateResult finite = near_->update(before_, state_.x);
}

double ClothSheet::iterations() const HAPTIC_REALTIME {
  return implicit_ ? static_cast<double>(implicit_->outcome().iterations) : 0.0;
}

double ClothSheet::residual() const HAPTIC_REALTIME {
  return implicit_ ? implicit_->outcome().residual : 0.0;
}

std::size_t ClothSheet::unsettled() const HAPTIC_REALTIME {
  return implicit_ ? implicit_->outcome().unsettled : 0;
}

bool ClothSheet::converged() const HAPTIC_REALTIME {
  return implicit_ ? implicit_->converged() : method_->converged();
}

double ClothSheet::largest_stretch() const HAPTIC_REALTIME {
  return stretch_->largest_stretch(state_.x);
}

}  // namespace haptic::cloth
