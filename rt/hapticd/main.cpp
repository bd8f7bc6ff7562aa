#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "rt/hapticd/budget_report.h"
#include "rt/hapticd/command_line.h"
#include "rt/hapticd/final_table.h"
#include "rt/hapticd/open_files.h"
#include "rt/hapticd/supervisor.h"
#include "rt/servo/call_filter.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/loop_watch.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/servo/servo_loop.h"
#include "rt/session/loop_cpu.h"
#include "rt/session/realtime_setup.h"
#include "rt/session/running_scene.h"
#include "rt/worlds/changed_defaults.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/scene_device.h"
#include "shared/command_line/help_format.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/ipc/pulse.h"
#include "shared/ipc/run_folder.h"
#include "shared/journal/message.h"
#include "shared/monotonic_time.h"
#include "shared/printable.h"
#include "shared/process_start.h"
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

/// Prints one line; neither throws nor ends the process if standard error has no reader.
int complain(const std::exception& error, int code) {
  const std::string line = fmt::format("hapticd: {}\n", printable(error.what()));
  std::fputs(line.c_str(), stderr);
  return code;
}

/// In a thread prepared like the loop's, so that the results apply to the loop.
int calibrate(const Options& options, int loop_cpu, const Scene& scene, Clock& clock) {
  RealtimeReport report;
  std::future<std::string> text = std::async(std::launch::async, [&] {
    prepare_loop_thread(loop_cpu, options.priority, report);
    return budget_report(scene, clock);
  });
  prepare_process(report);
  text.wait();
  report_realtime(report, options);
  fmt::print("{}", text.get());
  return kExitDone;
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

/// One daemon per name in all run folders of this user: one that was started before a login session
/// has another folder than one that is started in it, and `stop` would reach one of the two.
void take_name(std::list<InstanceLock>& locks, const std::string& name) {
  const std::string what = "--name " + name;
  const std::filesystem::path own = own_run_file(name, "lock");
  for (const std::filesystem::path& folder : own_run_folders()) {
    const std::filesystem::path other = folder / own.filename();
    if (other != own && InstanceLock::is_held(other)) {
      locks.emplace_back(other, what);  // is refused and names the process
    }
  }
  locks.emplace_back(own, what);
}

int run(const Options& options) {
  const LoopCpu loop_cpu(cpus_for_loop(options));
  prepare_threads(loop_cpu.number());
  // Before the device: its messages while it is opened are written even if the start fails.
  std::optional<MessageWriter> messages(std::in_place, "hapticd");
  Scene scene = read_scene(options.scene, options);
  check_daemon_name(options.name);
  if (!loop_cpu.warning().empty()) message::say(Priority::kWarning, "{}", loop_cpu.warning());

  MonotonicClock clock;
  if (options.calibrate) return calibrate(options, loop_cpu.number(), scene, clock);
  const std::unique_ptr<Device> device = make_device(scene.device, scene.servo_rate());
  if (auto* simulated = dynamic_cast<SimulatedDevice*>(device.get())) simulated->set_clock(clock);
  fit_to_device(scene, *device);
  SceneWorld world = make_scene_world(scene, &clock, TwoRateWorld::Threading::kApart);
  if (options.engage && device->capabilities().has_motors) {
    throw InputError("--engage", "", "found device " + std::string(device->capabilities().name),
                     "a simulated device (a real one is engaged by an operator)");
  }
  std::vector<std::string> warnings = warnings_of(scene, world);
  if (options.check) std::ranges::move(changed_defaults(scene), std::back_inserter(warnings));
  for (const std::string& warning : warnings) {
    if (options.check) {
      fmt::print(stderr, "hapticd: warning: {}: {}\n", printable(options.scene.string()),
                 printable(warning));
    } else {
      message::say(Priority::kWarning, "{}: {}", options.scene.string(), warning);
    }
  }
  if (options.check) {
    const World& checked = world.at_servo();
    std::uint32_t coordinates = 0;
    for (const BodyInfo& body : checked.bodies()) coordinates += body.coordinate_count;
    const std::size_t bodies = checked.bodies().size();
    fmt::print("{}: {} {}, {} reduced coordinates, {:g} Hz, device {}: good\n",
               printable(options.scene.string()), bodies, bodies == 1 ? "body" : "bodies",
               coordinates, scene.servo_rate(), device->capabilities().name);
    return kExitDone;
  }

  std::list<InstanceLock> locks;
  take_name(locks, options.name);
  if (device->capabilities().has_motors) {
    const std::string device_name(device->capabilities().name);
    locks.emplace_back(own_run_folder() / ("device." + device_name + ".lock"),
                       "--device " + device_name);
  }

  warn_without_black_box(options.black_box);
  require_open_files();
  Supervisor::block_signals();
  ignore_terminal_stops();
  const double servo_rate = scene.servo_rate();
  const std::uint64_t identity = device_identity(scene.device);
  auto running = std::make_unique<RunningScene>(std::move(scene), std::move(world), options,
                                                *device, clock, nullptr);
  CommandChannel channel;
  HapticCycle cycle(*device, running->servo(), clock, channel, servo_rate, options.engage);
  std::optional<PulseWriter> pulse(std::in_place, options.name,
                                   running->telemetry().header().instance, servo_rate);
  ServoLoop loop(cycle, clock, servo_rate, &*pulse);
  std::optional<Supervisor> supervisor(std::in_place, options, *device, identity, clock, cycle,
                                       loop, channel, running, Supervisor::RunFiles{locks, *pulse});

  handle_forbidden_calls();
  // The loops' threads exist before memory is locked, so that the lock covers their stacks.
  RealtimeReport report;
  std::promise<void> locked, prepared;
  std::promise<bool> go;
  const std::shared_future<void> memory = locked.get_future().share();
  const std::shared_future<bool> start = go.get_future().share();
  std::int64_t start_ns = 0, end_ns = 0;
  std::jthread servo([&] {
    memory.wait();
    prepare_loop_thread(loop_cpu.number(), options.priority, report);
    filter_loop_thread(options.call_filter, report);
    prepared.set_value();
    if (!start.get()) return;
    start_ns = clock.now_ns();
    loop.run(options.cycles);
    end_ns = clock.now_ns();
  });
  prepare_process(report);
  locked.set_value();
  prepared.get_future().wait();
  if (SimulationThread* simulation = running->simulation()) {
    for (const std::string& missing : simulation->prepare().missing) {
      report.missing.push_back("simulation thread: " + missing);
    }
  }
  const std::vector<std::string> shortcomings = device->shortcomings();
  report.missing.insert(report.missing.end(), shortcomings.begin(), shortcomings.end());
  if (!shortcomings.empty()) report.grants &= ~kGrantFifo;  // threads that carry the force, too
  if (LoopWatch::interposed()) report.grants |= kGrantAllocationsWatched;
  running->telemetry().set_grants(report.grants | (running->telemetry().header().grants &
                                                   (kGrantGuarded | kGrantMayGoUnguarded)));
  supervisor->watch_scheduling_of(report.thread, loop_cpu.number(), report.grants);
  try {
    report_realtime(report, options);
  } catch (...) {
    go.set_value(false);
    throw;
  }
  message::say(Priority::kInfo, "\"{}\" runs {} at {:g} Hz on device {}{}", options.name,
               options.scene.string(), servo_rate, device->capabilities().name,
               options.unguarded ? ", UNGUARDED (--unguarded)" : "");
  go.set_value(true);

  bool servo_stopped = false, supervised = true;
  try {
    servo_stopped = supervisor->run();
    supervised = supervisor->is_reachable();
  } catch (const std::exception& error) {
    // Signals would not be handled from here on: end the loop, then the process.
    message::say(Priority::kError, "the supervisor failed: {}", error.what());
    supervised = false;
    servo_stopped = stop_within(loop, 2.0 * kSecondsToStop);
  }
  SimulationThread* const simulation = running->simulation();
  if (!servo_stopped || (simulation != nullptr && !simulation->stop_within(kSecondsToStop))) {
    // The loop hangs in a cycle, so joining it would hang this thread too. The service's stop hook
    // and the kernel's release of the device follow after the exit.
    message::say(Priority::kError, "the {} does not stop; exiting without it",
                 servo_stopped ? "simulation" : "loop");
    messages.reset();
    _exit(kExitFailed);
  }
  servo.join();
  // The force is zero: if the exit is delayed from here on, the process may be killed.
  Supervisor::unblock_signals();
  try {
    const TelemetryReader telemetry(options.name, own_run_file(options.name, "telemetry"));
    const std::string table = final_table(telemetry, static_cast<double>(end_ns - start_ns) * 1e-9);
    std::fputs(table.c_str(), stdout);
  } catch (const std::exception& error) {
    message::say(Priority::kWarning, "the table of this run cannot be printed: {}", error.what());
  }
  if (!supervisor->settled_within(kSecondsToStop)) {
    // A scene is still being built: its thread cannot be stopped and is not waited for.
    std::fflush(nullptr);
    messages.reset();
    running.reset();
    pulse.reset();
    _exit(supervised ? kExitDone : kExitFailed);
  }
  return supervised ? kExitDone : kExitFailed;
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  haptic::prepare_process();
  CLI::App app("hapticd: haptic rendering of baked models in a real-time loop", "hapticd");
  haptic::set_help_format(app);
  haptic::Options options;
  haptic::add_options(app, options);
  haptic::refuse_empty_numbers(app);
  try {
    app.parse(argc, argv);
    return haptic::run(options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string word = haptic::unknown_word(app, argc, argv);
    return haptic::complain(
        word.empty() ? std::runtime_error(error.what()) : std::runtime_error(word),
        haptic::kExitBadInput);
  } catch (const haptic::InputError& error) {
    return haptic::complain(error, haptic::kExitBadInput);
  } catch (const std::exception& error) {
    return haptic::complain(error, haptic::kExitFailed);
  }
}
