#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "rt/device/device.h"
#include "rt/worlds/body_blocks.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/ipc/cycle_sink.h"

namespace haptic {

/// Time that passes only when somebody sleeps or works.
class VirtualClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now_ns_; }
  void sleep_until(std::int64_t deadline_ns) override {
    if (deadline_ns > now_ns_) now_ns_ = deadline_ns;
    now_ns_ += oversleep_ns;
  }
  void pass(std::int64_t ns) HAPTIC_REALTIME { now_ns_ += ns; }
  ClockReading read() const HAPTIC_REALTIME override { return {now_ns_, suspended_ns}; }
  std::uint64_t failed_sleeps() const HAPTIC_REALTIME override { return refused_sleeps; }

  std::int64_t oversleep_ns = 0;
  std::int64_t suspended_ns = 0;  ///< of the machine, since it booted
  std::uint64_t refused_sleeps = 0;

 private:
  std::int64_t now_ns_ = 1'000'000'000;
};

/// The smallest world there is: one held point against a wall that fills z < 0,
/// f = stiffness * depth along z. Broken or slow on demand.
class SpringWall final : public World {
 public:
  explicit SpringWall(VirtualClock& clock) : clock_(clock) {
    bodies_.resize(1);
    bodies_[0].name = "tip";
    bodies_[0].held = true;
    bodies_[0].coordinate_count = 2;
    set_pose({});
  }

  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override {
    ++steps;
    clock_.pass(steps == slow_step ? slow_step_ns : work_ns);
    if (next_status != WorldStatus::kOk) {
      output.failed_body = failed_body;
      return next_status;
    }
    set_pose(hand.pose);
    const double depth = -hand.pose.position.z();
    output.held_pose = output.manipulandum_pose = hand.pose;
    output.device_wrench = Wrench{};
    if (depth > 0.0) output.device_wrench.force.z() = stiffness_ * depth;
    output.device_wrench.force.x() += disturbance;
    output.device_wrench.torque.y() += torque;
    output.contact_wrench = output.device_wrench;
    output.times = {work_ns, 0, 0};
    coordinates_ = {depth, static_cast<double>(steps)};
    return WorldStatus::kOk;
  }
  void reset() HAPTIC_REALTIME override {
    ++resets;
    next_status = WorldStatus::kOk;
  }

  HandCoupling hand_coupling() const HAPTIC_REALTIME override {
    HandCoupling law;
    law.stiffness = stiffness_;
    return law;
  }
  const std::vector<BodyInfo>& bodies() const override { return bodies_; }
  std::string_view capacity_key() const override { return capacity; }
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override {
    return block == 0 ? std::span<const double>(pose_values_) : coordinates_;
  }
  std::span<const Pose> poses() const { return {&pose_, 1}; }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return kParameters; }
  double parameter(std::size_t) const HAPTIC_REALTIME override { return stiffness_; }
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override {
    if (index != 0 || !(value >= 1.0 && value <= allowed_now)) return false;
    stiffness_ = value;
    return true;
  }
  Range allowed(std::size_t, double) HAPTIC_REALTIME override { return {1.0, allowed_now}; }
  void limit_wrench(double most_force, double most_torque) HAPTIC_REALTIME override {
    force_limit = most_force;
    torque_limit = most_torque;
  }

  std::int64_t work_ns = 20'000;
  std::int64_t slow_step_ns = 0;
  std::uint64_t slow_step = 0;  ///< the step (from 1) that takes slow_step_ns
  std::uint64_t steps = 0, resets = 0;
  double disturbance = 0.0;                      ///< N along x, may be not finite
  double torque = 0.0;                           ///< N·m about y
  double allowed_now = 5000.0;                   ///< largest stiffness that set_parameter accepts
  double force_limit = 0.0, torque_limit = 0.0;  ///< of the last limit_wrench() [N, N·m]
  WorldStatus next_status = WorldStatus::kOk;
  std::uint32_t failed_body = WorldOutput::kNoBody;  ///< with the next status
  std::string_view capacity;

 private:
  static constexpr std::array<Parameter, 1> kParameters = {{{"wall.stiffness", 1.0, 5000.0}}};
  VirtualClock& clock_;
  std::vector<BodyInfo> bodies_;
  void set_pose(const Pose& pose) HAPTIC_REALTIME {
    pose_ = pose;
    write_pose(pose, pose_values_);
  }

  StateLayout layout_{body_blocks(1, 2)};
  Pose pose_;
  std::array<double, 7> pose_values_{};
  double stiffness_ = 1000.0;
  std::array<double, 2> coordinates_{};
};

/// A hand 1 mm inside the wall unless told otherwise; remembers what it felt.
class ScriptedHand final : public Device {
 public:
  ScriptedHand() { state.pose.position.z() = -0.001; }
  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capability; }
  [[nodiscard]] DeviceStatus sense(DeviceState& sensed) HAPTIC_REALTIME override {
    sensed = state;
    return status;
  }
  void set_enabled(bool on) HAPTIC_REALTIME override { enabled = on; }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
    felt = wrench;
    ++actuations;
    return actuate_status;
  }
  bool reaches_motors() const HAPTIC_REALTIME override {
    return reaches && actuations < stalls_after;
  }
  bool force_may_act() const HAPTIC_REALTIME override { return actuations < carried_out_after; }

  DeviceCapabilities capability{.name = "scripted hand"};
  DeviceState state;
  DeviceStatus status = DeviceStatus::kOk;
  DeviceStatus actuate_status = DeviceStatus::kOk;
  Wrench felt;
  bool enabled = false;
  bool reaches = true;
  std::uint64_t actuations = 0;
  std::uint64_t stalls_after = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t carried_out_after = 0;  ///< outputs until force_may_act() is false
};

/// Keeps what was published.
class MemorySink final : public CycleSink {
 public:
  explicit MemorySink(std::size_t room = 4096) { samples.reserve(room); }
  void publish(const SampleRecord& sample, std::span<const double> state) HAPTIC_REALTIME override {
    if (samples.size() < samples.capacity()) samples.push_back(sample);
    state_size = state.size();
    last_value = state.empty() ? 0.0 : state.back();
  }
  void publish_display(std::uint64_t cycle,
                       std::span<const std::span<const double>> blocks) HAPTIC_REALTIME override {
    display_cycle = cycle;
    display_blocks = blocks.size();
  }
  void publish_parameter(std::size_t index, double value) HAPTIC_REALTIME override {
    if (index < parameters.size()) parameters[index] = value;
  }
  Statistics& statistics() HAPTIC_REALTIME override { return statistics_; }

  std::array<double, 16> parameters{};
  std::vector<SampleRecord> samples;
  std::size_t state_size = 0;
  double last_value = 0.0;
  std::uint64_t display_cycle = 0;
  std::size_t display_blocks = 0;

 private:
  Statistics statistics_{};
};

}  // namespace haptic
