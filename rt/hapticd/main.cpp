#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <limits>
#include <memory>
#include <thread>

#include "rt/hapticd/final_table.h"
#include "rt/hapticd/options.h"
#include "rt/hapticd/realtime_setup.h"
#include "rt/hapticd/scene_session.h"
#include "rt/hapticd/supervisor.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/loop_watch.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/servo/servo_loop.h"
#include "rt/worlds/make_world.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::filesystem::path default_black_box() {
  const char* folder = std::getenv("LOGS_DIRECTORY");  // set by systemd for LogsDirectory=
  return folder != nullptr ? std::filesystem::path(folder) : std::filesystem::temp_directory_path();
}

bool is_virtual(const Device& device) {
  return device.capabilities().name == "simulated" || device.capabilities().name == "replay";
}

void report_realtime(const RealtimeReport& report, const Options& options) {
  if (report.missing.empty()) return;
  const std::string missing = fmt::format("{}", fmt::join(report.missing, "; "));
  if (options.require_rt && !report.holds()) {
    throw OperationError("--require-rt: this machine does not give real time: " + missing);
  }
  fmt::print(stderr, "hapticd: NOT A REAL-TIME RUN: {}\n", missing);
}

int run(const Options& options) {
  Scene scene = load_scene(options.scene);
  if (!options.device.empty()) scene.device.name = options.device;
  if (!options.script.empty()) scene.device.script = std::filesystem::absolute(options.script);
  check_daemon_name(options.name);

  MonotonicClock clock;
  const std::unique_ptr<Device> device = make_device(scene.device, scene.rate_hz);
  limit_to_device(scene, device->capabilities());
  const std::unique_ptr<World> world = make_world(scene, &clock);
  if (options.engage && !is_virtual(*device)) {
    throw InputError("--engage", "", "found device " + std::string(device->capabilities().name),
                     "a simulated device (a real one is engaged by an operator)");
  }
  if (options.check) {
    fmt::print("{}: {} bodies, {} reduced coordinates, {:g} Hz, device {}: good\n",
               options.scene.string(), world->bodies().size(), world->coordinates().size(),
               scene.rate_hz, device->capabilities().name);
    return kExitDone;
  }

  const InstanceLock name_lock(segment_name(options.name, "lock"), "--name " + options.name);
  std::optional<InstanceLock> device_lock;
  if (!is_virtual(*device)) {
    const std::string device_name(device->capabilities().name);
    device_lock.emplace("/hapticd-device." + device_name, "--device " + device_name);
  }

  Supervisor::block_signals();
  const ServoLimits limits = servo_limits(scene.limits);
  TelemetryWriter telemetry(options.name, describe_session(scene, *device, *world));
  CommandChannel channel;
  HapticCycle cycle(*device, *world, clock, channel, telemetry,
                    {scene.rate_hz, limits, options.engage, scene.passivity});
  ServoLoop loop(cycle, clock, telemetry, scene.rate_hz);
  ServoLimits ceiling;
  ceiling.force = device->capabilities().max_force;
  ceiling.torque = device->capabilities().max_torque;
  const ParameterTable parameters(*world, ceiling);
  Supervisor supervisor(options, loop, channel, parameters, telemetry);

  // The loop's thread exists before memory is locked, so that the lock covers its stack.
  RealtimeReport report;
  std::promise<void> locked, prepared;
  std::promise<bool> go;
  std::int64_t start_ns = 0, end_ns = 0;
  std::jthread servo([&, memory = locked.get_future(), start = go.get_future()]() mutable {
    memory.wait();
    prepare_loop_thread(options.cpu.value_or(default_loop_cpu()), options.priority, report);
    prepared.set_value();
    if (!start.get()) return;
    start_ns = clock.now_ns();
    loop.run(options.cycles);
    end_ns = clock.now_ns();
  });
  prepare_process(report);
  locked.set_value();
  prepared.get_future().wait();
  if (LoopWatch::interposed()) report.grants |= kGrantAllocationsWatched;
  telemetry.set_grants(report.grants);
  try {
    report_realtime(report, options);
  } catch (...) {
    go.set_value(false);
    throw;
  }
  fmt::print(stderr, "hapticd: \"{}\" runs {} at {:g} Hz on device {}\n", options.name,
             options.scene.string(), scene.rate_hz, device->capabilities().name);
  go.set_value(true);

  if (!supervisor.run()) {
    // The loop hangs in a cycle: joining it would hang us too. The service's stop hook and the
    // kernel's release of the device take over.
    fmt::print(stderr, "hapticd: the loop does not stop; leaving without it\n");
    std::fflush(nullptr);
    _exit(kExitFailed);
  }
  servo.join();
  fmt::print("{}", final_table(TelemetryReader(options.name),
                               static_cast<double>(end_ns - start_ns) * 1e-9));
  return kExitDone;
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  CLI::App app("hapticd: haptic rendering of baked models in a real-time loop");
  haptic::Options options;
  options.black_box = haptic::default_black_box();
  app.add_option("--scene", options.scene, "scene to run (TOML)")->required();
  app.add_option("--device", options.device, "device instead of the scene's");
  app.add_option("--script", options.script, "hand script (CSV) for the simulated device");
  app.add_option("--cycles", options.cycles, "end after so many cycles")
      ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()));
  app.add_flag("--check", options.check, "validate scene, models and device, then exit");
  app.add_flag("--require-rt", options.require_rt,
               "fail unless PREEMPT_RT, SCHED_FIFO and locked memory hold");
  app.add_flag("--engage", options.engage, "engage at the start (simulated devices only)");
  app.add_option("--name", options.name, "name of this daemon's shared memory")
      ->capture_default_str();
  app.add_option("--cpu", options.cpu, "CPU of the loop; -1: not pinned")
      ->check(CLI::Range(-1, 1023));
  app.add_option("--priority", options.priority, "SCHED_FIFO priority of the loop; 0: ordinary")
      ->check(CLI::Range(0, 99))
      ->capture_default_str();
  app.add_option("--black-box", options.black_box, "folder for fault records")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    return haptic::run(options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "hapticd: {}\n", error.what());
    return haptic::kExitBadInput;
  } catch (const haptic::InputError& error) {
    fmt::print(stderr, "hapticd: {}\n", error.what());
    return haptic::kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "hapticd: {}\n", error.what());
    return haptic::kExitFailed;
  }
}
