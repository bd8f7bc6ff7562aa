#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/coupling/hand_coupling.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "rt/worlds/world_kind.h"

namespace haptic {

/// The table [chain] of a scene with world = "chain".
struct ChainSettings : WorldSettings {
  std::uint32_t masses = 20;
  double mass = 0.002;        ///< of one [kg]
  double stiffness = 50.0;    ///< of the spring between two neighbours [N/m]
  double damping = 0.05;      ///< of the same spring [N s/m]
  double air_drag = 0.002;    ///< of one mass [N s/m]
  double rest_length = 0.01;  ///< between two neighbours [m]
};

/// A chain of point masses on springs that hangs from the held body: a small world with state
/// blocks of every kind, to show that a world needs nothing outside its folder.
///
/// The held body is a massless point in equilibrium between the virtual coupling and the first
/// spring; the masses advance by symplectic Euler in substeps of at most 0.1 / (2 sqrt(k / m)).
class ChainWorld final : public World {
 public:
  ChainWorld(const Scene& scene, const ChainSettings& settings);

  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;
  HandCoupling hand_coupling() const HAPTIC_REALTIME override { return coupling_; }
  const std::vector<BodyInfo>& bodies() const override { return bodies_; }
  /// bodies/pose and bodies/coordinates; chain/end (pose of the last link), chain/energy, and at
  /// display rate chain/position.
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override;
  /// chain.stiffness [N/m]
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return kParameters; }
  double parameter(std::size_t) const HAPTIC_REALTIME override { return settings_.stiffness; }
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override;

  std::size_t masses() const { return settings_.masses; }
  Vector3 position(std::size_t mass) const;

 private:
  static constexpr std::array<Parameter, 1> kParameters = {{{"chain.stiffness", 1.0, 1000.0}}};

  void hang_from(const Vector3& top) HAPTIC_REALTIME;
  /// Force of the spring before mass `i` on it.
  Vector3 spring(std::size_t i, const Vector3& above,
                 const Vector3& above_velocity) const HAPTIC_REALTIME;
  void advance(const Vector3& top, double dt) HAPTIC_REALTIME;
  void publish_state(const Pose& held) HAPTIC_REALTIME;

  ChainSettings settings_;
  HandCoupling coupling_;
  double dt_;
  std::vector<BodyInfo> bodies_;
  std::size_t held_;
  StateLayout layout_;
  bool placed_ = false;
  std::vector<Vector3> positions_, velocities_, forces_;
  std::vector<double> body_poses_, position_values_;
  std::array<double, 7> end_pose_{};
  std::array<double, 1> energy_{};
};

}  // namespace haptic
