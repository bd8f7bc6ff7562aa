#include "rt/worlds/condensed/condensed_world.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/body_blocks.h"
#include "rt/worlds/motion_bounds.h"

namespace haptic::condensed {

namespace {

/// Vertices that are further from the tool than it moves in a step take part when they are within
/// this part of its motion; they may move towards it, or the tool may turn.
constexpr double kMarginOfMotion = 1.5;
/// Least margin, as a part of the tool's reach.
constexpr double kMinMargin = 1e-4;

double furthest_node(std::span<const double> from, std::span<const double> to) HAPTIC_REALTIME {
  double squared = 0.0;
  for (std::size_t i = 0; i + 2 < to.size(); i += 3) {
    const Vector3 d(to[i] - from[i], to[i + 1] - from[i + 1], to[i + 2] - from[i + 2]);
    squared = std::max(squared, d.squaredNorm());
  }
  return std::sqrt(squared);
}

bool is_unit_pose(const Pose& pose) HAPTIC_REALTIME {
  return is_finite(pose) && std::abs(pose.orientation.squaredNorm() - 1.0) < 1e-3;
}

}  // namespace

Pose CondensedWorld::in_body(const Pose& world) const HAPTIC_REALTIME {
  const Pose& body = poses_[condensed_];
  return {body.to_material(world.position), body.orientation.conjugate() * world.orientation};
}

ToolContact::Law CondensedWorld::law() const HAPTIC_REALTIME {
  if (settings_.stick) return {ToolContact::Law::kStick, 0.0};
  return {ramps_[kContactFriction].value(), settings_.viscosity ? dt_ / *settings_.viscosity : 0.0};
}

WorldStatus CondensedWorld::step(const DeviceState& hand, WorldOutput& output) HAPTIC_REALTIME {
  output = WorldOutput{};
  output.held_pose = poses_[held_];
  if (!is_unit_pose(hand.pose)) return WorldStatus::kNotFinite;
  advance_parameters();
  held_body_->damp_in_contact(tool_contact_->wrench().force.squaredNorm() > 0.0);
  held_body_->follow(hand);
  output.manipulandum_pose = held_body_->manipulandum();
  if (!placed_) place_held(held_body_->manipulandum());

  const std::int64_t begin = now();
  const CouplingLoad load = held_body_->couple();
  system_ = held_body_->prepare(load);

  const std::int64_t coupled = now();
  touch(system_);

  const std::int64_t touched = now();
  dynamics_->prepare();
  tool_contact_->solve(contacts(), *dynamics_, *held_body_, system_, poses_[condensed_], law(),
                       frames());
  if (stability_ && !stability_->stable(tool_contact_->forces(), changed_)) {
    output.failed_body = static_cast<std::uint32_t>(condensed_);
    return WorldStatus::kDiverged;
  }
  if (!dynamics_->advance(tool_contact_->forces_in_frames(), force_on_turning_modes()) ||
      !tool_contact_->motion().allFinite()) {
    output.failed_body = static_cast<std::uint32_t>(condensed_);
    return WorldStatus::kNotFinite;
  }
  const Pose held = held_body_->moved(tool_contact_->motion());
  find_shape();
  if (!is_bounded(u_next_, kMaxMotionStretch * models_[condensed_]->bounding_radius)) {
    output.failed_body = static_cast<std::uint32_t>(condensed_);
    return WorldStatus::kDiverged;
  }
  follow(held);
  held_body_->accept(held);
  set_pose(held_, held);
  snapshot_->advance(u_);
  output.held_pose = held_body_->pose();
  output.held_twist = held_body_->twist();
  const HeldBodyFeel felt = held_body_->feel();
  output.device_wrench = felt.device_wrench;
  output.stored_energy_J = felt.stored_energy_J;
  output.force_scale = felt.force_scale;
  output.contact_wrench = tool_contact_->wrench();
  // Finite forces may be so large that their sums, or what the coupling makes of the motion, are
  // not.
  if (!is_finite(output.contact_wrench) || !is_finite(output.device_wrench) ||
      !is_finite(output.held_pose)) {
    output = WorldOutput{};
    output.failed_body = static_cast<std::uint32_t>(condensed_);
    return WorldStatus::kNotFinite;
  }
  publish(load);
  output.times = {coupled - begin, touched - coupled, now() - touched};
  return WorldStatus::kOk;
}

HeldResponse CondensedWorld::held_response() HAPTIC_REALTIME {
  if (tool_contact_->wrench().force.squaredNorm() > 0.0) {
    return tool_contact_->response(*held_body_, system_);
  }
  const double most = held_body_->way_in_air();
  const Pose tool = in_body(poses_[held_]);
  near_->update(tool.position, tool_reach_ + most, u_);
  const double clearance = stylus_ ? stylus_->clearance(*near_, tool, u_, most)
                                   : field_->clearance(*near_, tool, u_, most);
  return held_body_->response_in_air(clearance, held_body_->radius());
}

/// What the dynamics sees of the contacts in its own axes, for a body whose nodes have turned:
/// their displacement so far, and in their frames what the step adds without force.
ToolContact::Frames CondensedWorld::frames() HAPTIC_REALTIME {
  if (!corotated_) return {};
  const std::span<const double> free = dynamics_->free_displacement();
  const std::size_t modes = extra_.size();
  for (std::size_t i = 0; i < contact_count_; ++i) {
    const ContactRow& row = contacts_[i].row;
    const auto shown = displacement_at(row, u_), linear = displacement_at(row, linear_);
    const std::span<double> gradient = std::span(gradient_).subspan(3 * i * modes, 3 * modes);
    turns_[i] = corotated_->frame_at(row, linear_, gradient, modes);
    Vector3 statics(free[3 * i] - linear[0], free[3 * i + 1] - linear[1],
                    free[3 * i + 2] - linear[2]);
    free_[i] = {shown[0], shown[1], shown[2]};
    for (std::size_t mode = 0; mode < modes; ++mode) {
      const double* const column = dynamics_->contacts().contact_mode(mode).data() + 3 * i;
      const Vector3 linear_mode(column[0], column[1], column[2]);
      const Vector3 turned = turns_[i] * linear_mode;
      const double change = dynamics_->free_q()[mode] - dynamics_->pose_q()[mode];
      for (std::size_t a = 0; a < 3; ++a) {
        const auto axis = static_cast<Eigen::Index>(a);
        turned_modes_[(3 * i + a) * modes + mode] = turned[axis];
        free_[i][axis] += gradient[a * modes + mode] * change;
      }
      statics -= change * linear_mode;
    }
    free_[i] += turns_[i] * statics;
  }
  const std::size_t rows = 3 * contact_count_;
  return {std::span(turns_).first(contact_count_), std::span(free_).first(contact_count_),
          std::span(gradient_).first(rows * modes), std::span(turned_modes_).first(rows * modes),
          response_};
}

/// What the contact forces do on the modes by turning the shape.
std::span<const double> CondensedWorld::force_on_turning_modes() HAPTIC_REALTIME {
  if (!corotated_) return {};
  const std::span<const double> forces = tool_contact_->forces();
  const std::size_t modes = extra_.size();
  std::fill(extra_.begin(), extra_.end(), 0.0);
  for (std::size_t i = 0; i < forces.size(); ++i) {
    for (std::size_t mode = 0; mode < modes; ++mode) {
      extra_[mode] += (gradient_[i * modes + mode] - turned_modes_[i * modes + mode]) * forces[i];
    }
  }
  return extra_;
}

/// Node displacements after the step.
void CondensedWorld::find_shape() HAPTIC_REALTIME {
  if (!corotated_) {
    dynamics_->node_displacements(u_next_);
    return;
  }
  dynamics_->node_displacements(linear_);
  corotated_->update(dynamics_->pose_q(), linear_, u_next_);
}

/// Finds the contacts of the step and brings the dynamics' contact set up to date.
void CondensedWorld::touch(const HeldBody::StepSystem& system) HAPTIC_REALTIME {
  Vector6 free = system.load.cwiseQuotient(system.matrix.diagonal());
  free = free.cwiseQuotient(held_body_->excess(free));
  const Pose tool = in_body(poses_[held_]), predicted = in_body(held_body_->moved(free));
  const double turn = free.tail<3>().norm() * (tool_reach_ + held_body_->grasp().point().norm());
  const double motion = free.head<3>().norm() + turn;
  // The body goes on as in the last step.
  for (std::size_t i = 0; i < u_.size(); ++i) u_predicted_[i] = 2.0 * u_[i] - u_next_[i];
  const double deformation = furthest_node(u_, u_predicted_);
  const double margin = kMarginOfMotion * motion + deformation + kMinMargin * tool_reach_;
  near_->update(tool.position, tool_reach_ + margin, u_);
  if (stylus_) {
    stylus_->meet(*near_, {tool, predicted, u_, u_predicted_});
    contact_count_ = stylus_->collect(tool, {u_, smooth_->u()}, contacts_);
  } else {
    contact_count_ = field_->collect(*near_, tool, u_, margin,
                                     std::span(pressing_).first(pressing_count_), contacts_);
  }
  synchronise();
}

/// Takes contacts that have ended out of the dynamics, moves the others and appends the new ones;
/// then puts contacts_ in the order of the dynamics.
void CondensedWorld::synchronise() HAPTIC_REALTIME {
  const auto begin = contacts_.begin(), end = begin + static_cast<std::ptrdiff_t>(contact_count_);
  const auto find = [&](std::uint32_t key) HAPTIC_REALTIME {
    const auto at = std::lower_bound(begin, end, key,
                                     [](const CondensedContact& c, std::uint32_t k)
                                         HAPTIC_REALTIME { return c.key < k; });
    return at != end && at->key == key ? at : end;
  };
  changed_ = false;
  std::size_t count = dynamics_->contacts().size();
  for (std::size_t i = count; i-- > 0;) {
    if (find(keys_[i]) != end) continue;
    dynamics_->remove_contact(i);
    std::copy(keys_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
              keys_.begin() + static_cast<std::ptrdiff_t>(count),
              keys_.begin() + static_cast<std::ptrdiff_t>(i));
    --count;
    changed_ = true;
  }
  const std::size_t kept = count;
  for (std::size_t i = 0; i < kept; ++i) {
    const CondensedContact& contact = *find(keys_[i]);
    changed_ = changed_ || !(dynamics_->contacts().row(i) == contact.row);
    dynamics_->replace_contact(i, contact.row);
    ordered_[i] = contact;
  }
  for (auto contact = begin; contact != end; ++contact) {
    const auto old = keys_.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::find(keys_.begin(), old, contact->key) != old) continue;
    // There is room: the capacity is that of contacts_.
    if (!dynamics_->add_contact(contact->row)) break;
    keys_[count] = contact->key;
    ordered_[count++] = *contact;
    changed_ = true;
  }
  contact_count_ = count;
  std::swap(contacts_, ordered_);
}

/// The second phase: the motion that tool and body have made. Ends contacts that do not press.
void CondensedWorld::follow(const Pose& held) HAPTIC_REALTIME {
  const Pose before = in_body(poses_[held_]), after = in_body(held);
  pressing_count_ = 0;
  for (std::size_t i = 0; i < contact_count_; ++i) {
    if (tool_contact_->presses(i)) pressing_[pressing_count_++] = contacts_[i].key;
  }
  if (stylus_) {
    const double motion = (after.position - before.position).norm() + 2.0 * tool_reach_;
    near_->update(after.position, motion + furthest_node(u_, u_next_), u_next_);
    stylus_->meet(*near_, {before, after, u_, u_next_});
    const ToolContact::Law present = law();
    smooth_->update();
    for (std::size_t i = 0; i < contact_count_; ++i) {
      stylus_->follow(
          {contacts_[i].key, tool_contact_->presses(i), tool_contact_->slides(i, present)}, after,
          {u_next_, smooth_->u()});
    }
  }
  std::swap(u_, u_next_);  // u_next_: of the step before, for its velocity
}

void CondensedWorld::set_pose(std::size_t body, const Pose& pose) HAPTIC_REALTIME {
  poses_[body] = pose;
  write_pose(pose, std::span(pose_values_).subspan(7 * body).first<7>());
}

void CondensedWorld::place_held(const Pose& pose) HAPTIC_REALTIME {
  set_pose(held_, pose);
  held_body_->place(pose);
  if (stylus_) stylus_->clear();
  near_->clear();
  placed_ = true;
}

void CondensedWorld::reset() HAPTIC_REALTIME {
  placed_ = false;
  held_body_->reset();
  dynamics_->reset();
  std::fill(u_.begin(), u_.end(), 0.0);
  std::fill(u_next_.begin(), u_next_.end(), 0.0);
  if (corotated_) corotated_->reset();
  if (smooth_) smooth_->reset();
  if (field_) field_->reset();
  std::fill(linear_.begin(), linear_.end(), 0.0);
  contact_count_ = pressing_count_ = 0;
  numbers_ = {};
  snapshot_->reset();
  if (tool_contact_) tool_contact_->reset();
  for (ValueRamp& ramp : ramps_) ramp.finish();
  apply_parameters();
}

}  // namespace haptic::condensed
