#include "host/offline/offline_run.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "host/log/log_writer.h"
#include "shared/error.h"

namespace haptic {
namespace {

LogDescription describe(ScriptedCycles& run) {
  const Scene& scene = run.cycle().scene();
  LogDescription description;
  description.source = "simulate";
  description.scene_path = std::filesystem::absolute(scene.file).lexically_normal().string();
  description.rate_hz = scene.servo_rate();
  description.length_scale = scene.length_scale;
  description.device_stiffness_N_m = run.device().max_stiffness;
  description.state = run.cycle().world().state_layout();
  description.bodies = run.bodies();
  return description;
}

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
  ScriptedCycles run(as_read, settings);
  OfflineCycle& cycle = run.cycle();
  const std::uint64_t cycles = run.count();
  LogWriter writer(log, describe(run));
  OfflineOutcome outcome;
  outcome.warnings = cycle.warnings();
  NumberTally numbers(cycle.world().state_layout());
  for (std::uint64_t i = 0; i < cycles; ++i) {
    std::string fault;
    try {
      cycle.run();
    } catch (const OperationError& error) {
      fault = error.what();
    }
    const SampleRecord& sample = cycle.sample();
    writer.append(sample, cycle.state());
    if (i % cycle.cycles_a_display() == 0) writer.append_display(cycle.display());
    if (!fault.empty()) {
      writer.finish();
      throw FaultedRun(fault + " (the log contains the cycles before it)",
                       cycle.physical_warnings());
    }
    numbers.add(cycle.state());
    const double* f = sample.device_wrench.force_N;
    outcome.largest_force_N =
        std::max(outcome.largest_force_N, std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    if (progress) progress(static_cast<double>(i) / static_cast<double>(cycles));
  }
  writer.finish();
  outcome.cycles = cycles;
  outcome.numbers = numbers.take();
  outcome.physical_warnings = cycle.physical_warnings();
  return outcome;
}

}  // namespace haptic
