#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "rt/device/hand_script.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/session/running_scene.h"
#include "rt/session/session_options.h"

namespace haptic {

/// Replaces the scene of a running daemon by another, one at a time:
///
///   build   a separate thread reads the scene, maps and checks the models, makes world,
///           telemetry and, at two rates, the simulation's thread
///   offer   the supervisor hands it to the cycle, which takes the force out and changes
///   retire  a separate thread stops the old simulation and gives the old world back
///
/// The old scene runs unchanged until the cycle has changed. A scene that cannot be built has no
/// effect.
///
/// The hand of a simulated device may have another script in the next scene: once the cycle has
/// changed, with no force on it, it goes to the start of that script and follows it.
class SceneChange {
 public:
  /// @param current the scene that runs; becomes the next one. All outlive this.
  SceneChange(const SessionOptions& options, Device& device, Clock& clock, HapticCycle& cycle,
              std::unique_ptr<RunningScene>& current);
  SceneChange(const SceneChange&) = delete;
  SceneChange& operator=(const SceneChange&) = delete;

  bool idle() const { return phase_ == Phase::kIdle; }
  /// Whether the cycle may change the scene at any moment: a command for one of the two scenes must
  /// wait.
  bool handing_over() const { return phase_ == Phase::kBuilt || phase_ == Phase::kOffered; }

  /// @pre idle()
  void begin(const std::filesystem::path& path);

  enum class Event : std::uint8_t {
    kNone,
    kRefused,  ///< what() says why; `bad_input()` whether the scene is at fault
    kTaken,    ///< the cycle runs the next scene, which is `current`; left() is the one before
    kDone,     ///< the one before has been given back; idle()
  };
  /// Continues the change if possible; never waits.
  /// @param quiet no command for the running scene is pending
  Event advance(bool quiet);

  const std::string& what() const { return what_; }
  bool bad_input() const { return bad_input_; }
  RunningScene& left() { return *left_; }
  /// After kTaken, when left() is no longer used.
  void retire();

  /// At the end of the daemon, after the end of the loop. @returns false if a thread of this object
  /// still runs after `seconds`: the process must end without destroying the object
  bool settled_within(double seconds);

 private:
  enum class Phase : std::uint8_t { kIdle, kBuilding, kBuilt, kOffered, kTaken, kRetiring };

  struct Built {
    std::unique_ptr<RunningScene> scene;
    std::optional<HandScript> hand;  ///< where the simulated hand gets another script
  };

  Built build(const std::filesystem::path& path) const;
  void demand_same_device(const Scene& scene) const;
  Event refuse(std::exception_ptr reason);

  const SessionOptions& options_;
  Device& device_;
  Clock& clock_;
  HapticCycle& cycle_;
  std::unique_ptr<RunningScene>& current_;

  Phase phase_ = Phase::kIdle;
  // For the thread that builds: copies, which outlive the running scene.
  SceneDevice device_of_running_;
  double rate_of_running_ = 0.0;  ///< of the servo [Hz]
  TelemetrySession session_;
  std::future<Built> built_;
  std::future<void> retired_;
  std::unique_ptr<RunningScene> next_, left_;
  std::optional<HandScript> next_hand_;
  std::string what_;
  bool bad_input_ = false;
};

}  // namespace haptic
