#include "rt/hapticd/daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <iterator>
#include <thread>
#include <vector>

#include "rt/hapticd/budget_report.h"
#include "rt/hapticd/final_table.h"
#include "rt/hapticd/open_files.h"
#include "rt/servo/call_filter.h"
#include "rt/servo/loop_watch.h"
#include "rt/worlds/changed_defaults.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/monotonic_time.h"
#include "shared/printable.h"
#include "shared/terminal_stops.h"

namespace haptic {
namespace {

constexpr double kSecondsToStop = 0.5;  // a world step is milliseconds; longer is a hang

void report_realtime(const RealtimeReport& report, const Options& options) {
  if (report.missing.empty()) return;
  const std::string missing = fmt::format("{}", fmt::join(report.missing, "; "));
  if (options.require_rt && !report.is_complete()) {
    throw OperationError("--require-rt: this machine does not meet the real-time requirements: " +
                         missing);
  }
  message::say(Priority::kWarning, "NOT A REAL-TIME RUN: {}", missing);
}

/// @returns whether the loop ended within `seconds`
bool stop_within(ServoLoop& loop, double seconds) {
  loop.stop();
  const std::int64_t since = monotonic_ns();
  while (!loop.done() && 1e-9 * static_cast<double>(monotonic_ns() - since) < seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return loop.done();
}

/// None for a check, which has no loop and must not keep a CPU from a daemon.
std::vector<int> cpus_for_loop(const Options& options) {
  if (options.check) return {};
  return options.cpu ? std::vector<int>{*options.cpu} : choices_for_loop();
}

/// At the start and not at the first fault, whose record would be lost.
void warn_without_black_box(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool good =
      descriptor >= 0 && faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  if (!good) {
    message::say(Priority::kWarning, "--black-box {}: fault records cannot be written: {}",
                 folder.string(), std::strerror(errno));
  }
  if (descriptor >= 0) close(descriptor);
}

}  // namespace

Daemon::Daemon(const Options& options) : options_(options), loop_cpu_(cpus_for_loop(options)) {
  prepare_threads(loop_cpu_.number());
  messages_.emplace("hapticd");
  scene_ = read_scene(options.scene, options);
  check_daemon_name(options.name);
  servo_rate_hz_ = scene_.servo_rate();
  if (!loop_cpu_.warning().empty()) message::say(Priority::kWarning, "{}", loop_cpu_.warning());
}

int Daemon::run() {
  if (options_.calibrate) return measure_budget();
  open_device();
  report_warnings();
  if (options_.check) return report_check();
  take_locks();
  build();
  start();
  supervise();
  return end();
}

// In a thread prepared like the loop's, so that the results apply to the loop.
int Daemon::measure_budget() {
  std::future<std::string> text = std::async(std::launch::async, [this] {
    prepare_loop_thread(loop_cpu_.number(), options_.priority, report_);
    return budget_report(scene_, clock_);
  });
  prepare_process(report_);
  text.wait();
  report_realtime(report_, options_);
  fmt::print("{}", text.get());
  return kExitDone;
}

void Daemon::open_device() {
  device_ = make_device(scene_.device, servo_rate_hz_);
  device_->set_clock(clock_);
  fit_to_device(scene_, *device_);
  world_.emplace(make_scene_world(scene_, &clock_, TwoRateWorld::Threading::kApart));
  if (options_.engage && has_motors()) {
    throw InputError("--engage", "", "found device " + std::string(device_->capabilities().name),
                     "a simulated device (a real one is engaged by an operator)");
  }
}

void Daemon::report_warnings() const {
  std::vector<std::string> warnings = warnings_of(scene_, *world_);
  if (options_.check) std::ranges::move(changed_defaults(scene_), std::back_inserter(warnings));
  for (const std::string& warning : warnings) {
    if (options_.check) {
      fmt::print(stderr, "hapticd: warning: {}: {}\n", printable(options_.scene.string()),
                 printable(warning));
    } else {
      message::say(Priority::kWarning, "{}: {}", options_.scene.string(), warning);
    }
  }
}

int Daemon::report_check() const {
  const auto bodies = world_->at_servo().bodies();
  std::uint32_t coordinates = 0;
  for (const BodyInfo& body : bodies) coordinates += body.coordinate_count;
  fmt::print("{}: {} {}, {} reduced coordinates, {:g} Hz, device {}: good\n",
             printable(options_.scene.string()), bodies.size(),
             bodies.size() == 1 ? "body" : "bodies", coordinates, servo_rate_hz_,
             device_->capabilities().name);
  return kExitDone;
}

// One daemon per name in all run folders of this user: one that was started before a login session
// has another folder than one that is started in it, and `stop` would reach one of the two.
void Daemon::take_locks() {
  const std::string what = "--name " + options_.name;
  const std::filesystem::path own = own_run_file(options_.name, "lock");
  for (const std::filesystem::path& folder : own_run_folders()) {
    const std::filesystem::path other = folder / own.filename();
    if (other != own && InstanceLock::is_held(other)) {
      locks_.emplace_back(other, what);  // is refused and names the process
    }
  }
  locks_.emplace_back(own, what);
  if (has_motors()) {
    const std::string device(device_->capabilities().name);
    locks_.emplace_back(own_run_folder() / ("device." + device + ".lock"), "--device " + device);
  }
}

void Daemon::build() {
  warn_without_black_box(options_.black_box);
  require_open_files();
  Supervisor::block_signals();
  ignore_terminal_stops();
  const std::uint64_t identity = device_identity(scene_.device);
  running_ = std::make_unique<RunningScene>(std::move(scene_), *std::move(world_), options_,
                                            *device_, clock_, nullptr);
  cycle_.emplace(*device_, running_->servo(), clock_, channel_, servo_rate_hz_, options_.engage);
  pulse_.emplace(options_.name, running_->telemetry().header().instance, servo_rate_hz_);
  loop_.emplace(*cycle_, clock_, servo_rate_hz_, &*pulse_);
  supervisor_.emplace(options_, *device_, identity, clock_, *cycle_, *loop_, channel_, running_,
                      Supervisor::RunFiles{locks_, *pulse_});
}

void Daemon::start() {
  handle_forbidden_calls();
  thread_.emplace(*loop_, clock_, options_, loop_cpu_.number(), report_);
  prepare_process(report_);
  thread_->prepare();
  if (SimulationThread* simulation = running_->simulation()) {
    for (const std::string& missing : simulation->prepare().missing) {
      report_.missing.push_back("simulation thread: " + missing);
    }
  }
  const std::vector<std::string> shortcomings = device_->shortcomings();
  report_.missing.insert(report_.missing.end(), shortcomings.begin(), shortcomings.end());
  if (!shortcomings.empty()) report_.grants &= ~kGrantFifo;  // threads that carry the force, too
  if (LoopWatch::interposed()) report_.grants |= kGrantAllocationsWatched;
  running_->telemetry().set_grants(report_.grants | (running_->telemetry().header().grants &
                                                     (kGrantGuarded | kGrantMayGoUnguarded)));
  supervisor_->watch_scheduling_of(report_.thread, loop_cpu_.number(), report_.grants);
  report_realtime(report_, options_);
  message::say(Priority::kInfo, "\"{}\" runs {} at {:g} Hz on device {}{}", options_.name,
               options_.scene.string(), servo_rate_hz_, device_->capabilities().name,
               options_.unguarded ? ", UNGUARDED (--unguarded)" : "");
  thread_->start();
}

void Daemon::supervise() {
  try {
    loop_ended_ = supervisor_->run();
    supervised_ = supervisor_->is_reachable();
  } catch (const std::exception& error) {
    // Signals would not be handled from here on: end the loop, then the process.
    message::say(Priority::kError, "the supervisor failed: {}", error.what());
    supervised_ = false;
    loop_ended_ = stop_within(*loop_, 2.0 * kSecondsToStop);
  }
}

// Joining it would hang this thread, too. The service's stop hook and the kernel's release of the
// device follow after the exit.
void Daemon::abandon_loop() {
  message::say(Priority::kError, "the {} does not stop; exiting without it",
               loop_ended_ ? "simulation" : "loop");
  messages_.reset();
  _exit(kExitFailed);
}

int Daemon::end() {
  SimulationThread* const simulation = running_->simulation();
  const bool hangs =
      !loop_ended_ || (simulation != nullptr && !simulation->stop_within(kSecondsToStop));
  if (hangs) abandon_loop();
  const double seconds = thread_->join();
  // The force is zero: if the exit is delayed from here on, the process may be killed.
  Supervisor::unblock_signals();
  try {
    const TelemetryReader telemetry(options_.name, own_run_file(options_.name, "telemetry"));
    std::fputs(final_table(telemetry, seconds).c_str(), stdout);
  } catch (const std::exception& error) {
    message::say(Priority::kWarning, "the table of this run cannot be printed: {}", error.what());
  }
  const int code = supervised_ ? kExitDone : kExitFailed;
  if (!supervisor_->settled_within(kSecondsToStop)) {
    // A scene is still being built: its thread cannot be stopped and is not waited for.
    std::fflush(nullptr);
    messages_.reset();
    running_.reset();
    pulse_.reset();
    _exit(code);
  }
  return code;
}

}  // namespace haptic
