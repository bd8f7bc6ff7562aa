#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rt/device/device.h"
#include "rt/servo/parameter_table.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/ipc/command.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/ipc/telemetry_sample.h"
#include "shared/state/physical_warnings.h"

namespace haptic {

/// The cycle and the world of the daemon without a clock, engaged from the first cycle on. Stages
/// take no time: the same hand gives the same bytes.
class OfflineCycle {
 public:
  /// @param as_read  scene of load_scene; its coupling is limited to the device
  /// @param device   outlives the cycle
  /// @throws InputError for a bad scene or model
  OfflineCycle(const Scene& as_read, Device& device);
  ~OfflineCycle();
  OfflineCycle(const OfflineCycle&) = delete;
  OfflineCycle& operator=(const OfflineCycle&) = delete;

  /// One cycle. @throws OperationError naming cycle and fault if one is latched; sample() is then
  ///                    that of the fault, and every later call throws
  void run();

  /// Of the last cycle.
  const SampleRecord& sample() const;
  std::span<const double> state() const;   ///< values of the blocks of rate kCycle
  const DisplaySnapshot& display() const;  ///< values of the blocks of rate kDisplay

  /// Everything that `haptic set` may change: limits, then the world's parameters.
  const ParameterTable& parameters() const;
  double parameter(std::size_t index) const;
  /// As `haptic set`, from the next cycle on. @param index  of parameters()
  CommandReply set(std::size_t index, double value);

  const Scene& scene() const;      ///< as it is simulated
  World& world();                  ///< as the servo steps it
  const World& simulated() const;  ///< of the scene's kind; the same at one rate
  std::uint64_t cycles() const;
  std::vector<std::string> warnings() const;  ///< warnings_of
  /// What the cycles so far have shown of kPhysicalWarnings.
  std::vector<WarningFinding> physical_warnings() const;
  std::array<WarningRecord, kPhysicalWarningCount> warning_records() const;  ///< the same, counted
  /// Cycles from one display snapshot to the next, at least 1.
  std::uint64_t cycles_a_display() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The simulated device of a scene, whatever device the scene names.
SceneDevice simulated_hand(const Scene& scene);

}  // namespace haptic
