#pragma once

#include "rt/worlds/world.h"

namespace haptic {

/// A world as it is without a response: between its steps the held body stays where it is.
class StandingStill final : public World {
 public:
  explicit StandingStill(World& world) : world_(world) {}

  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override {
    return world_.step(hand, output);
  }
  void reset() HAPTIC_REALTIME override { world_.reset(); }
  HandCoupling hand_coupling() const HAPTIC_REALTIME override { return world_.hand_coupling(); }
  const std::vector<BodyInfo>& bodies() const override { return world_.bodies(); }
  const StateLayout& state_layout() const override { return world_.state_layout(); }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override {
    return world_.state(block);
  }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override {
    return world_.parameters();
  }
  double parameter(std::size_t index) const HAPTIC_REALTIME override {
    return world_.parameter(index);
  }
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override {
    return world_.set_parameter(index, value);
  }

 private:
  World& world_;
};

}  // namespace haptic
