#include "lab/experiments/scripted_run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "lab/samples/state_value.h"
#include "lab/timing/off_processor.h"
#include "rt/device/hand_script.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/loop_watch.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/session/scene_session.h"
#include "rt/worlds/body_blocks.h"
#include "rt/worlds/make_world.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {
namespace {

rusage usage_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

/// Touches all memory that the cycles will write, so that no cycle causes a page fault.
std::size_t poses_block(const World& world) {
  return world.state_layout().find(StateLayout::kBodyPoses).value();
}
std::size_t coordinates_block(const World& world) {
  return world.state_layout().find(StateLayout::kBodyCoordinates).value();
}

std::vector<RecordedState> empty_states(const World& world, std::uint64_t cycles) {
  const RecordedState state{std::vector<Pose>(world.bodies().size()),
                            std::vector<double>(world.state(coordinates_block(world)).size(), 0.0)};
  return std::vector<RecordedState>(cycles, state);
}

/// Only for a cycle in contact is the level it needs known.
void count_levels(const std::vector<double>& levels, const std::vector<double>& contacts,
                  double rate_hz, ScriptedRun& run) {
  std::vector<double> of_contact;
  double changes = 0.0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (contacts[i] == 0.0) continue;
    of_contact.push_back(levels[i]);
    changes += i > 0 && contacts[i - 1] > 0.0 && levels[i] != levels[i - 1] ? 1.0 : 0.0;
  }
  if (of_contact.empty()) return;
  run.level_changes_per_s = changes / (static_cast<double>(of_contact.size()) / rate_hz);
  std::sort(of_contact.begin(), of_contact.end());
  run.least_level = static_cast<std::uint32_t>(of_contact.front());
  run.median_level = static_cast<std::uint32_t>(of_contact[of_contact.size() / 2]);
}

}  // namespace

Quantiles quantiles_of(std::vector<double>& values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double p) {
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {at(0.5), at(0.99), at(0.999), values.back(), sum / static_cast<double>(values.size())};
}

ScriptedRun run_script(const Scene& scene, std::uint64_t cycles, std::vector<RecordedState>* record,
                       CycleTrace* trace) {
  MonotonicClock clock;
  const std::unique_ptr<World> world = make_world(scene, &clock);
  const std::unique_ptr<Device> device = make_device(scene.device, scene.rate_hz);
  TelemetryWriter telemetry(fmt::format("contact-scenes-{}", getpid()),
                            describe_session(scene, *device, *world));
  CommandChannel channel;
  ServoLimits limits = scene.limits;
  limits.overload_slots = ~std::uint64_t{0};
  limits.overload_fraction = ServoLimits::kNone;  // long cycles are measured here and are no fault
  HapticCycle cycle(*device, *world, clock, channel, telemetry, {scene.rate_hz, limits, true});
  Schedule schedule(std::llround(1e9 / scene.rate_hz), 0);

  ScriptedRun run;
  OffProcessor watch;
  std::vector<double> couple(cycles), touch(cycles), move(cycles), publish(cycles), total(cycles),
      visited(cycles), contacts(cycles), levels(cycles);
  std::vector<Vector3> force(trace != nullptr ? cycles : 0, Vector3::Zero());
  if (record != nullptr) *record = empty_states(*world, cycles);
  const std::uint64_t allocations = LoopWatch::allocations();
  for (std::uint64_t i = 0; i < cycles; ++i) {
    const rusage before = usage_of_this_thread();
    watch.begin();
    cycle.run(schedule.take(schedule.next_ns()), clock.now_ns());
    watch.end();
    const rusage after = usage_of_this_thread();
    const SampleRecord& sample = cycle.sample();
    if (sample.state == ServoState::kFault) {
      throw OperationError(
          fmt::format("{}: fault '{}' in cycle {}", scene.file.string(), name(sample.fault), i));
    }
    couple[i] = 1e-3 * static_cast<double>(sample.couple_ns);
    touch[i] = 1e-3 * static_cast<double>(sample.touch_ns);
    move[i] = 1e-3 * static_cast<double>(sample.move_ns);
    publish[i] = 1e-3 * static_cast<double>(sample.publish_ns);
    total[i] = 1e-3 * static_cast<double>(sample.total_ns);
    visited[i] = state_value(*world, "contact/visited_nodes");
    contacts[i] = state_value(*world, "contact/points");
    levels[i] = state_value(*world, "contact/level");
    if (trace != nullptr) force[i] = Vector3(sample.contact_wrench.force_N);
    run.in_contact += contacts[i] > 0.0 ? 1 : 0;
    run.page_faults += static_cast<std::uint64_t>(after.ru_minflt - before.ru_minflt +
                                                  after.ru_majflt - before.ru_majflt);
    if (watch.interrupted()) {
      ++run.interrupted;
    } else {
      run.longest_uninterrupted = std::max(run.longest_uninterrupted, total[i]);
      run.longest_touch = std::max(run.longest_touch, touch[i]);
    }
    if (record != nullptr) {
      const std::span<const double> poses = world->state(poses_block(*world));
      for (std::size_t b = 0; b < world->bodies().size(); ++b) {
        (*record)[i].poses[b] = read_pose(poses.subspan(7 * b).first<7>());
      }
      std::ranges::copy(world->state(coordinates_block(*world)), (*record)[i].coordinates.begin());
    }
  }
  if (trace != nullptr) *trace = {touch, visited, contacts, levels, force};
  count_levels(levels, contacts, scene.rate_hz, run);
  std::vector<double> per_visit;
  for (std::uint64_t i = 0; i < cycles; ++i) {
    if (visited[i] >= 100.0) per_visit.push_back(touch[i] / visited[i]);
  }
  run.us_per_visit = quantiles_of(per_visit).p50;
  run.cycles = cycles;
  run.allocations = LoopWatch::allocations() - allocations;
  run.allocations_watched = LoopWatch::interposed();
  run.couple = quantiles_of(couple);
  run.touch = quantiles_of(touch);
  run.move = quantiles_of(move);
  run.publish = quantiles_of(publish);
  run.total = quantiles_of(total);
  run.visited = quantiles_of(visited);
  run.contacts = quantiles_of(contacts);
  return run;
}

}  // namespace haptic
