#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "rt/device/device.h"
#include "rt/servo/parameter_table.h"
#include "rt/servo/servo_scene.h"
#include "rt/session/scene_world.h"
#include "rt/session/session_options.h"
#include "rt/session/simulation_thread.h"
#include "rt/worlds/scene.h"
#include "shared/clock.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// Reads a scene file and applies the command line's --device and --script.
/// @throws InputError as load_scene
Scene read_scene(const std::filesystem::path& path, const SessionOptions& options);

/// Sets what the scene leaves to the device it runs on.
void fit_to_device(Scene& scene, const Device& device);

/// A scene as the daemon runs it: the world, its telemetry, the servo's part of the scene, and the
/// thread of a world at a separate rate. Created and destroyed by ordinary threads.
class RunningScene {
 public:
  /// @param scene       as fit_to_device left it
  /// @param predecessor session of the telemetry that runs now, or nullptr for the daemon's first
  /// @throws InputError as TelemetryWriter, OperationError if shared memory cannot be had
  RunningScene(Scene scene, SceneWorld world, const SessionOptions& options, const Device& device,
               Clock& clock, const TelemetrySession* predecessor);

  const Scene& scene() const { return scene_; }
  const World& world() const { return *world_.simulated; }
  ServoScene& servo() { return servo_; }
  TelemetryWriter& telemetry() { return telemetry_; }
  const ParameterTable& parameters() const { return servo_.parameters; }
  /// nullptr at equal rates
  SimulationThread* simulation() { return simulation_ ? &*simulation_ : nullptr; }

 private:
  Scene scene_;
  SceneWorld world_;
  TelemetryWriter telemetry_;
  ServoScene servo_;
  std::optional<SimulationThread> simulation_;  // last: ends before what it works on
};

}  // namespace haptic
