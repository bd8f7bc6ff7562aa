#include "rt/worlds/cloth/cloth_world.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/body_blocks.h"
#include "rt/worlds/motion_bounds.h"

namespace haptic::cloth {

namespace {

/// Distances [m] and directions in which a free place is looked for when the hand starts on the
/// cloth.
constexpr double kPlacementOffsets_m[] = {1e-3, 1e-2, 1e-1};

bool is_placement(const Pose& pose) HAPTIC_REALTIME {
  return is_finite(pose) && std::abs(pose.orientation.squaredNorm() - 1.0) < 1e-3;
}

WorldStatus status_of(ClothStepResult result) HAPTIC_REALTIME {
  switch (result) {
    case ClothStepResult::kOk:
    case ClothStepResult::kUnfinished:
      return WorldStatus::kOk;
    case ClothStepResult::kDiverged:
    case ClothStepResult::kStale:
      break;
  }
  return WorldStatus::kDiverged;
}

}  // namespace

WorldStatus ClothWorld::step(const DeviceState& hand, WorldOutput& output) HAPTIC_REALTIME {
  output = WorldOutput{};
  output.held_pose = poses_[held_];
  if (!is_placement(hand.pose)) return WorldStatus::kNotFinite;
  advance_parameters();
  times_ = {};
  WorldStatus status = WorldStatus::kOk;
  for (std::uint32_t i = 0; i < settings_.substeps && status == WorldStatus::kOk; ++i) {
    status = substep(hand);
  }
  output.manipulandum_pose = held_body_->manipulandum();
  if (status != WorldStatus::kOk) {
    output.failed_body = static_cast<std::uint32_t>(failed_);
    return status;
  }
  output.held_pose = held_body_->pose();
  output.held_twist = held_body_->twist();
  const HeldBodyFeel felt = held_body_->feel();
  output.device_wrench = felt.device_wrench;
  output.stored_energy_J = felt.stored_energy_J;
  output.force_scale = felt.force_scale;
  output.contact_wrench = contact_wrench_;
  // Finite forces may be so large that their sums are not.
  if (!is_finite(output.contact_wrench) || !is_finite(output.device_wrench) ||
      !is_finite(output.held_pose)) {
    output = WorldOutput{};
    output.failed_body = static_cast<std::uint32_t>(cloth_);
    return WorldStatus::kNotFinite;
  }
  publish();
  if (!is_bounded_stretch(stretch())) {
    output = WorldOutput{};
    output.failed_body = static_cast<std::uint32_t>(cloth_);
    return WorldStatus::kDiverged;
  }
  output.times = times_;
  return WorldStatus::kOk;
}

WorldStatus ClothWorld::substep(const DeviceState& hand) HAPTIC_REALTIME {
  failed_ = cloth_;
  if (sheet_->implicit()) {
    held_body_->damp_in_contact(contact_wrench_.force.squaredNorm() > 0.0);
  }
  held_body_->follow(hand);
  buttons_ = hand.buttons;
  if (!placed_ && !place(held_body_->manipulandum())) return WorldStatus::kNotFinite;

  const std::int64_t begin = now();
  load_ = held_body_->couple();
  system_ = held_body_->prepare(load_);

  const std::int64_t coupled = now();
  sheet_->clear();
  hold_tethers();
  WorldStatus status = touch();
  if (status != WorldStatus::kOk) return status;

  const std::int64_t touched = now();
  status = status_of(sheet_->step());
  if (!sheet_->converged()) ++unconverged_;
  if (status == WorldStatus::kOk && !is_bounded_speed(sheet_->state().v)) {
    status = WorldStatus::kDiverged;
  }
  if (status == WorldStatus::kOk) status = follow();
  if (status != WorldStatus::kOk) return status;
  times_.couple_ns += coupled - begin;
  times_.touch_ns += touched - coupled;
  times_.move_ns += now() - touched;
  return WorldStatus::kOk;
}

bool ClothWorld::place(const Pose& pose) HAPTIC_REALTIME {
  set_pose(held_, pose);
  held_body_->place(pose);
  if (tool_) tool_->clear();
  if (point_) {
    const Vector3 p = held_body_->grasp_position();
    bool placed = point_->place(p, sheet_->x());
    for (const double aside : kPlacementOffsets_m) {
      for (int axis = 0; axis < 6 && !placed; ++axis) {
        const double sign = axis % 2 == 0 ? aside : -aside;
        placed = point_->place(p + sign * Vector3::Unit(axis / 2), sheet_->x());
      }
    }
    if (!placed) return false;
  }
  placed_ = true;
  return true;
}

/// The springs on particles: of a pull and of what the hand has grabbed.
void ClothWorld::hold_tethers() HAPTIC_REALTIME {
  Tethers& tethers = sheet_->system().tethers();
  tethers.clear_springs();
  if (pull_.body == Pull::kNoBody) return;
  const Vector3 x = at(sheet_->x(), pulled_);
  // The target comes so near that the spring pulls with at most the limit.
  const Vector3 way = pull_target_ - x;
  const double force = pull_.stiffness * way.norm();
  const Vector3 target =
      force > pull_.limit ? Vector3(x + pull_.limit / force * way) : pull_target_;
  [[maybe_unused]] const bool room =
      tethers.add(TargetSpring{pulled_, target, pull_.stiffness, 0.0});
}

/// What touches the cloth, for the step. The point comes first.
WorldStatus ClothWorld::touch() HAPTIC_REALTIME {
  if (point_ && !touch_point()) return WorldStatus::kNotFinite;
  if (!sheet_->implicit()) return WorldStatus::kOk;
  bool room = touched_->touch(sheet_->near().tree(), sheet_->state(), *sheet_->implicit());
  if (tool_) {
    room = tool_->approach(*held_body_, system_, sheet_->near().tree(), sheet_->state(),
                           *sheet_->implicit()) &&
           room;
  }
  return room ? WorldStatus::kOk : WorldStatus::kCapacity;
}

/// @returns false if the device or the cloth is not finite
bool ClothWorld::touch_point() HAPTIC_REALTIME {
  const Vector3 device = held_body_->grasp().frame(held_body_->manipulandum()).position;
  Vector6 way = Vector6::Zero();
  way.head<3>() = device - point_->position();
  const double kept = 1.0 - held_body_->settings().static_damping;
  const double fraction = kept / held_body_->excess(way)[0];
  if (point_->approach(device, buttons_, fraction, system_.stiffness[0], sheet_->x()) ==
      TouchResult::kNotFinite) {
    return false;
  }
  if (ContactStep* step = sheet_->implicit()) {
    if (const PointContact* contact = point_->point_contact()) step->set_point(*contact);
  } else {
    for (const ClothContact& contact : point_->contacts()) {
      [[maybe_unused]] const bool room = sheet_->add(contact);
    }
  }
  if (const auto spring = point_->spring()) {
    [[maybe_unused]] const bool room = sheet_->system().tethers().add(*spring);
  }
  return true;
}

/// The bodies and the hand's go where the step has led them.
WorldStatus ClothWorld::follow() HAPTIC_REALTIME {
  if (sheet_->implicit() &&
      touched_->complete(*sheet_->implicit(), failed_) != ClothBodies::Result::kDone) {
    return WorldStatus::kDiverged;
  }
  touched_->write_coordinates(coordinates_);
  Pose next;
  if (tool_) {
    next = tool_->follow(*held_body_, *sheet_->implicit());
    contact_wrench_ = tool_->wrench();
  } else {
    if (point_->follow(sheet_->before(), sheet_->x()) == TouchResult::kNotFinite) {
      return WorldStatus::kNotFinite;
    }
    next = held_body_->grasp().body(
        {point_->rendered(sheet_->x()), held_body_->manipulandum().orientation});
    contact_wrench_ = {};
    const std::size_t count =
        sheet_->implicit() ? sheet_->implicit()->points() : sheet_->contacts();
    for (std::size_t k = 0; k < count; ++k) {
      contact_wrench_.force -= sheet_->force(k).force;
    }
    if (const auto spring = point_->spring()) {
      contact_wrench_.force +=
          spring->stiffness * (at(sheet_->x(), spring->particle) - spring->target);
    }
  }
  held_body_->accept(next);
  set_pose(held_, next);
  return WorldStatus::kOk;
}

HeldResponse ClothWorld::held_response() HAPTIC_REALTIME {
  if (tool_) {
    return tool_->response(*held_body_, system_, sheet_->near().tree(), sheet_->state(),
                           *sheet_->implicit());
  }
  if (!point_->grabbed() && point_->touched() == 0) {
    return held_body_->response_in_air(point_->clearance(sheet_->x(), held_body_->way_in_air()),
                                       0.0);
  }
  ContactStep* step = sheet_->implicit();
  const Matrix3 cloth = step && step->points() > 0 ? step->point_response() : Matrix3::Zero();
  CouplingSettings settings = held_body_->settings();
  settings.max_step = held_body_->max_motion();
  settings.max_rotation = held_body_->max_rotation();
  return point_->response(held_body_->manipulandum(), system_, settings, cloth);
}

void ClothWorld::reset() HAPTIC_REALTIME {
  placed_ = false;
  held_body_->reset();
  sheet_->reset();
  touched_->reset();
  if (tool_) tool_->clear();
  std::ranges::fill(coordinates_, 0.0);
  pull_.body = Pull::kNoBody;
  contact_wrench_ = {};
  numbers_ = {};
  steps_ = 0;
  unconverged_ = 0;
  for (ValueRamp& ramp : ramps_) ramp.finish();
  apply_parameters();
}

}  // namespace haptic::cloth
