#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/ipc/histogram.h"

namespace haptic {

/// Labels of a value: name and value, in order; values may hold anything.
using MetricLabels = std::vector<std::pair<std::string_view, std::string>>;

/// Writes metrics in the text format of Prometheus, version 0.0.4.
class MetricLines {
 public:
  /// @param common labels of every value
  explicit MetricLines(MetricLabels common) : common_(std::move(common)) {}

  /// Begins a metric; its values follow.
  /// @param type counter, gauge or histogram
  void begin(std::string_view name, std::string_view type, std::string_view help);
  /// One value of the metric. A value that is not finite is written as NaN, +Inf or -Inf.
  void value(double value, const MetricLabels& labels = {});
  void count(std::uint64_t value, const MetricLabels& labels = {});
  /// The durations of `histogram` [s] in buckets whose bounds are 2^k - 1 ns, k = 9 to 27 (0.5 us
  /// to 134 ms): these are bounds of Histogram's own buckets, so that each count is exact.
  void histogram(const Histogram& histogram, const MetricLabels& labels = {});
  /// A comment of one line.
  void comment(std::string_view text);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, std::string_view number, const MetricLabels& labels);

  MetricLabels common_;
  std::string name_;
  std::string text_;
};

}  // namespace haptic
