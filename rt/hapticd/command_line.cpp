#include "rt/hapticd/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "rt/servo/call_filter.h"
#include "shared/command_line/number_checks.h"

namespace haptic {
namespace {

std::filesystem::path default_black_box() {
  // Set by systemd for LogsDirectory=.
  if (const char* folder = std::getenv("LOGS_DIRECTORY")) return folder;
  std::error_code error;  // TMPDIR may name a folder that does not exist
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder;
}

/// 1 or more; CLI11 takes -5 for a large unsigned number.
const CLI::Validator& whole_number_above_0() {
  static const CLI::Validator validator(
      [](std::string& text) {
        const bool digits = !text.empty() && text.size() < 19 &&
                            text.find_first_not_of("0123456789") == std::string::npos;
        return digits && text.find_first_not_of('0') != std::string::npos
                   ? std::string()
                   : fmt::format("found {}, expected a whole number above 0", text);
      },
      "above 0");
  return validator;
}

void show_allowed_calls() {
  std::string text = "The loops may make these system calls and no other:\n";
  for (const AllowedCall& call : allowed_calls()) {
    text += fmt::format("  {:<16} {}\n", call.name, call.why);
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
  app.footer(
      "Examples:\n"
      "  hapticd --scene scene.toml --check\n"
      "  hapticd --scene scene.toml --engage --cycles 5000\n"
      "  hapticd --scene scene.toml --require-rt --cpu 3");
  app.set_version_flag("--version", "hapticd " HAPTIC_VERSION, "print the version and exit");
  app.add_option("--scene", options.scene, "scene to run (TOML)")->required();
  app.add_option("--device", options.device, "device to use instead of that of the scene");
  app.add_option("--script", options.script, "hand script (CSV) for the simulated device");
  app.add_option("--cycles", options.cycles, "exit after this many cycles")
      ->check(whole_number_above_0());
  app.add_flag("--check", options.check, "validate scene, models and device, then exit");
  app.add_flag("--calibrate", options.calibrate,
               "measure the scene's computing time on this machine, print it, then exit");
  app.add_flag("--require-rt", options.require_rt,
               "fail unless PREEMPT_RT, SCHED_FIFO and locked memory are available");
  app.add_flag("!--no-call-filter", options.call_filter,
               "allow all system calls in the loops (by default a call that the loops do not need "
               "is refused and is a fault)");
  app.add_flag_callback(
         "--show-calls",
         [] {
           show_allowed_calls();
           throw CLI::Success();
         },
         "print the system calls that the loops may make, then exit")
      ->trigger_on_parse();
  app.add_flag("--engage", options.engage, "engage at the start (simulated devices only)");
  app.add_flag(
      "--home", options.home,
      "home the device at the start, without waiting for `haptic home`; an operator must be at "
      "the device");
  app.add_flag("--unguarded", options.unguarded,
               "allow a real device to be engaged without a running hapticd-guard for it");
  app.add_option_function<double>(
         "--guard-ms", [&options](double ms) { options.guard_patience_s = ms * 1e-3; },
         "longest pause between two beats of the guard [ms] before it counts as lost")
      ->check(number_in(5.0, 1e5))
      ->default_str(fmt::format("{:g}", options.guard_patience_s * 1e3));
  app.add_option("--name", options.name, "name of this daemon in its run folder")
      ->capture_default_str();
  app.add_option("--cpu", options.cpu, "CPU of the loop; -1: not pinned")
      ->check(CLI::Range(-1, 1023));
  app.add_option("--simulation-cpu", options.simulation_cpu,
                 "CPU of the world's thread in a scene with servo_rate_hz; -1: not pinned")
      ->check(CLI::Range(-1, 1023));
  app.add_option("--priority", options.priority, "SCHED_FIFO priority of the loop; 0: ordinary")
      ->check(CLI::Range(0, 99))
      ->capture_default_str();
  options.black_box = default_black_box();
  app.add_option("--black-box", options.black_box, "folder for fault records")
      ->capture_default_str();
}

}  // namespace haptic
