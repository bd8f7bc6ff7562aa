#include "shared/ipc/warning_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "shared/ipc/shared_words.h"

namespace haptic {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

std::size_t place_of(const StateLayout& layout, std::string_view name, std::size_t absent) {
  const std::optional<std::size_t> block = layout.find(name);
  if (!block || !layout.blocks()[*block].is_number()) return absent;
  return layout.offset(*block);
}

}  // namespace

WarningWatch::WarningWatch(const StateLayout& layout, double rate_hz, std::uint32_t cycles_per_step)
    : gap_(static_cast<std::uint64_t>(std::ceil(WarningRecord::kSpellGap_s * rate_hz))),
      cycles_a_step_(cycles_per_step) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const PhysicalWarning& warning = kPhysicalWarnings[i];
    if (warning.source != WarningSource::kBlock) continue;
    const std::size_t over = place_of(layout, warning.over, kAbsent);
    if (!warning.over.empty() && over == kAbsent) continue;
    places_[i] = {place_of(layout, warning.block, kAbsent), over};
  }
}

double WarningWatch::value_of(std::size_t warning, const SampleRecord& sample,
                              std::span<const double> state) const HAPTIC_REALTIME {
  switch (kPhysicalWarnings[warning].source) {
    case WarningSource::kForceLimit: {
      constexpr std::uint32_t kCuts = kLimitedForce | kLimitedTorque | kLimitedPower;
      return (sample.limited & kCuts) != 0 ? 1.0 : 0.0;
    }
    case WarningSource::kWorldAge:
      return cycles_a_step_ > 1 ? static_cast<double>(sample.world_hand_age[0]) / cycles_a_step_
                                : kNoValue;
    case WarningSource::kBlock: {
      const Place& place = places_[warning];
      if (place.value >= state.size()) return kNoValue;
      if (place.over == kAbsent) return state[place.value];
      const double over = state[place.over];
      return over > kPhysicalWarnings[warning].smallest_over ? state[place.value] / over : kNoValue;
    }
  }
  return kNoValue;
}

void WarningWatch::observe(const SampleRecord& sample, std::span<const double> state,
                           std::span<WarningRecord, kPhysicalWarningCount> records) const
    HAPTIC_REALTIME {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const double value = value_of(i, sample, state);
    if (!(value >= kPhysicalWarnings[i].limit)) continue;  // also without a value
    WarningRecord record = records[i];                     // this thread is its only writer
    const bool follows = record.cycles > 0 && sample.cycle - record.last_cycle <= gap_;
    record.largest = record.cycles > 0 ? std::max(record.largest, value) : value;
    ++record.cycles;
    record.last_cycle = sample.cycle;
    record.spell = follows ? record.spell + 1 : 1;
    record.longest_spell = std::max(record.longest_spell, record.spell);
    store_words(&records[i], &record, sizeof record);
  }
}

}  // namespace haptic
