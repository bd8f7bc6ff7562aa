// One haptic cycle by stage for the shipped scenes, as fast as it runs (no waiting for a slot): the
// hand script from its first to its last pose. Medians and tails over all cycles, together with the
// cost of reading the clock in the same run. Needs the models of scenes/bake.sh.
//
// usage: bench_cycle_stages [benchmark flags]; HAPTIC_SCENES overrides the scenes' folder

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lab/samples/state_value.h"
#include "rt/device/hand_script.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/session/scene_session.h"
#include "rt/worlds/make_world.h"
#include "rt/worlds/scene_device.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {
namespace {

std::filesystem::path scenes_folder() {
  const char* folder = std::getenv("HAPTIC_SCENES");
  return folder != nullptr ? folder : HAPTIC_SCENES_FOLDER;
}

class StageTally {
 public:
  explicit StageTally(std::string name) : name_(std::move(name)) {}
  void add(std::int64_t ns) { us_.push_back(1e-3 * static_cast<double>(ns)); }
  void report(benchmark::State& state) {
    std::sort(us_.begin(), us_.end());
    const auto at = [&](double p) {
      return us_[static_cast<std::size_t>(p * static_cast<double>(us_.size() - 1))];
    };
    state.counters[name_ + "_p50_us"] = at(0.5);
    state.counters[name_ + "_p99_us"] = at(0.99);
    state.counters[name_ + "_p999_us"] = at(0.999);
    state.counters[name_ + "_max_us"] = us_.back();
  }

 private:
  std::string name_;
  std::vector<double> us_;
};

void run_scene(benchmark::State& state, const std::string& name) {
  const Scene scene = load_scene(scenes_folder() / name / "scene.toml");
  const auto cycles =
      static_cast<std::uint64_t>(HandScript::load(scene.device.script).end_time() * scene.rate_hz);
  for (auto _ : state) {
    MonotonicClock clock;
    const std::unique_ptr<World> world = make_world(scene, &clock);
    const std::unique_ptr<Device> device = make_device(scene.device, scene.rate_hz);
    TelemetryWriter telemetry(fmt::format("bench-{}", getpid()),
                              describe_session(scene, *device, *world));
    CommandChannel channel;
    ServoLimits limits = scene.limits;
    limits.overload_slots = ~std::uint64_t{0};
    limits.overload_fraction =
        ServoLimits::kNone;  // long cycles are measured here and are no fault
    HapticCycle cycle(*device, *world, clock, channel, telemetry, {scene.rate_hz, limits, true});
    Schedule schedule(std::llround(1e9 / scene.rate_hz), 0);

    StageTally couple("couple"), touch("touch"), move("move"), feel("feel"), publish("publish"),
        total("total");
    std::uint64_t in_contact = 0;
    double most_contacts = 0.0, most_nodes = 0.0;
    for (std::uint64_t i = 0; i < cycles; ++i) {
      cycle.run(schedule.take(schedule.next_ns()), clock.now_ns());
      const SampleRecord& sample = cycle.sample();
      couple.add(sample.couple_ns);
      touch.add(sample.touch_ns);
      move.add(sample.move_ns);
      feel.add(sample.feel_ns);
      publish.add(sample.publish_ns);
      total.add(sample.total_ns);
      const double contacts = state_value(*world, "contact/points");
      in_contact += contacts > 0.0 ? 1 : 0;
      most_contacts = std::max(most_contacts, contacts);
      most_nodes = std::max(most_nodes, state_value(*world, "contact/visited_nodes"));
    }
    for (StageTally* tally : {&couple, &touch, &move, &feel, &publish, &total}) {
      tally->report(state);
    }
    state.counters["cycles"] = static_cast<double>(cycles);
    state.counters["cycles_in_contact"] = static_cast<double>(in_contact);
    state.counters["contacts_max"] = most_contacts;
    state.counters["nodes_max"] = most_nodes;
  }
}

void read_clock(benchmark::State& state) {
  const MonotonicClock clock;
  for (auto _ : state) benchmark::DoNotOptimize(clock.now_ns());
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("clock_now", haptic::read_clock);
  for (const char* scene : {"spoon_ball", "bridge_box", "hose_bolt", "bin"}) {
    benchmark::RegisterBenchmark(scene, haptic::run_scene, scene)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  try {
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cycle_stages: {} (scenes/bake.sh makes the models)\n", error.what());
    return 2;
  }
  return 0;
}
