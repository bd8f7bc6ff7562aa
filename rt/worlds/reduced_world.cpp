#include "rt/worlds/reduced_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rt/worlds/make_world.h"
#include "shared/error.h"

namespace haptic {

namespace {

[[noreturn]] void refuse_model(const Scene& scene, std::size_t body, std::string_view found,
                               std::string_view expected) {
  throw InputError(scene.file.string(), scene.bodies[body].name,
                   fmt::format("{} {}", scene.bodies[body].model.string(), found), expected);
}

void check_role(const Scene& scene, std::size_t body, const BodyModel& model) {
  if (scene.bodies[body].role != BodyRole::kHeld) return;
  if (model.dimension() != 0) {
    refuse_model(scene, body, fmt::format("deforms in {} coordinates", model.dimension()),
                 "a rigid model in the hand (a recipe without [reduction])");
  }
  if (!(model.bounding_radius > 0.0)) {
    refuse_model(scene, body, "has no extent", "a surface, a shell or a field");
  }
}

void check_contact(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                   const BodyModel& field) {
  if (!points.shell) {
    refuse_model(scene, contact.points, "has no contact points", "a model baked with [shell]");
  }
  if (!field.field) {
    refuse_model(scene, contact.field, "has no distance field", "a model baked with [field]");
  }
  if (field.dimension() != 0) {
    refuse_model(scene, contact.field, "deforms, and its field would not follow",
                 "a rigid model on the field side; give the deformable body the points");
  }
}

// Finite, and a rotation up to what rounding and a device's own arithmetic leave.
bool is_placement(const Pose& pose) HAPTIC_REALTIME {
  return is_finite(pose) && std::abs(pose.orientation.squaredNorm() - 1.0) < 1e-3;
}

}  // namespace

ReducedWorld::ReducedWorld(const Scene& scene, const Clock* clock)
    : clock_(clock),
      dt_(1.0 / scene.rate_hz),
      length_scale_(scene.length_scale),
      scene_coupling_(scene.coupling),
      held_(scene.held_body()),
      home_(scene.bodies[held_].pose),
      coupling_(CouplingSettings{}) {
  add_bodies(scene);
  add_pairs(scene);
  add_parameters(scene);
  coupling_ = VirtualCoupling(coupling_settings());
}

void ReducedWorld::add_bodies(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    models_.push_back(std::make_unique<BodyModel>(body.model, body.dimension));
    const BodyModel& model = *models_.back();
    check_role(scene, i, model);
    infos_.push_back({body.name, body.model.string(), model.file.content_hash(),
                      static_cast<std::uint32_t>(coordinates_.size()), model.dimension(),
                      i == held_});
    poses_.push_back(body.pose);
    coordinates_.resize(coordinates_.size() + model.dimension(), 0.0);
    if (model.energy) {
      deformables_.push_back({i, std::make_unique<DeformableBody>(model, scene.dynamics, dt_)});
    }
  }
  reduced_forces_.assign(coordinates_.size(), 0.0);
}

void ReducedWorld::add_pairs(const Scene& scene) {
  for (const SceneContact& contact : scene.contacts) {
    const BodyModel& points = *models_[contact.points];
    const BodyModel& field = *models_[contact.field];
    check_contact(scene, contact, points, field);
    ContactSettings settings;
    settings.stiffness = contact.stiffness;
    settings.gradient = scene.coupling.contact_gradient;
    const HeldSide side = contact.field == held_ ? HeldSide::kField : HeldSide::kShell;
    pairs_.push_back({ContactPair(*points.shell, *points.tree, *field.field, settings, side),
                      contact.points, contact.field});
  }
}

void ReducedWorld::add_parameters(const Scene& scene) {
  parameters_.assign(kReducedWorldParameters.begin(), kReducedWorldParameters.end());
  for (const Deformable& deformable : deformables_) {
    const std::string& name = scene.bodies[deformable.body].name;
    DeformableBody& body = *deformable.dynamics;
    for (std::size_t i = 0; i < body.material().parameters().size(); ++i) {
      const MaterialBlend::Parameter& p = body.material().parameters()[i];
      const std::string& key = parameter_names_.emplace_back(name + "." + body.key(i));
      if (key.size() > kLongestParameterName) {
        throw InputError(scene.file.string(), name,
                         fmt::format("found the parameter {} of {} characters", key, key.size()),
                         fmt::format("at most {}: a shorter name of the body or its material group",
                                     kLongestParameterName));
      }
      for (const Parameter& other : parameters_) {
        if (other.name != key) continue;
        throw InputError(scene.file.string(), name, fmt::format("found {} a second time", key),
                         "names that give every parameter one of its own");
      }
      parameters_.push_back({key, p.minimum, p.maximum});
      material_parameters_.push_back({&body, i});
    }
  }
}

CouplingSettings ReducedWorld::coupling_settings() const HAPTIC_REALTIME {
  double plateau = std::numeric_limits<double>::infinity();
  for (const Pair& pair : pairs_) {
    const double depth =
        scene_coupling_.permitted_depth.value_or(models_[pair.field]->field->edge());
    plateau = std::min(plateau, pair.contact.stiffness() * depth);
  }
  CouplingSettings settings;
  settings.bounding_radius = models_[held_]->bounding_radius;
  settings.force = {scene_coupling_.stiffness, plateau};
  settings.torque = {2.0 * scene_coupling_.rotational_stiffness,
                     plateau * settings.bounding_radius};
  settings.static_damping = scene_coupling_.static_damping;
  settings.max_step = scene_coupling_.max_speed * length_scale_ * dt_;
  settings.max_rotation = scene_coupling_.max_angular_speed * dt_;
  settings.gradient = scene_coupling_.saturation_gradient;
  return settings;
}

WorldStatus ReducedWorld::step(const DeviceState& hand, WorldOutput& output) HAPTIC_REALTIME {
  output = WorldOutput{};
  output.held_pose = poses_[held_];
  if (!is_placement(hand.pose)) return WorldStatus::kNotFinite;
  const Pose target = manipulandum(hand.pose);
  output.manipulandum_pose = target;
  if (!placed_) poses_[held_] = target;
  placed_ = true;

  const std::int64_t begin = now();
  Pose held = poses_[held_];
  const CouplingLoad load = coupling_.simulated(target, held);

  const std::int64_t coupled = now();
  const ContactSum contact = touch();

  const std::int64_t touched = now();
  if (coupling_.advance(target, load, contact.wrench, contact.gradient, held) !=
      CouplingStatus::kOk) {
    return WorldStatus::kNotFinite;
  }
  if (const WorldStatus status = move_deformables(); status != WorldStatus::kOk) return status;
  poses_[held_] = held;
  output.device_wrench = coupling_.on_hand(target, held);
  const std::int64_t moved = now();

  output.contact_wrench = contact.wrench;
  output.held_pose = held;
  output.contacts = contact.contacts;
  output.visited_nodes = contact.visited_nodes;
  output.times = {coupled - begin, touched - coupled, moved - touched};
  return WorldStatus::kOk;
}

Pose ReducedWorld::manipulandum(const Pose& hand) const HAPTIC_REALTIME {
  Pose pose;
  pose.position = home_.position + length_scale_ * hand.position;
  pose.orientation = (hand.orientation * home_.orientation).normalized();
  return pose;
}

ReducedWorld::ContactSum ReducedWorld::touch() HAPTIC_REALTIME {
  ContactSum sum;
  sum.gradient.setZero();
  std::fill(reduced_forces_.begin(), reduced_forces_.end(), 0.0);
  for (Pair& pair : pairs_) {
    const ContactResult& result = pair.contact.evaluate(poses_[pair.points], poses_[pair.field],
                                                        slice(coordinates_, pair.points));
    sum.wrench.force += result.on_held.force;
    sum.wrench.torque += result.on_held.torque;
    sum.gradient += result.gradient;
    sum.contacts += result.contacts;
    sum.visited_nodes += result.visited_nodes;
    const std::span<double> total = slice(reduced_forces_, pair.points);
    const std::span<const double> force = pair.contact.reduced_force();
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += force[j];
  }
  return sum;
}

WorldStatus ReducedWorld::move_deformables() HAPTIC_REALTIME {
  for (Deformable& deformable : deformables_) {
    if (deformable.dynamics->step(slice(reduced_forces_, deformable.body)) != StepResult::kOk) {
      return WorldStatus::kDiverged;
    }
    const std::span<const double> q = deformable.dynamics->q();
    std::copy(q.begin(), q.end(), slice(coordinates_, deformable.body).begin());
  }
  return WorldStatus::kOk;
}

void ReducedWorld::reset() HAPTIC_REALTIME {
  for (Deformable& deformable : deformables_) deformable.dynamics->reset();
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  std::fill(reduced_forces_.begin(), reduced_forces_.end(), 0.0);
  placed_ = false;
}

double ReducedWorld::parameter(std::size_t index) const HAPTIC_REALTIME {
  switch (index) {
    case kCouplingStiffness:
      return scene_coupling_.stiffness;
    case kCouplingRotationalStiffness:
      return scene_coupling_.rotational_stiffness;
    case kCouplingStaticDamping:
      return scene_coupling_.static_damping;
    case kContactStiffness:
      return pairs_.empty() ? 0.0 : pairs_.front().contact.stiffness();
    default:
      break;
  }
  if (index >= parameters_.size()) return std::numeric_limits<double>::quiet_NaN();
  const MaterialParameter& p = material_parameters_[index - kReducedWorldParameterCount];
  return p.body->material().value(p.index);
}

bool ReducedWorld::set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  if (index >= parameters_.size()) return false;
  if (index >= kReducedWorldParameterCount) {
    const MaterialParameter& p = material_parameters_[index - kReducedWorldParameterCount];
    return p.body->material().set(p.index, value);
  }
  const Parameter& range = kReducedWorldParameters[index];
  if (!(value >= range.minimum && value <= range.maximum)) return false;
  switch (index) {
    case kCouplingStiffness:
      scene_coupling_.stiffness = value;
      break;
    case kCouplingRotationalStiffness:
      scene_coupling_.rotational_stiffness = value;
      break;
    case kCouplingStaticDamping:
      scene_coupling_.static_damping = value;
      break;
    default:
      for (Pair& pair : pairs_) pair.contact.set_stiffness(value);
      break;
  }
  return coupling_.set_settings(coupling_settings());
}

std::span<double> ReducedWorld::slice(std::vector<double>& values,
                                      std::size_t body) HAPTIC_REALTIME {
  return std::span(values).subspan(infos_[body].first_coordinate, infos_[body].coordinate_count);
}

std::unique_ptr<World> make_world(const Scene& scene, const Clock* clock) {
  return std::make_unique<ReducedWorld>(scene, clock);
}

}  // namespace haptic
