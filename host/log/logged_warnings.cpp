#include "host/log/logged_warnings.h"

#include <algorithm>
#include <array>
#include <string>

#include "shared/ipc/warning_watch.h"

namespace haptic {
namespace {

/// Blocks of the log that a warning reads.
std::vector<StateBlock> watched_blocks(const StateLayout& layout) {
  std::vector<StateBlock> watched;
  for (const StateBlock& block : layout.blocks()) {
    const auto reads = [&block](const PhysicalWarning& warning) {
      return warning.block == block.name || warning.over == block.name;
    };
    if (block.is_number() && std::ranges::any_of(kPhysicalWarnings, reads))
      watched.push_back(block);
  }
  return watched;
}

}  // namespace

std::vector<WarningFinding> logged_warnings(const LogReader& log) {
  const StateLayout watched(watched_blocks(log.description().state));
  std::vector<std::vector<double>> columns;
  for (const StateBlock& block : watched.blocks()) {
    columns.push_back(log.column("/state/" + block.name));
  }
  const std::vector<double> cycles = log.cycles(), limited = log.column("/samples/limited");
  const double rate_hz = log.description().rate_hz;
  const WarningWatch watch(watched, rate_hz, 0);
  std::array<WarningRecord, kPhysicalWarningCount> records{};
  SampleRecord sample{};
  std::vector<double> state(columns.size());
  for (std::uint64_t row = 0; row < log.rows(); ++row) {
    sample.cycle = static_cast<std::uint64_t>(cycles[row]);
    sample.limited = static_cast<std::uint32_t>(limited[row]);
    for (std::size_t i = 0; i < columns.size(); ++i) state[i] = columns[i][row];
    watch.observe(sample, state, records);
  }
  return find_warnings(records, rate_hz);
}

}  // namespace haptic
