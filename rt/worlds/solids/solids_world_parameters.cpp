#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"
#include "shared/error.h"

namespace haptic::solids {

namespace {

/// Parameters that a free body lacks: its rigid motion has the mass of the model file.
bool changes_mass(MaterialBlend::Kind kind) {
  return kind == MaterialBlend::Kind::kDensity || kind == MaterialBlend::Kind::kGroupDensity;
}

}  // namespace

void SolidsWorld::add_parameters(const Scene& scene) {
  parameters_.assign(kSolidsParameters.begin(), kSolidsParameters.end());
  // No pair has a stiffness per point that could be set.
  const auto is_known = [](const ContactSet::Pair& pair) { return pair.whole.has_value(); };
  if (!pairs().empty() && std::ranges::all_of(pairs(), is_known)) {
    parameters_[kContactStiffness].minimum = parameters_[kContactStiffness].maximum = 0.0;
  }
  for (const Deformable& deformable : deformables_) {
    const std::string& name = scene.bodies[deformable.body].name;
    DeformableBody& body = *deformable.dynamics;
    for (std::size_t i = 0; i < body.material().parameters().size(); ++i) {
      const MaterialBlend::Parameter& p = body.material().parameters()[i];
      if (scene.bodies[deformable.body].role == BodyRole::kFree && changes_mass(p.kind)) continue;
      add_parameter(scene, name, name + "." + body.key(i), p.minimum, p.maximum);
      material_parameters_.push_back({&body, i});
    }
    if (!body.may_change_dimension()) continue;
    add_parameter(scene, name, name + ".dimension", 1.0, body.dimension(), true);
    material_parameters_.push_back({&body, MaterialParameter::kDimension});
  }
  if (!implicit_) return;
  const JointSet& joints = implicit_->joints();
  for (const JointSet::Target& target : joints.targets()) {
    const std::string& name = solids_settings(scene).joints[target.joint].name;
    add_parameter(scene, name, target.name, target.minimum, target.maximum);
  }
}

/// @param owner  the body or the joint that has the parameter
void SolidsWorld::add_parameter(const Scene& scene, const std::string& owner,
                                const std::string& key, double minimum, double maximum,
                                bool whole) {
  if (key.size() > kMaxParameterNameLength) {
    throw InputError(scene.file.string(), owner,
                     fmt::format("found the parameter {} of {} characters", key, key.size()),
                     fmt::format("at most {}: a shorter name of the body, its material group or "
                                 "the joint",
                                 kMaxParameterNameLength));
  }
  for (const Parameter& other : parameters_) {
    if (other.name != key) continue;
    throw InputError(scene.file.string(), owner, fmt::format("found {} a second time", key),
                     "names that make every parameter's name unique");
  }
  parameters_.push_back({parameter_names_.emplace_back(key), minimum, maximum, whole});
}

std::string SolidsWorld::why_absent(std::string_view parameter) const {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const std::string prefix = infos_[i].name + ".";
    if (!parameter.starts_with(prefix)) continue;
    if (infos_[i].coordinate_count == 0) return fmt::format("{} is rigid", infos_[i].name);
    const std::string_view rest = parameter.substr(prefix.size());
    if (std::ranges::find(free_index_, i) != free_index_.end() && rest.starts_with("density")) {
      return fmt::format("the density of {}, a free body, is that of its model", infos_[i].name);
    }
    if (rest == "dimension") {
      return fmt::format("the integrator \"modal\" uses all basis vectors of {}", infos_[i].name);
    }
    const auto of_a_group = [&](std::string_view name) {
      return name.starts_with(prefix) && name.find('.', prefix.size()) != std::string_view::npos;
    };
    if (of_a_group(parameter) && std::ranges::none_of(parameters_, of_a_group, &Parameter::name)) {
      return fmt::format(
          "the model of {} has no polynomials for its material groups, or is simulated in linear "
          "modes: bake it with [material] editable = true",
          infos_[i].name);
    }
  }
  return {};
}

double SolidsWorld::parameter(std::size_t index) const HAPTIC_REALTIME {
  if (index < kSolidsParameterCount) return ramps_[index].value();
  if (index >= parameters_.size()) return std::numeric_limits<double>::quiet_NaN();
  std::size_t i = index - kSolidsParameterCount;
  if (i < material_parameters_.size()) {
    const auto& [body, which] = material_parameters_[i];
    return which == MaterialParameter::kDimension ? body->dimension()
                                                  : body->material().value(which);
  }
  i -= material_parameters_.size();
  return implicit_->joints().target(i);
}

bool SolidsWorld::set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  if (index >= parameters_.size()) return false;
  if (index >= kSolidsParameterCount) {
    std::size_t i = index - kSolidsParameterCount;
    if (i < material_parameters_.size()) {
      const auto& [body, which] = material_parameters_[i];
      return which == MaterialParameter::kDimension ? body->set_dimension(value)
                                                    : body->material().set(which, value);
    }
    i -= material_parameters_.size();
    return implicit_->joints().set_target(i, value, ramp_s_);
  }
  const Parameter& range = parameters_[index];
  if (!(value >= range.minimum && value <= range.maximum)) return false;
  ramps_[index].set(value, ramp_s_);
  if (index == kCouplingStaticDamping) held_body_->adjustable().static_damping = value;
  if (index == kContactStiffness) contacts_->set_stiffness(value, ramp_s_);
  return true;
}

World::Range SolidsWorld::allowed(std::size_t index, double value) HAPTIC_REALTIME {
  const std::size_t i = index - kSolidsParameterCount;
  if (index < kSolidsParameterCount || i >= material_parameters_.size()) {
    return World::allowed(index, value);
  }
  const MaterialParameter& p = material_parameters_[i];
  if (p.index == MaterialParameter::kDimension) return World::allowed(index, value);
  const MaterialBlend::Range range = p.body->material().allowed(p.index, value);
  return {range.minimum, range.maximum};
}

void SolidsWorld::advance_parameters() HAPTIC_REALTIME {
  bool moved = contacts_->advance_stiffness(dt_);
  for (ValueRamp& ramp : ramps_) moved = ramp.advance(dt_) || moved;
  if (moved) apply_parameters();
  for (Deformable& deformable : deformables_) {
    if (!deformable.dynamics->begin_step()) continue;
    moved = true;
    const std::span<const double> q = deformable.dynamics->q();
    std::copy(q.begin(), q.end(), slice(coordinates_, deformable.body).begin());
  }
  if (moved && implicit_) implicit_->wake_all();
}

void SolidsWorld::apply_parameters() HAPTIC_REALTIME {
  apply_coupling(ramps_, held_body_->adjustable());
  // A value between two values in range is in range.
  [[maybe_unused]] const bool in_range = limit_coupling();
}

std::string SolidsWorld::prepare_pull(const std::string& body, Pull& pull) const {
  if (!implicit_) return "the scene does not make the implicit step";
  return implicit_->pull().prepare(body, pull);
}

bool SolidsWorld::pull(const Pull& pull) HAPTIC_REALTIME {
  if (!implicit_) return pull.body == Pull::kNoBody;
  implicit_->pull().set(pull);
  return true;
}

void SolidsWorld::limit_wrench(double force, double torque) HAPTIC_REALTIME {
  if (force > 0.0) force_limit_ = force;
  if (torque > 0.0) torque_limit_ = torque;
  // Limits in range are accepted.
  [[maybe_unused]] const bool in_range = limit_coupling();
}

}  // namespace haptic::solids
