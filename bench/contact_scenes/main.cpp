// Table 3.1 of Barbic 2007 on this machine (docs/methods/contact-and-coupling.md, A16): four pairs
// of bodies at its sizes under a scripted hand of a minute, through the daemon's own cycle and
// world.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/contact_scenes/case_report.h"
#include "bench/contact_scenes/contact_case.h"
#include "bench/contact_scenes/measured_case.h"
#include "lab/experiments/model_folder.h"
#include "rt/session/loop_cpu.h"
#include "rt/session/realtime_setup.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct Options {
  std::vector<std::string> names;
  std::uint64_t cycles = 60'000;
  std::uint32_t node_budget = 2500;  // that of Barbic 2007, 3.10.3, on a PC of 2007
  std::filesystem::path models = HAPTIC_SOURCE_FOLDER "/out/contact_scenes", meshes;
  std::string json, json_format = "json";
  bool realtime = false, prepare_only = false;
};

ModelFolder folder_of(const ContactCase& c, const Options& options) {
  return {std::filesystem::path(HAPTIC_SOURCE_FOLDER) / "scenes" / c.folder,
          options.models / c.folder, options.meshes, c.shapes};
}

void run(const Options& options) {
  RealtimeReport realtime;
  std::vector<MeasuredCase> measured;
  for (const ContactCase& c : contact_cases()) {
    if (!options.names.empty() && std::ranges::count(options.names, c.name) == 0) continue;
    prepare_models(folder_of(c, options), c.parts);
  }
  if (options.prepare_only) return;
  prepare_process(realtime);
  const LoopCpu cpu(options.realtime ? choices_for_loop() : std::vector<int>{});
  if (!cpu.warning().empty()) fmt::print(stderr, "{}\n", cpu.warning());
  prepare_loop_thread(cpu.number(), options.realtime ? 80 : 0, realtime);
  for (const std::string& what : realtime.missing) fmt::print(stderr, "{}\n", what);
  for (const ContactCase& c : contact_cases()) {
    if (!options.names.empty() && std::ranges::count(options.names, c.name) == 0) continue;
    fmt::print(stderr, "{}\n", c.name);
    measured.push_back(measure(c, options.models / c.folder, options.cycles, options.node_budget));
  }
  fmt::print("{}", text_of(measured));
  if (!options.json.empty()) write_json(options.json, measured);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  using haptic::contact_cases;
  haptic::Options options;
  CLI::App app("The contact cases of Barbic 2007, table 3.1, under a scripted hand",
               "bench_contact_scenes");
  std::vector<std::string> names;
  for (const auto& c : contact_cases()) names.push_back(c.name);
  app.add_option("--case", options.names, "these cases only")->check(CLI::IsMember(names));
  app.add_option("--cycles", options.cycles, "of each run")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{10'000'000}))
      ->capture_default_str();
  app.add_option("--node-budget", options.node_budget, "V_W where degradation is on")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--models", options.models, "folder of meshes and models, created on demand")
      ->capture_default_str();
  app.add_option("--meshes", options.meshes,
                 "folder of OBJ files, used instead of shapes of the catalogue")
      ->envname("HAPTIC_MESHES")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--prepare", options.prepare_only, "make the models and stop");
  app.add_flag("--realtime", options.realtime, "SCHED_FIFO, pinned to one processor");
  app.add_option("--json,--benchmark_out", options.json, "file for all figures");
  app.add_option("--benchmark_out_format", options.json_format, "of that file")
      ->check(CLI::IsMember({"json"}));
  CLI11_PARSE(app, argc, argv);
  try {
    haptic::run(options);
  } catch (const haptic::InputError& error) {
    fmt::print(stderr, "bench_contact_scenes: {}\n", error.what());
    return haptic::kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_contact_scenes: {}\n", error.what());
    return haptic::kExitFailed;
  }
  return haptic::kExitDone;
}
