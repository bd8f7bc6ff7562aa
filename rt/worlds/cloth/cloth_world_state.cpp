// What a world of cloth publishes, and what an operator can change in it.
#include <algorithm>
#include <limits>
#include <optional>

#include "rt/worlds/body_blocks.h"
#include "rt/worlds/cloth/cloth_world.h"
#include "rt/worlds/coupling_blocks.h"

namespace haptic::cloth {

namespace {

/// Steps from one measurement of energy and stretch to the next; they need a pass over all springs.
constexpr std::uint32_t kMeasured = 16;

/// Blocks after those of the bodies, in the order of state().
enum Number : std::size_t {
  kPoints,
  kRows,
  kLeftOut,
  kLayers,
  kStretch,
  kEnergy,
  kIterations,
  kResidual,
  kUnconverged,
  kGrabbed,
  kSaturation,
  kSpeed,
  kExcess,
  kNumberCount
};

}  // namespace

StateLayout ClothWorld::make_layout() const {
  std::vector<StateBlock> blocks = body_blocks(poses_.size(), coordinates_.size());
  static_assert(kNumberCount == kClothNumbers);
  const StateBlock numbers[kNumberCount] = {
      {.name = "contact/points", .unit = "1", .meaning = "contacts of the cloth that press"},
      {.name = "contact/rows", .unit = "1", .meaning = "contacts that the step solved"},
      {.name = "contact/left_out", .unit = "1", .meaning = "contacts beyond contact.capacity"},
      {.name = "contact/layers",
       .unit = "1",
       .meaning = "pairs of features of the cloth nearer than its thickness"},
      {.name = "cloth/stretch",
       .unit = "1",
       .meaning = "largest length of a thread over its length at rest"},
      {.name = "cloth/energy",
       .unit = "J",
       .meaning = "kinetic, elastic and potential energy of the cloth"},
      {.name = "cloth/iterations", .unit = "1", .meaning = "of the linear solver in the step"},
      {.name = "cloth/residual", .unit = "1", .meaning = "relative residual of the linear solver"},
      {.name = "cloth/unconverged",
       .unit = "1",
       .meaning = "steps since the start whose solution ended before cloth.tolerance"},
      {.name = "touch/grabbed", .unit = "1", .meaning = "particle in the hand; -1: none"},
      saturation_block(),
      speed_block(),
      excess_block()};
  blocks.insert(blocks.end(), std::begin(numbers), std::end(numbers));
  blocks.push_back({.name = surface_block_name(cloth_),
                    .unit = "m",
                    .meaning = "particles of the cloth, world",
                    .shape = {static_cast<std::uint32_t>(sheet_->system().size()), 3},
                    .display = StateDisplay::kSurface,
                    .rate = StateRate::kDisplay});
  return StateLayout(std::move(blocks));
}

void ClothWorld::publish() HAPTIC_REALTIME {
  double pressing = 0.0;
  for (std::size_t k = 0; k < sheet_->contacts(); ++k) {
    if (sheet_->force(k).normal > 0.0) pressing += 1.0;
  }
  numbers_[kPoints] = pressing;
  numbers_[kRows] = static_cast<double>(sheet_->contacts());
  numbers_[kLeftOut] = static_cast<double>(touched_->left_out() + (tool_ ? tool_->left_out() : 0));
  numbers_[kLayers] =
      sheet_->self_contact() ? static_cast<double>(sheet_->self_contact()->figures().near) : 0.0;
  if (steps_++ % kMeasured == 0) {
    numbers_[kStretch] = sheet_->largest_stretch();
    numbers_[kEnergy] = sheet_->system().energy(sheet_->state());
  }
  numbers_[kIterations] = sheet_->iterations();
  numbers_[kResidual] = sheet_->residual();
  numbers_[kUnconverged] = static_cast<double>(unconverged_);
  numbers_[kGrabbed] = point_ && point_->grabbed() ? static_cast<double>(*point_->grabbed()) : -1.0;
  numbers_[kSaturation] = load_.wrench.force.norm() / held_body_->settings().force.maximum;
  numbers_[kSpeed] = held_body_->speed_fraction();
  numbers_[kExcess] = held_body_->felt_excess(force_limit_);
}

double ClothWorld::stretch() const HAPTIC_REALTIME {
  return numbers_[kStretch];
}

std::vector<PressingContact> ClothWorld::pressing_contacts() const {
  std::vector<PressingContact> result;
  for (std::size_t k = 0; k < sheet_->contacts(); ++k) {
    const ContactForce force = sheet_->force(k);
    if (!(force.normal > 0.0)) continue;
    if (const ContactStep* step = sheet_->implicit(); step && k < step->points()) {
      result.push_back({point_->position(), -force.force, step->point().lag.norm()});
    } else {
      const ClothContact& contact = sheet_->contact(k);
      Vector3 site = Vector3::Zero();
      for (std::uint32_t i = 0; i < contact.count; ++i) {
        site += contact.weights[i] * at(sheet_->x(), contact.particles[i]);
      }
      result.push_back({site, -force.force, std::max(0.0, -contact.gap)});
    }
  }
  if (const auto spring = point_ ? point_->spring() : std::nullopt) {
    const Vector3 x = at(sheet_->x(), spring->particle);
    result.push_back({x, spring->stiffness * (x - spring->target), 0.0});
  }
  return result;
}

std::span<const double> ClothWorld::state(std::size_t block) const HAPTIC_REALTIME {
  if (block == 0) return pose_values_;
  if (block == 1) return coordinates_;
  if (block < kBodyBlocks + kNumberCount)
    return std::span(numbers_).subspan(block - kBodyBlocks, 1);
  return sheet_->x();
}

void ClothWorld::set_pose(std::size_t body, const Pose& pose) HAPTIC_REALTIME {
  poses_[body] = pose;
  write_pose(pose, std::span(pose_values_).subspan(7 * body).first<7>());
}

double ClothWorld::parameter(std::size_t index) const HAPTIC_REALTIME {
  return index < kClothParameterCount ? ramps_[index].value()
                                      : std::numeric_limits<double>::quiet_NaN();
}

bool ClothWorld::set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  if (index >= kClothParameterCount) return false;
  const Range range = allowed(index, value);
  if (!(value >= range.minimum && value <= range.maximum)) return false;
  ramps_[index].set(value, ramp_s_);
  if (index == kCouplingStaticDamping) held_body_->adjustable().static_damping = value;
  return true;
}

/// With an explicit method the stiffness of the hand on the cloth has a limit.
World::Range ClothWorld::allowed(std::size_t index, double) HAPTIC_REALTIME {
  Range range{parameters_[index].minimum, parameters_[index].maximum};
  if (index == kCouplingStiffness && !settings_.implicit_contact()) {
    range.maximum = std::min(range.maximum, largest_stiffness_);
  }
  return range;
}

void ClothWorld::limit_wrench(double force, double torque) HAPTIC_REALTIME {
  if (force > 0.0) force_limit_ = force;
  if (torque > 0.0) torque_limit_ = torque;
  // Limits in range are accepted.
  [[maybe_unused]] const bool in_range = held_body_->set_limits(force_limit_, torque_limit_);
}

void ClothWorld::advance_parameters() HAPTIC_REALTIME {
  bool moved = false;
  for (ValueRamp& ramp : ramps_) moved = ramp.advance(dt_) || moved;
  if (moved) apply_parameters();
}

void ClothWorld::apply_parameters() HAPTIC_REALTIME {
  apply_coupling(ramps_, held_body_->adjustable());
  // A value between two values in range is in range.
  [[maybe_unused]] const bool in_range = held_body_->set_limits(force_limit_, torque_limit_);
  const double stiffness = ramps_[kClothContactStiffness].value(),
               friction = ramps_[kClothContactFriction].value();
  touched_->set_contact(stiffness, friction);
  if (tool_) tool_->set_contact(stiffness, friction);
  AirSettings& air = sheet_->system().surroundings().air;
  air.drag = ramps_[kClothDrag].value();
  air.drag_per_area = ramps_[kClothDragPerArea].value();
  air.wind.velocity = {ramps_[kClothWindX].value(), ramps_[kClothWindY].value(),
                       ramps_[kClothWindZ].value()};
}

bool ClothWorld::pull(const Pull& pull) HAPTIC_REALTIME {
  pull_ = pull;
  if (pull.body == Pull::kNoBody) return true;
  pulled_ = pull.corners[0];
  pull_target_ = pull.is_relative ? Vector3(at(sheet_->x(), pulled_) + pull.target) : pull.target;
  return true;
}

}  // namespace haptic::cloth
