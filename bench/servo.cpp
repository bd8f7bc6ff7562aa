// Cost of the servo in a cycle, in nanoseconds: limits, energy observer, telemetry,
// histograms, and the whole cycle with a trivial world. For comparison the clock,
// of which a cycle takes ten readings, and a copy of the bytes that a sample publishes.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "lab/samples/spring_wall.h"
#include "rt/coupling/passivity_controller.h"
#include "rt/device/hand_script.h"
#include "rt/device/simulated_device.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/servo/output_guard.h"
#include "rt/worlds/body_blocks.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {
namespace {

constexpr std::size_t kBodies = 2;

TelemetryDescription description(std::uint32_t coordinates) {
  TelemetryDescription d;
  d.device = "bench";
  for (std::size_t i = 0; i < kBodies; ++i) {
    d.bodies.push_back(make_body_record(fmt::format("body{}", i), "", 0, 0, 0, i == 0));
  }
  d.state = StateLayout(body_blocks(kBodies, coordinates));
  return d;
}

/// A sample into the ring, with poses and the coordinates of a deformable body.
void publish(benchmark::State& state) {
  const auto coordinates = static_cast<std::uint32_t>(state.range(0));
  TelemetryWriter writer(fmt::format("bench-servo-{}", getpid()), description(coordinates));
  const std::vector<double> values(7 * kBodies + coordinates, 0.001);
  SampleRecord sample{};
  for (auto _ : state) {
    ++sample.cycle;
    writer.publish(sample, values);
  }
}
BENCHMARK(publish)->ArgName("coordinates")->Arg(0)->Arg(15)->Arg(60);

/// Floor: the same bytes to a ring as large, without any order.
void copy_of_a_sample(benchmark::State& state) {
  const auto coordinates = static_cast<std::size_t>(state.range(0));
  const std::size_t bytes = sizeof(SampleRecord) + (7 * kBodies + coordinates) * sizeof(double);
  std::vector<char> source(bytes, 1), ring(bytes * 4096);
  std::size_t at = 0;
  for (auto _ : state) {
    std::memcpy(ring.data() + at * bytes, source.data(), bytes);
    benchmark::ClobberMemory();
    at = (at + 1) % 4096;
  }
}
BENCHMARK(copy_of_a_sample)->ArgName("coordinates")->Arg(0)->Arg(15)->Arg(60);

/// All limits on, the force near its limit.
void limits(benchmark::State& state) {
  ServoLimits settings;
  settings.slew_N_per_s = 1000.0;
  settings.speed = 2.0;
  settings.workspace_radius = 0.2;
  OutputGuard guard(settings, 1e-3);
  DeviceState hand;
  Wrench wanted;
  double t = 0.0;
  for (auto _ : state) {
    wanted.force = {9.0 * std::cos(t), 1.0, 0.5};
    benchmark::DoNotOptimize(guard.check_hand(hand));
    benchmark::DoNotOptimize(guard.shape(wanted, 1.0));
    t += 1e-3;
  }
}
BENCHMARK(limits);

void energy_observer(benchmark::State& state) {
  PassivitySettings settings;
  settings.enabled = true;
  PassivityController passivity(settings, 1e-3, true);
  Pose hand;
  passivity.begin(hand);
  Wrench wanted;
  double t = 0.0;
  for (auto _ : state) {
    hand.position.z() = 1e-3 * std::sin(t);
    wanted.force.z() = -400.0 * hand.position.z();
    passivity.observe(hand);
    const Wrench added = passivity.control(wanted, 0.0, 0.0);
    passivity.sent({wanted.force + added.force, added.torque});
    t += 1e-2;
  }
}
BENCHMARK(energy_observer);

void histogram(benchmark::State& state) {
  Histogram histogram{};
  std::int64_t ns = 1;
  for (auto _ : state) {
    histogram.record(ns);
    ns = (ns * 7 + 13) & 0xfffff;
  }
  benchmark::DoNotOptimize(histogram);
}
BENCHMARK(histogram);

void read_clock(benchmark::State& state) {
  const MonotonicClock clock;
  for (auto _ : state) benchmark::DoNotOptimize(clock.now_ns());
}
BENCHMARK(read_clock);

/// sense, couple, touch, move, feel, publish with the simulated device and a spring for a world.
void whole_cycle(benchmark::State& state) {
  MonotonicClock clock;
  VirtualClock world_time;
  SpringWall world(world_time);
  SimulatedDevice device(HandScript(), 1e4);
  TelemetryWriter telemetry(fmt::format("bench-servo-{}", getpid()), description(2));
  CommandChannel channel;
  HapticCycle cycle(device, world, clock, channel, telemetry, {1e4, {}, true});
  Schedule schedule(100'000, 0);
  for (auto _ : state) cycle.run(schedule.take(schedule.next_ns()), clock.now_ns());
}
BENCHMARK(whole_cycle);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();
