// Building a world of cloth from its scene.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rt/bodies/with_file_context.h"
#include "rt/worlds/cloth/air.h"
#include "rt/worlds/cloth/cloth_world.h"
#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// Over which an adjustable value changes [s].
constexpr double kRamp_s = 0.2;

ForceShading shading_of(ClothSettings::Shading shading) {
  switch (shading) {
    case ClothSettings::Shading::kInterpolated:
      return ForceShading::kInterpolated;
    case ClothSettings::Shading::kSubProxy:
      return ForceShading::kSubProxy;
    case ClothSettings::Shading::kNone:
      break;
  }
  return ForceShading::kNone;
}

const SignedField& tool_field(const Scene& scene, std::size_t held, const BodyModel& tool) {
  if (!tool.field || tool.dimension() > 0) {
    throw InputError(scene.file.string(), scene.bodies[held].name,
                     fmt::format("found {}, {}", text_of(scene.bodies[held].model),
                                 tool.field ? "which deforms" : "which has no field"),
                     "a rigid model with a field, a shape, or [touch] hand = \"point\"");
  }
  return *tool.field;
}

}  // namespace

ClothWorld::ClothWorld(const Scene& scene, const Clock* clock)
    : clock_(clock),
      dt_(1.0 / scene.rate_hz),
      substep_s_(dt_ / cloth_settings(scene).substeps),
      ramp_s_(kRamp_s),
      force_limit_(scene.limits.force),
      torque_limit_(scene.limits.torque),
      home_(scene.bodies[scene.held_body()].pose),
      held_(scene.held_body()),
      cloth_(cloth_settings(scene).body),
      settings_(cloth_settings(scene)) {
  add_bodies(scene);
  held_body_.emplace(unlimited_if_absent(scene.coupling), scene.bodies[held_].pose,
                     scene.length_scale,
                     models_[held_]->bounding_radius_about(scene.coupling.grasp), substep_s_);
  held_body_->set_period(dt_);
  if (!held_body_->set_limits(force_limit_, torque_limit_)) {
    throw InputError(scene.file.string(), "coupling", "values out of range",
                     "finite numbers > 0, static_damping in [0, 1)");
  }
  if (!tool_) add_point(scene);
  ramps_[kCouplingStiffness] = ValueRamp(scene.coupling.stiffness);
  ramps_[kCouplingRotationalStiffness] = ValueRamp(scene.coupling.rotational_stiffness);
  ramps_[kCouplingStaticDamping] =
      ValueRamp(scene.coupling.static_damping.value_or(HeldBodySettings::kStaticDamping));
  ramps_[kClothContactStiffness] = ValueRamp(settings_.contact_stiffness);
  if (settings_.contact_foundation) {
    parameters_[kClothContactStiffness] = {"contact.foundation", 0.0,
                                           ClothSettings::kMaxFoundation};
  }
  ramps_[kClothContactFriction] = ValueRamp(settings_.contact_friction);
  ramps_[kClothDrag] = ValueRamp(settings_.drag);
  ramps_[kClothDragPerArea] = ValueRamp(settings_.drag_per_area);
  for (Eigen::Index i = 0; i < 3; ++i) {
    ramps_[kClothWindX + static_cast<std::size_t>(i)] = ValueRamp(settings_.wind[i]);
  }
  layout_ = make_layout();
}

void ClothWorld::add_bodies(const Scene& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    models_.push_back(std::make_unique<BodyModel>(body.model, body.dimension));
    const BodyModel& model = *models_.back();
    infos_.push_back({body.name, text_of(body.model), model.content_hash,
                      static_cast<std::uint32_t>(coordinates_.size()), model.dimension(),
                      i == held_});
    poses_.emplace_back();
    pose_values_.resize(7 * poses_.size());
    set_pose(i, body.pose);
    coordinates_.resize(coordinates_.size() + model.dimension(), 0.0);
  }
  const ModelFile& file = *models_[cloth_]->file;
  const ClothModel model = read_cloth_model(file);
  const ClothState rest = placed_at_rest(model.mesh, poses_[cloth_]);
  touched_.emplace(scene, models_, model.mesh.triangles, rest.x, substep_s_);
  std::vector<std::uint32_t> partners = touched_->partners();
  if (settings_.hand == ClothSettings::Hand::kTool) {
    tool_.emplace(tool_field(scene, held_, *models_[held_]), model.mesh.triangles, rest.x,
                  settings_, static_cast<std::uint32_t>(partners.size()), substep_s_);
    partners.push_back(6);
  }
  if (!touched_->empty() && !settings_.implicit_contact()) {
    throw InputError(scene.file.string(), "cloth.integrator",
                     fmt::format("found \"{}\" and other anchored bodies",
                                 kClothMethods[static_cast<std::size_t>(settings_.method)]),
                     "\"implicit-euler\", with which the cloth touches bodies");
  }
  sheet_.emplace(model, poses_[cloth_], settings_, scene.gravity, substep_s_,
                 touched_->size() + (tool_ ? 1 : 0), partners, scene.file.string());
  std::vector<WindShadow>& shadows = sheet_->system().surroundings().air.wind.shadows;
  for (const SceneWindShadow& shadow : settings_.wind_shadows) {
    const BodyModel::Extent extent = models_[shadow.body]->extent();
    shadows.push_back({poses_[shadow.body].to_world(extent.centre), extent.radius});
  }
}

void ClothWorld::add_point(const Scene& scene) {
  const double limit = largest_stiffness_ = sheet_->largest_stiffness();
  if (!settings_.implicit_contact() && scene.coupling.stiffness > limit) {
    throw InputError(scene.file.string(), "coupling.stiffness",
                     fmt::format("found {:g} N/m", scene.coupling.stiffness),
                     fmt::format("at most {:.4g} N/m, k h^2 = m, with this integrator and step; or "
                                 "\"implicit-euler\", which bears any",
                                 limit));
  }
  PointHand::Settings hand;
  hand.touch = {settings_.touch_radius, settings_.touch_friction};
  hand.shading = shading_of(settings_.shading);
  hand.grip.button = settings_.grab_button;
  hand.grip.reach = settings_.grab_reach;
  hand.grip.press_force = settings_.grab_force;
  hand.grip.press_s = settings_.grab_s;
  hand.grip.slip_force = settings_.slip_force;
  with_file_context(scene.file, [&] {
    point_.emplace(sheet_->triangles(), sheet_->system().size(), sheet_->near(), hand, substep_s_);
  });
}

std::string ClothWorld::wind_warning() const {
  const ClothSystem& system = sheet_->system();
  const AirSettings& air = system.surroundings().air;
  const Springs& springs = system.springs().springs();
  std::vector<double> threads;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const bool is_thread =
        springs.kind[s] == SpringKind::kStructural || springs.kind[s] == SpringKind::kSequential;
    if (is_thread) threads.push_back(springs.rest[s]);
  }
  if (threads.empty() || settings_.is_explicit()) return {};
  const auto middle = threads.begin() + static_cast<std::ptrdiff_t>(threads.size() / 2);
  std::ranges::nth_element(threads, middle);
  const double mass =
      std::accumulate(system.masses().begin(), system.masses().end(), 0.0) / double(system.size());
  const double speed = air.wind.velocity.norm();
  const double limit = wind_limit(air, mass, *middle, substep_s_);
  if (!(speed > limit)) return {};
  const std::string above = fmt::format(
      "a wind of {:g} m/s is above its limit of {:.3g} m/s with steps of {:g} s: it carries the "
      "cloth over more than half a cell in a step and stretches it more than a wind does",
      speed, limit, substep_s_);
  std::uint32_t substeps = settings_.substeps;
  while (substeps <= 64 && speed > wind_limit(air, mass, *middle, dt_ / substeps)) ++substeps;
  return above + (substeps <= 64 ? fmt::format("; cloth.substeps = {} is enough", substeps)
                                 : std::string("; a higher rate_hz and cloth.substeps help"));
}

std::vector<std::string> ClothWorld::warnings() const {
  std::vector<std::string> lines = touched_->warnings();
  if (const std::string wind = wind_warning(); !wind.empty()) {
    lines.push_back(infos_[cloth_].name + ": " + wind);
  }
  if (tool_ && !tool_->warning().empty()) {
    lines.push_back(infos_[held_].name + ": " + tool_->warning());
  }
  if (tool_) {
    // With the hand at the device's origin.
    const std::string pierced =
        pierced_warning(tool_->sites(), sheet_->rest(), *models_[held_]->field, home_);
    if (!pierced.empty()) lines.push_back(infos_[held_].name + ": " + pierced);
  }
  return lines;
}

std::string ClothWorld::prepare_pull(const std::string& body, Pull& pull) const {
  if (body != infos_[cloth_].name) return fmt::format("{} is not the cloth", body);
  if (!(pull.stiffness > 0.0 && pull.stiffness <= ClothSettings::kMaxStiffness)) {
    return fmt::format("stiffness {:g}: not in (0, {:g}] N/m", pull.stiffness,
                       ClothSettings::kMaxStiffness);
  }
  if (!(pull.limit > 0.0) || !std::isfinite(pull.limit)) {
    return fmt::format("limit {:g}: not a number > 0 [N]", pull.limit);
  }
  if (!pull.at_rest.allFinite() || !pull.target.allFinite()) return "places must be finite";
  const std::span<const double> rest = sheet_->rest();
  const Vector3 p = poses_[cloth_].to_world(pull.at_rest);
  std::uint32_t nearest = 0;
  for (std::uint32_t i = 1; i < rest.size() / 3; ++i) {
    if ((at(rest, i) - p).squaredNorm() < (at(rest, nearest) - p).squaredNorm()) nearest = i;
  }
  pull.body = static_cast<std::uint32_t>(cloth_);
  pull.corners[0] = pull.corners[1] = pull.corners[2] = nearest;
  pull.weights = Vector3::UnitX();
  return {};
}

}  // namespace haptic::cloth
