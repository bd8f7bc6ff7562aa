// What a condensed world publishes, and what an operator can change in it.
#include <algorithm>
#include <limits>

#include "rt/worlds/body_blocks.h"
#include "rt/worlds/condensed/condensed_world.h"
#include "rt/worlds/coupling_blocks.h"

namespace haptic::condensed {

namespace {

/// Blocks after those of the bodies, in the order of state().
enum Block : std::size_t { kModes = kBodyBlocks, kFirstNumber };
constexpr std::size_t kNumberBlocks = 9;

}  // namespace

StateLayout CondensedWorld::make_layout() const {
  std::vector<StateBlock> blocks = body_blocks(poses_.size(), 0);
  blocks.push_back({.name = "condensed/modes",
                    .unit = "m kg^1/2",
                    .meaning = "modal coordinates of the condensed body",
                    .shape = {static_cast<std::uint32_t>(dynamics_->q().size())}});
  const StateBlock numbers[kNumberBlocks] = {
      {.name = "contact/points", .unit = "1", .meaning = "contacts that press"},
      {.name = "contact/rows", .unit = "1", .meaning = "contacts that the step solved"},
      {.name = "contact/dropped", .unit = "1", .meaning = "contacts beyond the capacity"},
      {.name = "contact/dropped_depth",
       .unit = "m",
       .meaning = "how deep the deepest contact beyond the capacity is inside the tool"},
      {.name = "contact/residual",
       .unit = "m",
       .meaning = "largest violation of the conditions of contact"},
      {.name = "condensed/energy",
       .unit = "J",
       .meaning = "kinetic and elastic energy of the body"},
      saturation_block(),
      speed_block(),
      excess_block()};
  blocks.insert(blocks.end(), std::begin(numbers), std::end(numbers));
  blocks.push_back({.name = surface_block_name(condensed_),
                    .unit = "m",
                    .meaning = "vertices of the condensed body's surface, world",
                    .shape = {static_cast<std::uint32_t>(surface_->vertex_count()), 3},
                    .display = StateDisplay::kSurface,
                    .rate = StateRate::kDisplay});
  return StateLayout(std::move(blocks));
}

void CondensedWorld::publish(const CouplingLoad& load) HAPTIC_REALTIME {
  const CondensedEnergy energy = dynamics_->energy();
  numbers_ = {static_cast<double>(pressing_count_),
              static_cast<double>(contact_count_),
              field_ ? static_cast<double>(field_->dropped()) : 0.0,
              field_ ? field_->dropped_depth() : 0.0,
              tool_contact_->residual(),
              energy.kinetic + energy.modal + energy.statics,
              load.wrench.force.norm() / held_body_->settings().force.maximum,
              held_body_->speed_fraction(),
              held_body_->felt_excess(force_limit_)};
}

std::vector<PressingContact> CondensedWorld::pressing_contacts() const {
  const Pose& body = poses_[condensed_];
  std::vector<PressingContact> result;
  for (std::size_t i = 0; i < contact_count_; ++i) {
    if (!tool_contact_->presses(i)) continue;
    const CondensedContact& contact = contacts_[i];
    const auto u = displacement_at(contact.row, u_);
    // The tool's point is the material point displaced by `target`.
    const Vector3 place = contact.point - contact.target + Vector3(u[0], u[1], u[2]);
    const std::span<const double> f = tool_contact_->forces().subspan(3 * i, 3);
    result.push_back({body.position + body.orientation * place,
                      -(body.orientation * Vector3(f[0], f[1], f[2])),
                      std::max(0.0, -contact.gap)});
  }
  return result;
}

std::span<const double> CondensedWorld::state(std::size_t block) const HAPTIC_REALTIME {
  if (block == 0) return pose_values_;
  if (block == 1) return {};
  if (block == kModes) return dynamics_->q();
  if (block < kFirstNumber + kNumberBlocks)
    return std::span(numbers_).subspan(block - kFirstNumber, 1);
  return snapshot_->vertices();
}

double CondensedWorld::parameter(std::size_t index) const HAPTIC_REALTIME {
  return index < parameter_count_ ? ramps_[index].value()
                                  : std::numeric_limits<double>::quiet_NaN();
}

bool CondensedWorld::set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  if (index >= parameter_count_) return false;
  const Parameter& range = kCondensedParameters[index];
  if (!(value >= range.minimum && value <= range.maximum)) return false;
  ramps_[index].set(value, ramp_s_);
  if (index == kCouplingStaticDamping) held_body_->adjustable().static_damping = value;
  return true;
}

void CondensedWorld::limit_wrench(double force, double torque) HAPTIC_REALTIME {
  if (force > 0.0) force_limit_ = force;
  if (torque > 0.0) torque_limit_ = torque;
  // Limits in range are accepted.
  [[maybe_unused]] const bool in_range = held_body_->set_limits(force_limit_, torque_limit_);
}

void CondensedWorld::advance_parameters() HAPTIC_REALTIME {
  bool moved = false;
  for (ValueRamp& ramp : ramps_) moved = ramp.advance(dt_) || moved;
  if (moved) apply_parameters();
}

void CondensedWorld::apply_parameters() HAPTIC_REALTIME {
  apply_coupling(ramps_, held_body_->adjustable());
  // A value between two values in range is in range.
  [[maybe_unused]] const bool in_range = held_body_->set_limits(force_limit_, torque_limit_);
}

}  // namespace haptic::condensed
