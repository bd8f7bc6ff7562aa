// Cost of the step of a whole condensed world: coupling of the hand, detection, contact, motion.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "host/files/replace_file.h"
#include "lab/experiments/scripted_run.h"
#include "lab/experiments/static_dynamic.h"
#include "lab/timing/off_processor.h"
#include "rt/device/hand_script.h"
#include "rt/worlds/condensed/condensed_world.h"
#include "shared/error.h"

namespace haptic {

void report_world_steps(Experiment& experiment, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path shipped = fs::path(HAPTIC_SOURCE_FOLDER) / "scenes/condensed";
  for (const char* name :
       {"cube_scene.toml", "hand_scene.toml", "hand_cube.csv", "hand_palm.csv"}) {
    std::ifstream in(shipped / name, std::ios::binary);
    replace_file(folder / name, {std::string(std::istreambuf_iterator<char>(in), {})});
  }
  ResultTable table(
      {"scene", "coupling", "cycles", "in contact", "timed", "p50 us", "p99 us", "max us"});
  for (const char* name : {"cube", "hand"}) {
    for (const auto coupling : {condensed::CondensedSettings::Coupling::kStatics,
                                condensed::CondensedSettings::Coupling::kMultipliers}) {
      Scene scene = load_scene(folder / (std::string(name) + "_scene.toml"));
      scene.rate_hz = 1000.0;
      condensed::CondensedSettings& published = condensed::edit_condensed(scene);
      published.coupling = coupling;
      published.integrator = condensed::ModalIntegrator::kImplicit;
      condensed::CondensedWorld world(scene, nullptr);
      const HandScript hand = HandScript::load(scene.device.script);
      const double end = experiment.quick() ? 1.2 : hand.end_time();
      std::vector<double> us;
      OffProcessor watch;
      int cycles = 0, pressing = 0;
      for (; cycles * 1e-3 < end; ++cycles) {
        DeviceState state;
        state.pose = hand.pose(cycles * 1e-3);
        state.twist = hand.twist(cycles * 1e-3);
        WorldOutput output;
        watch.begin();
        const WorldStatus status = world.step(state, output);
        watch.end();
        if (status != WorldStatus::kOk) {
          throw OperationError(fmt::format("{}: the step failed in cycle {}", name, cycles));
        }
        if (output.contact_wrench.force.norm() == 0.0) continue;
        ++pressing;
        if (!watch.interrupted()) us.push_back(watch.elapsed_us());
      }
      experiment.at_least(fmt::format("{}: cycles in contact", name), pressing, 100.0);
      const std::size_t timed = us.size();
      const Quantiles cost = quantiles_of(us);
      table.add(
          {name,
           coupling == condensed::CondensedSettings::Coupling::kStatics ? "method 1" : "method 2",
           fmt::format("{}", cycles), fmt::format("{}", pressing), fmt::format("{}", timed),
           fmt::format("{:.1f}", cost.p50), fmt::format("{:.1f}", cost.p99),
           fmt::format("{:.1f}", cost.max)});
    }
  }
  experiment.report("The world's step at 1 kHz with a stylus: cycles in contact", table, "world");
}

}  // namespace haptic
