#include "host/offline/offline_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "host/log/log_writer.h"
#include "rt/device/hand_script.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/session/scene_session.h"
#include "rt/session/scene_world.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {
namespace {

/// The clock does not advance within a cycle: stages take no time and two runs are identical.
class OfflineClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now_ns_; }
  void sleep_until(std::int64_t deadline_ns) override { now_ns_ = deadline_ns; }

 private:
  std::int64_t now_ns_ = 0;
};

LogDescription describe(const Scene& scene, const World& world) {
  LogDescription description;
  description.source = "simulate";
  description.scene_path = std::filesystem::absolute(scene.file).lexically_normal().string();
  description.rate_hz = scene.servo_rate();
  description.length_scale = scene.length_scale;
  description.state = world.state_layout();
  for (const BodyInfo& info : world.bodies()) {
    description.bodies.push_back({info.name, info.model_path, info.model_hash,
                                  info.first_coordinate, info.coordinate_count, info.held});
  }
  return description;
}

/// Keeps what the cycle publishes until the log takes it, outside the cycle.
class OfflineSink final : public CycleSink {
 public:
  explicit OfflineSink(const StateLayout& layout)
      : state_(layout.cycle_values()),
        display_{0, 0, std::vector<float>(layout.display_values())} {}

  void publish(const SampleRecord&, std::span<const double> state) HAPTIC_REALTIME override {
    std::ranges::copy(state, state_.begin());
  }
  void publish_display(std::uint64_t cycle,
                       std::span<const std::span<const double>> blocks) HAPTIC_REALTIME override {
    display_.first_cycle = display_.last_cycle = cycle;
    auto to = display_.state.begin();
    for (const std::span<const double> block : blocks) {
      to = std::ranges::transform(block, to, [](double value) {
             return static_cast<float>(value);
           }).out;
    }
  }
  void publish_parameter(std::size_t, double) HAPTIC_REALTIME override {}
  Statistics& statistics() HAPTIC_REALTIME override { return *statistics_; }

  std::span<const double> state() const { return state_; }
  const DisplaySnapshot& display() const { return display_; }

 private:
  std::vector<double> state_;
  DisplaySnapshot display_;
  std::unique_ptr<Statistics> statistics_ = std::make_unique<Statistics>();
};

/// Follows the blocks of one number over a run.
class NumberTally {
 public:
  explicit NumberTally(const StateLayout& layout) {
    for (std::size_t i = 0; i < layout.blocks().size(); ++i) {
      const StateBlock& block = layout.blocks()[i];
      if (!block.is_number()) continue;
      offsets_.push_back(layout.offset(i));
      numbers_.push_back({block});
    }
  }
  /// @param state  values of the blocks of rate kCycle in one cycle
  void add(std::span<const double> state) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const double size = std::abs(state[offsets_[i]]);
      numbers_[i].largest = std::max(numbers_[i].largest, size);
      numbers_[i].nonzero_cycles += size != 0.0 ? 1 : 0;
    }
  }
  std::vector<NumberOverRun> take() { return std::move(numbers_); }

 private:
  std::vector<std::uint64_t> offsets_;  // as numbers_
  std::vector<NumberOverRun> numbers_;
};

}  // namespace

OfflineOutcome run_offline(const Scene& as_read, const OfflineSettings& settings,
                           const std::filesystem::path& log,
                           const std::function<void(double)>& progress) {
  Scene scene = as_read;
  SceneDevice hand = scene.device;
  hand.name = SceneDevice::kSimulated;  // offline, independent of the device that the scene names
  if (settings.trajectory) hand.script = *settings.trajectory;
  if (hand.script.empty()) {
    throw InputError(scene.file.string(), "device.script", "no hand trajectory",
                     "a script in the scene or --trajectory HAND.csv");
  }
  const double end_s =
      settings.seconds ? *settings.seconds : HandScript::load(hand.script).end_time();
  const auto cycles = static_cast<std::uint64_t>(std::floor(end_s * scene.servo_rate() + 0.5)) + 1;

  const std::unique_ptr<Device> device = make_device(hand, scene.servo_rate());
  limit_to_device(scene, device->capabilities());
  const SceneWorld scene_world =
      make_scene_world(scene, nullptr, TwoRateWorld::Threading::kTogether);
  World* const world = &scene_world.at_servo();
  OfflineClock clock;
  CommandChannel no_commands;
  OfflineSink sink(world->state_layout());
  HapticCycle::Settings cycle_settings;
  cycle_settings.rate_hz = scene.servo_rate();
  cycle_settings.limits = scene.limits;
  cycle_settings.passivity = scene.passivity;
  cycle_settings.engage_at_start = true;
  HapticCycle cycle(*device, *world, clock, no_commands, sink, cycle_settings);

  LogWriter writer(log, describe(scene, *world));
  Schedule schedule(std::llround(1e9 / scene.servo_rate()), 0);
  OfflineOutcome outcome;
  outcome.warnings = warnings_of(scene, scene_world);
  NumberTally numbers(world->state_layout());
  const auto cycles_a_display = static_cast<std::uint64_t>(
      std::ceil(std::max(scene.servo_rate() / TelemetryWriter::kDisplayRate_Hz, 1.0)));
  for (std::uint64_t i = 0; i < cycles; ++i) {
    clock.sleep_until(schedule.next_ns());
    cycle.run(schedule.take(clock.now_ns()), clock.now_ns());
    const SampleRecord& sample = cycle.sample();
    writer.append(sample, sink.state());
    if (i % cycles_a_display == 0) writer.append_display(sink.display());
    if (sample.state == ServoState::kFault) {
      writer.finish();
      throw OperationError(fmt::format(
          "{}: fault {} in cycle {} (the log contains the cycles before it)", scene.file.string(),
          describe_fault(sample.fault, *world, cycle.failed_body()), i));
    }
    numbers.add(sink.state());
    const double* f = sample.device_wrench.force_N;
    outcome.largest_force_N =
        std::max(outcome.largest_force_N, std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    if (progress && i % 256 == 0) progress(static_cast<double>(i) / static_cast<double>(cycles));
  }
  writer.finish();
  outcome.cycles = cycles;
  outcome.numbers = numbers.take();
  return outcome;
}

}  // namespace haptic
