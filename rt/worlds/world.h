#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rt/coupling/hand_coupling.h"
#include "rt/device/device.h"
#include "rt/worlds/pull.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Duration of the stages of a cycle [ns], measured with the caller's clock.
struct StageTimes {
  std::int64_t couple_ns = 0, touch_ns = 0, move_ns = 0;
};

/// Result of a step for the servo and the telemetry.
struct WorldOutput {
  Wrench device_wrench;          ///< on the hand, device frame, before limits [N, N·m]
  double stored_energy_J = 0.0;  ///< energy that device_wrench can return to the hand, >= 0
  double force_scale = 1.0;  ///< scale of device_wrench, 0 to 1; below 1 while the clutch is open
                             ///< and fades in again
  Wrench contact_wrench;     ///< on the held body about its grasp, world axes [N, N·m]
  Twist held_twist;          ///< of the grasp of the simulation object, world
  Pose held_pose;            ///< frame of the simulation object, world; two rates: as rendered
  Pose manipulandum_pose;    ///< of the same frame if it followed the scaled hand, world
  StageTimes times;
  /// Value of world_step for a world that steps in every cycle (one rate).
  static constexpr std::uint64_t kEveryCycle = ~std::uint64_t{0};
  /// Two rates: world steps up to the rendered state (0 before the first), and its age.
  std::uint64_t world_step = kEveryCycle;
  std::int64_t world_age_ns = 0;
  /// Two rates: cycles since those whose hand the newest world steps were given, the newest step
  /// first. Enough to know the hand of every step: a cycle shows at most three that the cycle
  /// before it did not (TwoRateWorld::simulate).
  static constexpr std::size_t kHandAges = 3;
  std::array<std::uint32_t, kHandAges> world_hand_age{};
  static constexpr std::uint32_t kNoBody = ~std::uint32_t{0};
  /// If the step failed because of one body: its index in World::bodies().
  std::uint32_t failed_body = kNoBody;
};

/// kLate: with two rates, the world has made no step within the time-out. kCapacity: a capacity
/// that is fixed at load is used up (World::capacity_key).
enum class WorldStatus : std::uint8_t { kOk, kDiverged, kNotFinite, kLate, kCapacity };

/// Description of a body for telemetry, logs and images.
struct BodyInfo {
  std::string name;
  std::string model_path;              ///< text_of(BodySource), the path absolute
  std::uint64_t model_hash = 0;        ///< ModelFile::content_hash
  std::uint32_t first_coordinate = 0;  ///< offset into the block kBodyCoordinates
  std::uint32_t coordinate_count = 0;  ///< r, 0 for a rigid body
  bool held = false;                   ///< follows the hand (its pose is WorldOutput::held_pose)
};

/// A simulated world: bodies, contact pairs and the solver that advances them by one cycle
/// (docs/contact.md). Owns all its memory from construction on; `step` never allocates.
class World {
 public:
  virtual ~World() = default;

  /// One haptic cycle: couple, touch, move. `hand` is in the device frame. If the result is not
  /// kOk, the state is the last valid one and the output wrench is zero.
  [[nodiscard]] virtual WorldStatus step(const DeviceState& hand,
                                         WorldOutput& output) HAPTIC_REALTIME = 0;

  /// Sets all bodies to rest; the next step places the held body at the hand.
  virtual void reset() HAPTIC_REALTIME = 0;

  /// The coupling law as a value, for a servo at a separate rate.
  virtual HandCoupling hand_coupling() const HAPTIC_REALTIME = 0;
  /// How the held body gives way to the hand after the last step, for HandCoupling::response. Only
  /// called by a servo at a separate rate, at most once after each step that was kOk. Default: the
  /// body stays where it is.
  virtual HeldResponse held_response() HAPTIC_REALTIME { return {}; }

  /// Cycles of the servo in a step of the world: 1, or more for a world that steps at a lower rate.
  virtual std::uint32_t cycles_per_step() const { return 1; }

  virtual const std::vector<BodyInfo>& bodies() const = 0;
  /// What the user should know of the scene, a line each. Not for the loop.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// Key of the scene whose capacity a step can use up (WorldStatus::kCapacity); empty: none. Not
  /// for the loop.
  virtual std::string_view capacity_key() const { return {}; }
  /// The blocks of the state, by which telemetry, logs and images handle any kind of world.
  /// Constant. A world with bodies has StateLayout::kBodyPoses and kBodyCoordinates.
  virtual const StateLayout& state_layout() const = 0;
  /// Values of one block, row-major, as many as StateBlock::size().
  virtual std::span<const double> state(std::size_t block) const HAPTIC_REALTIME = 0;

  /// Operator-adjustable parameters (`haptic set KEY VALUE`): range-checked names such as
  /// "coupling.stiffness". set_parameter is called between cycles, in the loop.
  enum class FeltAs : std::uint8_t { kOther, kStiffness, kRotationalStiffness };
  struct Parameter {
    std::string_view name;  ///< at most kMaxParameterNameLength characters
    double minimum, maximum;
    bool whole = false;               ///< only whole numbers
    FeltAs felt_as = FeltAs::kOther;  ///< of the coupling: the device limits what may be set
  };
  static constexpr std::size_t kMaxParameterNameLength = 63;
  virtual std::span<const Parameter> parameters() const HAPTIC_REALTIME = 0;
  /// Why the world has no parameter of this name although a user may expect one, e.g. "ball is
  /// rigid"; empty: no particular reason. Not for the loop.
  virtual std::string why_absent(std::string_view) const { return {}; }
  virtual double parameter(std::size_t index) const HAPTIC_REALTIME = 0;
  /// @returns false, and changes nothing, if the value is out of range or not finite, or if the
  ///          present values of others exclude it
  [[nodiscard]] virtual bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME = 0;

  /// What can reach the hand, where an operator changes it: up to there, the bodies get what the
  /// hand feels, from the next step on. What is not positive changes nothing. Default: the bodies
  /// get all. @param force [N], torque [N·m]
  virtual void limit_wrench(double, double) HAPTIC_REALTIME {}

  /// Completes a pull of a material point (`haptic pull`) for the loop. Not for the loop.
  /// @param body  its name @param[in,out] pull  with everything but the body
  /// @returns why the world does not pull there; empty: it does
  virtual std::string prepare_pull(const std::string&, Pull&) const {
    return "this kind of world has no bodies to pull";
  }
  /// Pulls from the next step on, or lets go. @param pull  of prepare_pull(); kNoBody: lets go
  /// @returns false if the world does not pull
  [[nodiscard]] virtual bool pull(const Pull&) HAPTIC_REALTIME { return false; }

  struct Range {
    double minimum, maximum;
  };
  /// What set_parameter accepts at present, towards a `value` that it has refused; inside the range
  /// of the parameter. @param index < parameters().size()
  virtual Range allowed(std::size_t index, double) HAPTIC_REALTIME {
    return {parameters()[index].minimum, parameters()[index].maximum};
  }
};

}  // namespace haptic
