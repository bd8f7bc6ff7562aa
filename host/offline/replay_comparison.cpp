#include "host/offline/replay_comparison.h"

namespace haptic {

void ReplayComparison::note(const std::string& name, Column& column, std::uint64_t cycle,
                            double difference) {
  if (difference == 0.0) return;
  if (!first_) first_ = {cycle, name};
  if (!(difference <= column.largest)) column.largest = difference;
}

std::map<std::string, double> ReplayComparison::largest() const {
  std::map<std::string, double> result;
  for (const auto& [name, column] : columns_) result[name] = column.largest;
  return result;
}

}  // namespace haptic
