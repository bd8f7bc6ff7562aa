#include "host/offline/offline_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

/// Keeps what the cycle publishes until the caller takes it, outside the cycle.
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

Scene limited(Scene scene, const Device& device) {
  limit_to_device(scene, device.capabilities());
  return scene;
}

HapticCycle::Settings settings_of(const Scene& scene) {
  HapticCycle::Settings settings;
  settings.rate_hz = scene.servo_rate();
  settings.limits = scene.limits;
  settings.passivity = scene.passivity;
  settings.engage_at_start = true;
  return settings;
}

}  // namespace

struct OfflineCycle::Parts {
  Parts(const Scene& as_read, Device& device)
      : scene(limited(as_read, device)),
        worlds(make_scene_world(scene, nullptr, TwoRateWorld::Threading::kTogether)),
        sink(worlds.at_servo().state_layout()),
        cycle(device, worlds.at_servo(), clock, no_commands, sink, settings_of(scene)),
        parameters(worlds.at_servo(), device.capabilities(), scene.servo_rate()),
        schedule(std::llround(1e9 / scene.servo_rate()), 0) {}

  Scene scene;
  SceneWorld worlds;
  OfflineClock clock;
  CommandChannel no_commands;
  OfflineSink sink;
  HapticCycle cycle;
  ParameterTable parameters;
  Schedule schedule;
  std::uint64_t cycles = 0;
};

OfflineCycle::OfflineCycle(const Scene& as_read, Device& device)
    : parts_(std::make_unique<Parts>(as_read, device)) {}

OfflineCycle::~OfflineCycle() = default;

void OfflineCycle::run() {
  Parts& p = *parts_;
  if (p.cycle.state() != ServoState::kFault) {
    p.clock.sleep_until(p.schedule.next_ns());
    p.cycle.run(p.schedule.take(p.clock.now_ns()), p.clock.now_ns());
    ++p.cycles;
  }
  if (p.cycle.state() == ServoState::kFault) {
    throw OperationError(fmt::format(
        "{}: fault {} in cycle {}", p.scene.file.string(),
        describe_fault(p.cycle.sample().fault, p.worlds.at_servo(), p.cycle.failed_body()),
        p.cycles - 1));
  }
}

const SampleRecord& OfflineCycle::sample() const {
  return parts_->cycle.sample();
}
std::span<const double> OfflineCycle::state() const {
  return parts_->sink.state();
}
const DisplaySnapshot& OfflineCycle::display() const {
  return parts_->sink.display();
}
const ParameterTable& OfflineCycle::parameters() const {
  return parts_->parameters;
}
double OfflineCycle::parameter(std::size_t index) const {
  return parts_->cycle.parameter(index);
}
CommandReply OfflineCycle::set(std::size_t index, double value) {
  ServoCommand command;
  command.kind = CommandKind::kSet;
  command.parameter = static_cast<std::uint32_t>(index);
  command.value = value;
  return parts_->cycle.execute(command);
}
const Scene& OfflineCycle::scene() const {
  return parts_->scene;
}
World& OfflineCycle::world() {
  return parts_->worlds.at_servo();
}
const World& OfflineCycle::simulated() const {
  return *parts_->worlds.simulated;
}
std::uint64_t OfflineCycle::cycles() const {
  return parts_->cycles;
}
std::vector<std::string> OfflineCycle::warnings() const {
  return warnings_of(parts_->scene, parts_->worlds);
}
std::vector<WarningFinding> OfflineCycle::physical_warnings() const {
  return find_warnings(warning_records(), parts_->scene.servo_rate());
}
std::array<WarningRecord, kPhysicalWarningCount> OfflineCycle::warning_records() const {
  return std::to_array(parts_->sink.statistics().warnings);
}
std::uint64_t OfflineCycle::cycles_a_display() const {
  return static_cast<std::uint64_t>(
      std::ceil(std::max(parts_->scene.servo_rate() / TelemetryWriter::kDisplayRate_Hz, 1.0)));
}

SceneDevice simulated_hand(const Scene& scene) {
  SceneDevice hand = scene.device;
  hand.name = SceneDevice::kSimulated;
  return hand;
}

}  // namespace haptic
