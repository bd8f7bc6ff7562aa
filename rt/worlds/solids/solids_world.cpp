#include "rt/worlds/solids/solids_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "rt/bodies/cloth_model.h"
#include "rt/bodies/with_file_context.h"
#include "rt/worlds/body_blocks.h"
#include "rt/worlds/motion_bounds.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic::solids {

namespace {

/// How far outside the body the hand may hold it, in radii of its extent. Further out, a turn of
/// the hand by a degree moves the body by more than a third of its radius. A grasp in millimetres
/// is most often refused.
constexpr double kMaxGraspDistance = 20.0;

void check_grasp(const Scene& scene, const BodyModel& model) {
  const BodyModel::Extent extent = model.extent();
  const Vector3& grasp = scene.coupling.grasp;
  const double distance = (grasp - extent.centre).norm();
  if (distance <= kMaxGraspDistance * extent.radius) return;
  throw InputError(
      scene.file.string(), "coupling.grasp",
      fmt::format("found [{:.6g}, {:.6g}, {:.6g}] m, {:.3g} m from the middle of \"{}\"", grasp.x(),
                  grasp.y(), grasp.z(), distance, scene.bodies[scene.held_body()].name),
      fmt::format("at most {:.3g} m, {:g} times the body's radius of {:.3g} m",
                  kMaxGraspDistance * extent.radius, kMaxGraspDistance, extent.radius));
}

void check_role(const Scene& scene, std::size_t body, const BodyModel& model) {
  if (scene.bodies[body].role != BodyRole::kHeld || model.bounding_radius > 0.0) return;
  throw InputError(scene.file.string(), scene.bodies[body].name,
                   fmt::format("{} has no extent", text_of(scene.bodies[body].model)),
                   "a surface, a shell or a field");
}

// Whether the pose is finite and its quaternion a unit quaternion within the rounding of a device's
// arithmetic.
bool is_placement(const Pose& pose) HAPTIC_REALTIME {
  return is_finite(pose) && std::abs(pose.orientation.squaredNorm() - 1.0) < 1e-3;
}

}  // namespace

SolidsWorld::SolidsWorld(const Scene& scene, const Clock* clock)
    : clock_(clock),
      dt_(1.0 / scene.rate_hz),
      held_(scene.held_body()),
      ramp_s_(solids_settings(scene).dynamics.material_ramp_s),
      force_limit_(scene.limits.force),
      torque_limit_(scene.limits.torque) {
  add_bodies(scene);
  check_grasp(scene, *models_[held_]);
  contacts_.emplace(scene, models_, clock_);
  swept_.emplace(scene, models_);
  if (ImplicitStep::chosen_by(scene)) {
    std::vector<ImplicitStep::Member> members;
    for (const Deformable& d : deformables_) members.push_back({d.body, d.dynamics.get()});
    std::vector<ImplicitStep::FreeMember> free;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto shape = std::ranges::find(deformables_, free_index_[i], &Deformable::body);
      free.push_back({free_index_[i], free_[i].get(), inertias_[i].get(),
                      shape == deformables_.end() ? nullptr : shape->dynamics.get()});
    }
    implicit_.emplace(scene, models_, std::move(members), std::move(free), contacts_->pairs());
    for (ContactSet::Pair& pair : contacts_->pairs()) pair.contact.set_end_of_step(true);
  }
  add_parameters(scene);
  held_body_.emplace(scene.coupling, scene.bodies[held_].pose, scene.length_scale,
                     models_[held_]->bounding_radius_about(scene.coupling.grasp), dt_);
  motions_[held_].grasp = held_body_->grasp();
  if (!limit_coupling()) {
    throw InputError(scene.file.string(), "coupling", "values out of range",
                     "finite numbers > 0, static_damping in [0, 1)");
  }
  ramps_[kCouplingStiffness] = ValueRamp(scene.coupling.stiffness);
  ramps_[kCouplingRotationalStiffness] = ValueRamp(scene.coupling.rotational_stiffness);
  ramps_[kCouplingStaticDamping] =
      ValueRamp(scene.coupling.static_damping.value_or(HeldBodySettings::kStaticDamping));
  const auto per_point = [](const ContactSet::Pair& pair) { return !pair.whole; };
  const auto first = std::ranges::find_if(pairs(), per_point);
  ramps_[kContactStiffness] = ValueRamp(first == pairs().end() ? 0.0 : first->contact.stiffness());
}

void SolidsWorld::add_bodies(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    const auto same =
        std::find_if(scene.bodies.begin(), scene.bodies.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const SceneBody& other) { return other.model == body.model; });
    const auto earlier = static_cast<std::size_t>(same - scene.bodies.begin());
    models_.push_back(std::make_unique<BodyModel>(body.model, body.dimension,
                                                  earlier < i ? models_[earlier]->file : nullptr));
    const BodyModel& model = *models_.back();
    check_role(scene, i, model);
    if (model.file) require_no_cloth(*model.file, scene.file.string(), body.name);
    infos_.push_back({body.name, text_of(body.model), model.content_hash,
                      static_cast<std::uint32_t>(coordinates_.size()), model.dimension(),
                      i == held_});
    poses_.emplace_back();
    pose_values_.resize(7 * poses_.size());
    set_pose(i, body.pose);
    coordinates_.resize(coordinates_.size() + model.dimension(), 0.0);
    if (model.energy) {
      with_file_context(model.file->path(), [&] {
        deformables_.push_back(
            {i, std::make_unique<DeformableBody>(model, solids_settings(scene).dynamics, dt_),
             DeformationSamples(*model.file, model.dimension())});
      });
    }
  }
  add_free_bodies(scene);
  std::vector<StateBlock> blocks = body_blocks(poses_.size(), coordinates_.size());
  std::ranges::move(contact_blocks(), std::back_inserter(blocks));
  layout_ = StateLayout(std::move(blocks));
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    motions_.push_back({.pose = poses_[i], .q = slice(coordinates_, i)});
  }
}

void SolidsWorld::add_free_bodies(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    if (body.role != BodyRole::kFree) continue;
    const ModelFile& file = *models_[i]->file;
    const std::uint32_t r = models_[i]->dimension();
    if (r > 0 && !FloatingInertia::is_in(file)) {
      throw InputError(
          scene.file.string(), body.name,
          fmt::format("found {}, a deformable model without /reduced/inertia", text_of(body.model)),
          "for a free body, a rigid model or one baked with reduction.free = true");
    }
    const RigidMass mass = read_rigid_mass(file);
    free_.push_back(std::make_unique<FreeBody>(mass, body.pose, body.velocity, scene.gravity, dt_));
    free_index_.push_back(i);
    inertias_.push_back(r > 0 ? std::make_unique<FloatingInertia>(file, mass, r) : nullptr);
  }
}

const DeformableBody* SolidsWorld::deformable(std::size_t body) const {
  const auto found = std::ranges::find(deformables_, body, &Deformable::body);
  return found == deformables_.end() ? nullptr : found->dynamics.get();
}

/// Without a permitted depth, the coupling is limited to what can reach the hand, so that the body
/// gets what the hand feels. With contact forces of the start of a step, and with a permitted
/// depth, the coupling gives no more than the force of one point at that depth.
bool SolidsWorld::limit_coupling() HAPTIC_REALTIME {
  const std::optional<double>& permitted = held_body_->adjustable().permitted_depth;
  if (implicit_ && !permitted) return held_body_->set_limits(force_limit_, torque_limit_);
  double plateau = std::numeric_limits<double>::infinity();
  for (const ContactSet::Pair& pair : pairs()) {
    if (pair.points != held_ && pair.field != held_) continue;
    const double depth = permitted.value_or(models_[pair.field]->field->edge());
    plateau = std::min(plateau, pair.whole.value_or(pair.contact.stiffness()) * depth);
  }
  return held_body_->set_plateau(plateau);
}

WorldStatus SolidsWorld::step(const DeviceState& hand, WorldOutput& output) HAPTIC_REALTIME {
  output = WorldOutput{};
  output.held_pose = poses_[held_];
  failed_ = WorldOutput::kNoBody;
  if (!is_placement(hand.pose)) return WorldStatus::kNotFinite;
  advance_parameters();
  if (implicit_) {
    held_body_->damp_in_contact(implicit_->contact_wrench().force.squaredNorm() > 0.0);
  }
  held_body_->follow(hand);
  if (implicit_) implicit_->joints().press(hand.buttons);
  output.manipulandum_pose = held_body_->manipulandum();
  if (!placed_) place_held(held_body_->manipulandum());

  const std::int64_t begin = now();
  const CouplingLoad load = held_body_->couple();

  const std::int64_t coupled = now();
  ContactSet::Sum contact = touch(load);

  if (const std::size_t pair = contacts_->without_workspace(); pair != ContactSet::kNone) {
    output.failed_body = static_cast<std::uint32_t>(pairs()[pair].points);
    return WorldStatus::kCapacity;
  }

  const std::int64_t touched = now();
  Wrench contact_wrench = contact.wrench;
  Pose held;
  const WorldStatus status =
      implicit_ ? move_implicit(load, contact_wrench, held) : move_explicit(load, contact, held);
  if (status != WorldStatus::kOk) {
    output.failed_body = failed_;
    return status;
  }
  if (implicit_) contact.contacts = implicit_->pressing();
  if (!swept_->empty()) held = swept_->held(motions_, held);
  held_body_->accept(held);
  set_pose(held_, held);
  output.held_pose = held_body_->pose();
  output.held_twist = held_body_->twist();
  const HeldBodyFeel felt = held_body_->feel();
  output.device_wrench = felt.device_wrench;
  output.stored_energy_J = felt.stored_energy_J;
  output.force_scale = felt.force_scale;
  const std::int64_t moved = now();

  output.contact_wrench = contact_wrench;
  ContactFigures figures{
      .saturation = load.wrench.force.norm() / held_body_->settings().force.maximum,
      .speed = held_body_->speed_fraction(),
      .excess = held_body_->felt_excess(force_limit_),
      .compression = compression()};
  if (implicit_) {
    figures.created_J = implicit_->created_energy();
    figures.work_J = implicit_->contact_work();
    figures.asleep = implicit_->asleep();
    figures.without_row = implicit_->without_row();
  }
  contact_values_ = contact_values(contact, figures);
  output.times = {coupled - begin, touched - coupled, moved - touched};
  return WorldStatus::kOk;
}

std::span<const double> SolidsWorld::state(std::size_t block) const HAPTIC_REALTIME {
  if (block == 0) return pose_values_;
  if (block == 1) return coordinates_;
  return std::span(contact_values_).subspan(block - kBodyBlocks, 1);
}

void SolidsWorld::set_pose(std::size_t body, const Pose& pose) HAPTIC_REALTIME {
  poses_[body] = pose;
  write_pose(pose, std::span(pose_values_).subspan(7 * body).first<7>());
}

/// Sets the pose of the held body with zero twist and discards the contact history.
void SolidsWorld::place_held(const Pose& pose) HAPTIC_REALTIME {
  set_pose(held_, pose);
  held_body_->place(pose);
  contacts_->clear_history();
  placed_ = true;
}

/// The present poses and velocities of what moves.
void SolidsWorld::update_motions() HAPTIC_REALTIME {
  motions_[held_].pose = poses_[held_];
  motions_[held_].twist = held_body_->origin_twist();
  for (const Deformable& deformable : deformables_) {
    motions_[deformable.body].qdot = deformable.dynamics->qdot();
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    motions_[free_index_[i]].pose = free_[i]->pose();
    motions_[free_index_[i]].twist = free_[i]->twist();
  }
}

HeldResponse SolidsWorld::held_response() HAPTIC_REALTIME {
  if (!implicit_) return {};
  update_motions();
  return implicit_->response(*held_body_, *contacts_, motions_);
}

ContactSet::Sum SolidsWorld::touch(const CouplingLoad& load) HAPTIC_REALTIME {
  if (implicit_) implicit_->begin(*held_body_, load);
  update_motions();
  contacts_->find_close(motions_,
                        implicit_ ? implicit_->motion_bounds() : std::span<const double>{});
  if (implicit_) contacts_->leave_out(implicit_->still());
  ContactSet::Sum sum = touch_fresh({});
  // The pairs of bodies that wake have been left out; they can wake others, at most all.
  while (implicit_ && implicit_->wake_touched(*contacts_) &&
         contacts_->take_back(implicit_->still())) {
    sum = touch_fresh(sum);
  }
  swept_->begin(*contacts_);
  return sum;
}

ContactSet::Sum SolidsWorld::touch_fresh(const ContactSet::Sum& sum) HAPTIC_REALTIME {
  if (implicit_) {
    for (const std::uint32_t i : contacts_->fresh()) {
      contacts_->pairs()[i].contact.set_margin(ContactTraversal::kNoMargin);
    }
  }
  swept_->set_margins(*contacts_);
  if (implicit_) implicit_->set_margins(*contacts_);
  return contacts_->touch_fresh(motions_, ContactSet::Search::kTree, sum);
}

WorldStatus SolidsWorld::move_implicit(const CouplingLoad& load, Wrench& contact,
                                       Pose& held) HAPTIC_REALTIME {
  if (!implicit_->solve(*held_body_, load, *contacts_, motions_)) {
    failed_ = implicit_->failed_body();
    return deformables_.empty() && free_.empty() ? WorldStatus::kNotFinite : WorldStatus::kDiverged;
  }
  const std::span<const char> still = implicit_->still();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (still[free_index_[i]] != 0) continue;
    if (!free_[i]->complete(implicit_->free_motion(i), implicit_->free_torque(i)) ||
        !(free_[i]->twist().linear.norm() <= kMaxMotionSpeed)) {
      return diverged(free_index_[i]);
    }
    set_pose(free_index_[i], free_[i]->pose());
  }
  for (std::size_t i = 0; i < deformables_.size(); ++i) {
    if (still[deformables_[i].body] != 0) continue;
    const StepResult result =
        deformables_[i].dynamics->complete(implicit_->change(i), implicit_->contact_weight(i));
    if (result != StepResult::kOk) return diverged(deformables_[i].body);
    const WorldStatus status = stop_deformable(deformables_[i]);
    if (status != WorldStatus::kOk) return status;
  }
  held = held_body_->moved(implicit_->held_motion());
  contact = implicit_->contact_wrench();
  implicit_->fall_asleep(*contacts_);
  return WorldStatus::kOk;
}

WorldStatus SolidsWorld::diverged(std::size_t body) HAPTIC_REALTIME {
  failed_ = static_cast<std::uint32_t>(body);
  return WorldStatus::kDiverged;
}

WorldStatus SolidsWorld::move_explicit(const CouplingLoad& load, ContactSet::Sum& contact,
                                       Pose& held) HAPTIC_REALTIME {
  if (held_body_->advance(load, contact, held) != CouplingStatus::kOk) {
    return WorldStatus::kNotFinite;
  }
  return move_deformables();
}

WorldStatus SolidsWorld::stop_deformable(Deformable& deformable) HAPTIC_REALTIME {
  const std::span<double> before = slice(coordinates_, deformable.body);
  const double fraction = swept_->deformation(motions_, deformable.body, deformable.dynamics->q());
  if (fraction < 1.0 && deformable.dynamics->stop_at(fraction, before) != StepResult::kOk) {
    return diverged(deformable.body);
  }
  const std::span<const double> q = deformable.dynamics->q();
  std::copy(q.begin(), q.end(), before.begin());
  return WorldStatus::kOk;
}

WorldStatus SolidsWorld::move_deformables() HAPTIC_REALTIME {
  for (Deformable& deformable : deformables_) {
    const StepResult result = deformable.dynamics->step(contacts_->reduced_force(deformable.body));
    if (result != StepResult::kOk) return diverged(deformable.body);
    if (const WorldStatus status = stop_deformable(deformable); status != WorldStatus::kOk) {
      return status;
    }
  }
  return WorldStatus::kOk;
}

/// Evaluates some samples of one deformable body; the bodies take turns.
double SolidsWorld::compression() HAPTIC_REALTIME {
  if (deformables_.empty()) return 0.0;
  next_sampled_ = next_sampled_ + 1 < deformables_.size() ? next_sampled_ + 1 : 0;
  Deformable& next = deformables_[next_sampled_];
  next.samples.advance(next.dynamics->q());
  double largest = 0.0;
  for (const Deformable& deformable : deformables_) {
    largest = std::max(largest, deformable.samples.compression());
  }
  return largest;
}

void SolidsWorld::reset() HAPTIC_REALTIME {
  for (Deformable& deformable : deformables_) {
    deformable.dynamics->reset();
    deformable.samples.reset();
  }
  next_sampled_ = 0;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    free_[i]->reset();
    set_pose(free_index_[i], free_[i]->pose());
  }
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  contacts_->reset();
  if (implicit_) implicit_->reset();
  contact_values_.fill(0.0);
  held_body_->reset();
  placed_ = false;
  for (ValueRamp& ramp : ramps_) ramp.finish();
  apply_parameters();
}

std::span<double> SolidsWorld::slice(std::vector<double>& values,
                                     std::size_t body) HAPTIC_REALTIME {
  return std::span(values).subspan(infos_[body].first_coordinate, infos_[body].coordinate_count);
}

}  // namespace haptic::solids
