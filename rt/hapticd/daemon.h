#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "rt/device/device.h"
#include "rt/hapticd/loop_thread.h"
#include "rt/hapticd/options.h"
#include "rt/hapticd/supervisor.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/servo/servo_loop.h"
#include "rt/session/loop_cpu.h"
#include "rt/session/realtime_setup.h"
#include "rt/session/running_scene.h"
#include "rt/worlds/scene.h"
#include "shared/ipc/pulse.h"
#include "shared/ipc/shared_memory.h"
#include "shared/journal/message.h"

namespace haptic {

/// One run of hapticd. run() is the list of its steps; each is a function below.
class Daemon {
 public:
  /// Chooses the loop's CPU and reads the scene. @throws InputError
  explicit Daemon(const Options& options);

  /// From the opened device to its release. May end the process, where a thread hangs.
  /// @returns the exit code
  /// @throws InputError, OperationError: the daemon could not start
  int run();

 private:
  int measure_budget();              ///< --calibrate
  void open_device();                ///< the device, and a world that fits it
  void report_warnings() const;      ///< of scene and world
  int report_check() const;          ///< --check
  void take_locks();                 ///< one daemon per name and per real device
  void build();                      ///< everything that the loop uses
  void start();                      ///< threads real-time, memory locked, the loop runs
  void supervise();                  ///< until the loop ends
  [[noreturn]] void abandon_loop();  ///< which hangs
  int end();

  bool has_motors() const { return device_->capabilities().has_motors; }

  const Options& options_;
  LoopCpu loop_cpu_;
  // Before the device: its messages while it is opened are written even if the start fails.
  std::optional<MessageWriter> messages_;
  Scene scene_;
  MonotonicClock clock_;
  std::unique_ptr<Device> device_;
  std::optional<SceneWorld> world_;
  std::list<InstanceLock> locks_;
  double servo_rate_hz_ = 0.0;
  std::unique_ptr<RunningScene> running_;
  CommandChannel channel_;
  std::optional<HapticCycle> cycle_;
  std::optional<PulseWriter> pulse_;
  std::optional<ServoLoop> loop_;
  std::optional<Supervisor> supervisor_;
  RealtimeReport report_;
  std::optional<LoopThread> thread_;
  bool loop_ended_ = false;
  bool supervised_ = true;  ///< the supervisor could be reached to the end
};

}  // namespace haptic
