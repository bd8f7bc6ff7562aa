#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/coupling/passivity_controller.h"
#include "rt/device/device.h"
#include "rt/device/servo_limits.h"
#include "rt/servo/load_watch.h"
#include "rt/servo/output_guard.h"
#include "rt/servo/parameter_table.h"
#include "rt/servo/stop_brake.h"
#include "rt/worlds/world.h"
#include "shared/ipc/cycle_sink.h"
#include "shared/ipc/warning_watch.h"

namespace haptic {

/// All parts of a HapticCycle that depend on the scene: the world, the sink of its cycles, its
/// limits and every object with a state that depends on them. An ordinary thread creates it; the
/// cycle changes from one scene to the next by a pointer.
struct ServoScene {
  /// @param world, sink  outlive this
  /// @param limits   lowered to the device's own (lowered_to)
  /// @param rate_hz  of the servo, > 0
  /// @throws InputError if a setting of `passivity` is out of range
  ServoScene(World& world, CycleSink& sink, const DeviceCapabilities& device,
             const ServoLimits& limits, const PassivitySettings& passivity, double rate_hz);
  ServoScene(const ServoScene&) = delete;
  ServoScene& operator=(const ServoScene&) = delete;

  World& world;
  CycleSink& sink;
  ParameterTable parameters;
  OutputGuard guard;
  PassivityController passivity;
  StopBrake brake;
  LoadWatch load;
  WarningWatch warnings;
  std::int64_t stale_ns;                         ///< longest time for which an output may act
  std::int64_t stale_input_ns;                   ///< oldest reading
  std::vector<StateRate> rates;                  ///< of the world's state blocks
  std::vector<double> state;                     ///< room for the blocks of rate kCycle
  std::vector<std::span<const double>> display;  ///< and for views of those of rate kDisplay
};

}  // namespace haptic
