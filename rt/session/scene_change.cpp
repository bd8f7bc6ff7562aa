#include "rt/session/scene_change.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <system_error>
#include <utility>

#include "rt/device/simulated_device.h"
#include "shared/error.h"
#include "shared/journal/message.h"
#include "shared/memory/memory_reason.h"

namespace haptic {
namespace {

constexpr double kSecondsToStop = 5.0;  // of an old simulation: its step is milliseconds

template <typename T>
bool ready(const std::future<T>& future, double seconds = 0.0) {
  return future.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
}

// Only a regular file is read. A pipe or a terminal would block the builder for ever. The content
// of any other file could be quoted in a refusal to a client that may only send commands.
void demand_scene_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(path.string(), "",
                     "cannot be opened: does not exist, or this daemon may not read it",
                     "a scene file");
  }
  if (!std::filesystem::is_regular_file(status) || path.extension() != ".toml") {
    throw InputError(path.string(), "", "found another file type", "a *.toml file");
  }
}

}  // namespace

SceneChange::SceneChange(const SessionOptions& options, Device& device, Clock& clock,
                         HapticCycle& cycle, std::unique_ptr<RunningScene>& current)
    : options_(options), device_(device), clock_(clock), cycle_(cycle), current_(current) {}

void SceneChange::begin(const std::filesystem::path& path) {
  phase_ = Phase::kBuilding;
  device_of_running_ = current_->scene().device;
  rate_of_running_ = current_->scene().servo_rate();
  session_ = current_->telemetry().session();
  try {
    built_ = std::async(std::launch::async, [this, path] { return build(path); });
  } catch (const std::exception&) {  // no thread could be started: the scene is refused
    std::promise<Built> failed;
    failed.set_exception(std::current_exception());
    built_ = failed.get_future();
  }
}

SceneChange::Built SceneChange::build(const std::filesystem::path& path) const {
  demand_scene_file(path);
  Scene scene = read_scene(path, options_);
  demand_same_device(scene);
  fit_to_device(scene, device_);
  SceneWorld world = make_scene_world(scene, &clock_, TwoRateWorld::Threading::kApart);
  for (const std::string& warning : warnings_of(scene, world)) {
    message::say(Priority::kWarning, "{}: {}", path.string(), warning);
  }
  Built built;
  if (scene.device.script != device_of_running_.script) built.hand = hand_script(scene.device);
  built.scene = std::make_unique<RunningScene>(std::move(scene), std::move(world), options_,
                                               device_, clock_, &session_);
  const std::unique_ptr<RunningScene>& next = built.scene;
  if (next->simulation() != nullptr) {
    const RealtimeReport report = next->simulation()->prepare();
    if (!report.missing.empty()) {
      message::say(Priority::kWarning, "simulation thread of {}: {}", path.string(),
                   fmt::join(report.missing, "; "));
    }
  }
  return built;
}

// The device is opened, homed and paced only once, so the scene must use the same one.
void SceneChange::demand_same_device(const Scene& scene) const {
  const std::string file = scene.file.string();
  if (scene.device.name != device_of_running_.name) {
    throw InputError(
        file, "device.name", fmt::format("found \"{}\"", scene.device.name),
        fmt::format("\"{}\", the device of the running daemon", device_of_running_.name));
  }
  SimulatedSettings same_script = static_cast<const SimulatedSettings&>(scene.device);
  same_script.script = device_of_running_.script;
  if (same_script != device_of_running_) {
    throw InputError(file, "device", "found other settings than those of the running daemon",
                     "the same hand (a different hand needs a restart)");
  }
  if (std::abs(scene.servo_rate() - rate_of_running_) > 1e-9 * rate_of_running_) {
    throw InputError(file, scene.servo_rate_hz ? "servo_rate_hz" : "rate_hz",
                     fmt::format("found {:g} Hz for the servo", scene.servo_rate()),
                     fmt::format("{:g} Hz, the rate of the running daemon", rate_of_running_));
  }
}

SceneChange::Event SceneChange::advance(bool quiet) {
  switch (phase_) {
    case Phase::kBuilding:
      if (!ready(built_)) return Event::kNone;
      try {
        Built built = built_.get();
        next_ = std::move(built.scene);
        next_hand_ = std::move(built.hand);
      } catch (...) {
        return refuse(std::current_exception());
      }
      phase_ = Phase::kBuilt;
      [[fallthrough]];
    case Phase::kBuilt:
      if (quiet && cycle_.scenes().offer(next_->servo())) phase_ = Phase::kOffered;
      return Event::kNone;
    case Phase::kOffered:
      if (cycle_.scenes().collect() == nullptr) return Event::kNone;
      left_ = std::exchange(current_, std::move(next_));
      if (next_hand_) device_.follow(*std::move(next_hand_));
      next_hand_.reset();
      phase_ = Phase::kTaken;
      return Event::kTaken;
    case Phase::kRetiring:
      if (!ready(retired_)) return Event::kNone;
      phase_ = Phase::kIdle;
      return Event::kDone;
    case Phase::kIdle:
    case Phase::kTaken:
      return Event::kNone;
  }
  return Event::kNone;
}

SceneChange::Event SceneChange::refuse(std::exception_ptr reason) {
  phase_ = Phase::kIdle;
  bad_input_ = false;
  try {
    std::rethrow_exception(std::move(reason));
  } catch (const InputError& error) {
    what_ = error.what();
    bad_input_ = true;
  } catch (const std::bad_alloc&) {
    what_ = fmt::format("not enough memory for this scene while another one is running ({})",
                        memory_reason(ENOMEM));
  } catch (const std::system_error& error) {
    what_ = fmt::format("no thread can be started for this scene: {}",
                        memory_reason(error.code().value()));
  } catch (const std::exception& error) {
    what_ = error.what();
  }
  return Event::kRefused;
}

void SceneChange::retire() {
  phase_ = Phase::kRetiring;
  // Freeing hundreds of megabytes takes time, during which commands and watchdog would wait.
  const auto left = std::make_shared<std::unique_ptr<RunningScene>>(std::move(left_));
  const auto give_back = [left] {
    RunningScene& scene = **left;
    if (scene.simulation() == nullptr || scene.simulation()->stop_within(kSecondsToStop)) {
      left->reset();
      return;
    }
    message::say(Priority::kError, "the simulation of {} does not stop; its memory is kept",
                 scene.scene().file.string());
    static_cast<void>(left->release());
  };
  try {
    retired_ = std::async(std::launch::async, give_back);
  } catch (const std::exception&) {  // no thread could be started: free it in this one
    retired_ = std::async(std::launch::deferred, give_back);
    retired_.wait();
  }
}

bool SceneChange::settled_within(double seconds) {
  if (phase_ == Phase::kBuilding) return ready(built_, seconds);
  if (phase_ == Phase::kOffered && !cycle_.scenes().withdraw()) return true;
  if (phase_ == Phase::kRetiring) return ready(retired_, seconds);
  return true;
}

}  // namespace haptic
