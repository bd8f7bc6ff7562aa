#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/bodies/cloth_model.h"
#include "rt/bodies/coarse_mesh.h"
#include "rt/bodies/with_file_context.h"
#include "rt/worlds/condensed/condensed_world.h"
#include "rt/worlds/condensed/start_overlap.h"
#include "shared/error.h"

namespace haptic::condensed {

namespace {

/// Over which an adjustable value changes [s].
constexpr double kRamp_s = 0.2;
/// In which a snapshot of the surface is completed [s].
constexpr double kSnapshot_s = 1.0 / 60.0;
/// How deep the body may lie in the tool at the start, over the tool's reach.
constexpr double kMaxStartDepth = 1e-3;

}  // namespace

CondensedWorld::CondensedWorld(const Scene& scene, const Clock* clock)
    : clock_(clock),
      dt_(1.0 / scene.rate_hz),
      ramp_s_(kRamp_s),
      held_(scene.held_body()),
      condensed_(condensed_settings(scene).body),
      settings_(condensed_settings(scene)),
      force_limit_(scene.limits.force),
      torque_limit_(scene.limits.torque) {
  add_bodies(scene);
  add_tool(scene);
  contacts_.resize(settings_.capacity);
  ordered_.resize(settings_.capacity);
  keys_.resize(settings_.capacity);
  pressing_.resize(settings_.capacity);
  tool_contact_.emplace(settings_.capacity, settings_.stick);
  u_.assign(model_.dof(), 0.0);
  u_next_ = u_predicted_ = u_;
  snapshot_.emplace(
      *surface_, model_.dof(), poses_[condensed_],
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(kSnapshot_s * scene.rate_hz))));
  held_body_.emplace(unlimited_if_absent(scene.coupling), scene.bodies[held_].pose,
                     scene.length_scale,
                     models_[held_]->bounding_radius_about(scene.coupling.grasp), dt_);
  if (!held_body_->set_limits(force_limit_, torque_limit_)) {
    throw InputError(scene.file.string(), "coupling", "values out of range",
                     "finite numbers > 0, static_damping in [0, 1)");
  }
  ramps_[kCouplingStiffness] = ValueRamp(scene.coupling.stiffness);
  ramps_[kCouplingRotationalStiffness] = ValueRamp(scene.coupling.rotational_stiffness);
  ramps_[kCouplingStaticDamping] =
      ValueRamp(scene.coupling.static_damping.value_or(HeldBodySettings::kStaticDamping));
  ramps_[kContactFriction] = ValueRamp(settings_.friction);
  if (settings_.stick) parameter_count_ = kContactFriction;
  layout_ = make_layout();
}

void CondensedWorld::add_bodies(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    models_.push_back(std::make_unique<BodyModel>(body.model));
    const BodyModel& model = *models_.back();
    if (model.file) require_no_cloth(*model.file, scene.file.string(), body.name);
    infos_.push_back({.name = body.name,
                      .model_path = text_of(body.model),
                      .model_hash = model.content_hash,
                      .held = i == held_});
    poses_.emplace_back();
    pose_values_.resize(7 * poses_.size());
    set_pose(i, body.pose);
  }
  const ModelFile& file = *models_[condensed_]->file;
  model_ = read_condensed_model(file);
  const std::string name = file.path().string();
  surface_.emplace(model_, name);
  near_.emplace(*surface_);
  CondensedDynamicsSettings dynamics;
  dynamics.coupling = settings_.coupling == CondensedSettings::Coupling::kStatics
                          ? ModalCoupling::kStaticsDriveDynamics
                          : ModalCoupling::kMultipliers;
  dynamics.integrator = settings_.integrator;
  dynamics.modes = settings_.modes.value_or(static_cast<std::uint32_t>(model_.mode_count));
  if (dynamics.modes > model_.mode_count) {
    throw InputError(scene.file.string(), "condensed.modes",
                     fmt::format("found {}", dynamics.modes),
                     fmt::format("at most the {} modes of {}", model_.mode_count, name));
  }
  dynamics.dt = dt_;
  dynamics.damping = model_.damping;
  dynamics.capacity = settings_.capacity;
  dynamics.release_time = settings_.release_s;
  with_file_context(file.path(), [&] { dynamics_.emplace(model_, dynamics); });
  if (settings_.corotated) {
    corotated_.emplace(file, dynamics_->contacts());
    linear_.assign(model_.dof(), 0.0);
    turns_.resize(settings_.capacity);
    free_.resize(settings_.capacity);
    extra_.resize(dynamics.modes);
    gradient_.resize(3 * settings_.capacity * dynamics.modes);
    turned_modes_.resize(gradient_.size());
    for (std::size_t i = 0; i < dynamics.modes; ++i) {
      response_.push_back(dynamics_->modal_response(i));
    }
  }
  if (dynamics.coupling == ModalCoupling::kStaticsDriveDynamics) {
    check_stability(scene);
    stability_.emplace(*dynamics_);
  }
}

void CondensedWorld::add_tool(const Scene& scene) {
  const BodyModel& tool = *models_[held_];
  if (!settings_.points.empty()) {
    stylus_.emplace(model_, *surface_, settings_.points);
    tool_reach_ = stylus_->reach();
    smooth_.emplace(*dynamics_, corotated_ ? &*corotated_ : nullptr);
    return;
  }
  if (!tool.field || tool.dimension() > 0) {
    throw InputError(scene.file.string(), scene.bodies[held_].name,
                     fmt::format("found {}, {}", text_of(scene.bodies[held_].model),
                                 tool.field ? "which deforms" : "which has no field"),
                     "a rigid model with a field, a shape, or [contact] points of a stylus");
  }
  field_.emplace(model_, *surface_, *tool.field);
  tool_reach_ = tool.field->reach();
}

void CondensedWorld::check_stability(const Scene& scene) const {
  const CondensedDynamicsSettings& dynamics = dynamics_->settings();
  const WorstContact worst =
      worst_single_contact(model_, dynamics.modes, model_.damping, dynamics.integrator);
  if (worst.step == 0.0) {
    throw InputError(
        scene.file.string(), "condensed.modes", fmt::format("found {}", dynamics.modes),
        fmt::format("fewer: in triangle {} the statics without the modes cannot hold a contact",
                    worst.triangle));
  }
  if (dt_ < worst.step) return;
  throw InputError(
      scene.file.string(), "rate_hz", fmt::format("found {:g} Hz", scene.rate_hz),
      fmt::format("above {:.4g} Hz: condensed.coupling = \"statics\" is not stable with a contact "
                  "in triangle {}; or \"multipliers\"",
                  1.0 / worst.step, worst.triangle));
}

std::vector<std::string> CondensedWorld::warnings() const {
  std::vector<std::string> lines;
  if (field_ && models_[held_]->field->inner_depth() < field_->spacing()) {
    lines.push_back(
        fmt::format("{}: half its thickness is {:.3g} m, contact is looked for every {:.3g} m of "
                    "{}: the tool may pass between; use a finer surface, or [contact] points of a "
                    "stylus",
                    infos_[held_].name, models_[held_]->field->inner_depth(), field_->spacing(),
                    infos_[condensed_].name));
  } else if (field_) {  // a stylus touches with points
    if (auto line = coarse_mesh_warning(infos_[condensed_].name, *models_[condensed_]->file,
                                        models_[held_]->extent().radius)) {
      lines.push_back(*std::move(line));
    }
  }
  const Pose tool = in_body(poses_[held_]);
  const StartOverlap overlap = field_ ? start_overlap(*surface_, *models_[held_]->field, tool)
                                      : start_overlap(*surface_, settings_.points, tool);
  const std::string& body = infos_[condensed_].name;
  if (overlap.tool_in_body) {
    lines.push_back(fmt::format(
        "{0}: begins inside {1} with the hand at the device's origin; {2}; give it a [[body]] "
        "position outside of {1}",
        infos_[held_].name, body,
        field_ ? "it is caught there by the surface as by a skin"
               : "it touches nothing until it has been outside"));
  } else if (overlap.depth > kMaxStartDepth * tool_reach_) {
    lines.push_back(
        fmt::format("{0}: {1} reaches {2:.3g} m into it with the hand at the device's origin, and "
                    "is pushed out in the first step; give it a [[body]] position outside of {1}",
                    infos_[held_].name, body, overlap.depth));
  }
  return lines;
}

std::string CondensedWorld::why_absent(std::string_view parameter) const {
  if (parameter == kCondensedParameters[kContactFriction].name && settings_.stick) {
    return "contacts stick: contact.stick = true";
  }
  return {};
}

}  // namespace haptic::condensed
