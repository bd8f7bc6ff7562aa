#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rt/coupling/clutch.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/servo/step_fade.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/triple_buffer.h"

namespace haptic {

/// A world that is stepped at a separate rate, as the servo sees it
/// (docs/methods/contact-and-coupling.md, "Simulation and device"; docs/contact.md, "Two rates").
///
/// The servo's step renders the coupling between the present hand and the held body of the newest
/// world step, moved as the world's response to the hand says (World::held_response): its output
/// has this pose, and the wrench and energy that belong to it; state() has the world's own. The
/// world's step runs the simulation with the newest hand. Values are passed through wait-free
/// triple buffers, so either side may be on a separate thread.
///
///   servo thread       TwoRateWorld::step(hand)  every servo period
///   simulation thread  TwoRateWorld::simulate()  every world period
///
/// Offline, with Threading::kTogether, step() itself calls the world in every n-th servo cycle with
/// that cycle's hand, and shows the result one world period later. This is deterministic and models
/// a simulation that takes its whole period. With Threading::kFollowing, step() calls the world as
/// two threads once did: follow() names the steps and their hands.
class TwoRateWorld final : public World {
 public:
  enum class Threading : std::uint8_t {
    kTogether,   ///< step() advances the world too
    kApart,      ///< another thread calls simulate()
    kFollowing,  ///< step() advances the world by the steps that follow() names
  };
  struct Settings {
    double world_rate_hz = 1000.0;      ///< > 0; of the world's step
    std::uint32_t cycles_per_step = 1;  ///< servo cycles in a world period, >= 1
    Threading threading = Threading::kTogether;
    int clutch_button = -1;      ///< as Clutch
    double clutch_fade_s = 0.2;  ///< s
    double timeout_s = 0.1;      ///< longest time without a world step before a fault [s]
  };

  /// @param world  outlives this; its clutch must be off, because the servo has the clutch
  /// @param clock  for the age of what is rendered; nullptr leaves it zero
  TwoRateWorld(World& world, const Settings& settings, const Clock* clock);

  // Servo side.
  /// kLate if the world has not answered for longer than the time-out; the other kinds are those of
  /// the world's last step. The wrench is zero until the world has received the hand.
  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override;
  /// Requests a reset of the world; the wrench is zero until it is done.
  void reset() HAPTIC_REALTIME override;
  std::uint32_t cycles_per_step() const override { return settings_.cycles_per_step; }
  const std::vector<BodyInfo>& bodies() const override { return world_.bodies(); }
  std::string_view capacity_key() const override { return world_.capacity_key(); }
  const StateLayout& state_layout() const override { return world_.state_layout(); }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override {
    return std::span(newest().values).subspan(places_[block], places_[block + 1] - places_[block]);
  }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override {
    return world_.parameters();
  }
  /// Of the newest world step.
  double parameter(std::size_t index) const HAPTIC_REALTIME override;
  /// Checked here, applied before the next world step. @returns false also while the previous
  /// change is not applied yet
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override;
  void limit_wrench(double force, double torque) HAPTIC_REALTIME override;
  std::string prepare_pull(const std::string& body, Pull& pull) const override {
    return world_.prepare_pull(body, pull);
  }
  /// Applied before the next world step; if several are pending, only the last one. @returns true
  [[nodiscard]] bool pull(const Pull& pull) HAPTIC_REALTIME override;
  HandCoupling hand_coupling() const HAPTIC_REALTIME override { return newest().law; }
  /// With kFollowing: what the next step() shows, as it was once shown.
  /// @param shown  world_step and world_hand_age of that output
  /// @returns false if these steps cannot follow those before: steps or hands go back, or the hand
  ///          of a step is older than kFollowedHands cycles
  [[nodiscard]] bool follow(const WorldOutput& shown) HAPTIC_REALTIME;
  static constexpr std::size_t kFollowedHands = 65'536;

  // Simulation side.
  /// One world step with the newest hand. @returns false, and does nothing, if no hand has come
  /// since the last step: a servo that stands still stops the world, and a cycle shows at most the
  /// steps with its own hand, with the hand before, and with one older hand
  bool simulate() HAPTIC_REALTIME;

 private:
  /// From the servo to the simulation.
  struct Hand {
    DeviceState device;
    std::uint64_t count = 0;  ///< of servo cycles; 0: none yet
    std::uint64_t epoch = 0;  ///< resets asked for
    std::int64_t time_ns = 0;
    std::uint64_t change = 0;  ///< parameter changes asked for
    std::size_t parameter = 0;
    double value = 0.0;
    double force_limit = 0.0, torque_limit = 0.0;  ///< the last ones [N, N·m]; 0: the scene's
    std::uint64_t pulls = 0;                       ///< asked for
    Pull pull;                                     ///< the last one
  };
  /// From the simulation to the servo.
  struct State {
    WorldOutput output;
    WorldStatus status = WorldStatus::kOk;
    HandCoupling law;
    std::uint64_t steps = 0, epoch = 0, change = 0;
    std::int64_t hand_ns = 0;
    std::array<std::uint64_t, WorldOutput::kHandAges> hands{};  ///< Hand::count, newest step first
    std::vector<double> values;                                 ///< of all blocks, in order
    std::vector<double> parameters;
  };

  const State& newest() const HAPTIC_REALTIME { return to_servo_.newest(); }
  void copy_state(State& to) const HAPTIC_REALTIME;
  void advance_together() HAPTIC_REALTIME;
  void advance_as_followed() HAPTIC_REALTIME;
  void render(const State& seen, WorldOutput& output) HAPTIC_REALTIME;
  void follow_manipulandum(const Pose& pose, std::uint64_t epoch, bool delays) HAPTIC_REALTIME;
  void run_step(const Hand& hand, State& next) HAPTIC_REALTIME;
  State initial_state() const;

  World& world_;
  Settings settings_;
  const Clock* clock_;
  std::uint64_t timeout_cycles_;
  Clutch clutch_;
  std::uint32_t world_buttons_;      // those that the world sees: all but the clutch
  std::vector<std::size_t> places_;  ///< of the blocks in State::values, and the end
  TripleBuffer<Hand> to_world_;
  TripleBuffer<State> to_servo_;
  // Servo side.
  Hand hand_;
  Pose delayed_;  // follows the manipulandum with a delay
  StepFade fade_;
  HandCoupling shown_law_;          // of the step that was shown last, and its pose
  Pose shown_held_, manipulandum_;  // and the manipulandum of the last cycle
  std::uint64_t shown_step_ = 0;
  std::uint64_t delayed_epoch_ = ~std::uint64_t{0};
  double follows_;                // part of its way in a cycle
  std::uint64_t since_step_ = 0;  // servo cycles since a new state came
  WorldOutput followed_;          // kFollowing: what the next step shows
  std::vector<Hand> past_hands_;  // kFollowing: a ring by Hand::count
  // Simulation side.
  std::uint64_t steps_ = 0, epoch_ = 0, change_ = 0, pulls_ = 0;
  double force_limit_ = 0.0, torque_limit_ = 0.0;              // of the last hand
  std::array<std::uint64_t, WorldOutput::kHandAges> hands_{};  // of the newest steps
};

}  // namespace haptic
