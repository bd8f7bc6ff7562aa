#include "host/monitor/metric_lines.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/files/json_text.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr int kMinBound = 9;  // 2^9 - 1 ns
constexpr int kMaxBound = 27;

/// In quotes. The escapes of JSON in a printable text, which are those of backslashes and quotes,
/// are those of this format, too.
std::string in_quotes(std::string_view text) {
  return json_text(printable(text));
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0.0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

void MetricLines::begin(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricLines::value(double value, const MetricLabels& labels) {
  line("", number(value), labels);
}

void MetricLines::count(std::uint64_t value, const MetricLabels& labels) {
  line("", fmt::format("{}", value), labels);
}

void MetricLines::histogram(const Histogram& histogram, const MetricLabels& labels) {
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  MetricLabels with_bound = labels;
  with_bound.emplace_back("le", "");
  for (int k = kMinBound; k <= kMaxBound; ++k) {
    const std::uint64_t bound = (std::uint64_t{1} << k) - 1;
    for (; bucket < Histogram::kBuckets && Histogram::upper_edge(bucket) <= bound; ++bucket) {
      seen += histogram.buckets[bucket];
    }
    with_bound.back().second = number(static_cast<double>(bound) / 1e9);
    line("_bucket", fmt::format("{}", seen), with_bound);
  }
  for (; bucket < Histogram::kBuckets; ++bucket) seen += histogram.buckets[bucket];
  with_bound.back().second = "+Inf";
  line("_bucket", fmt::format("{}", seen), with_bound);
  line("_sum", number(static_cast<double>(histogram.sum_ns) / 1e9), labels);
  line("_count", fmt::format("{}", seen), labels);
}

void MetricLines::comment(std::string_view text) {
  text_ += fmt::format("# {}\n", printable(text));
}

void MetricLines::line(std::string_view suffix, std::string_view number,
                       const MetricLabels& labels) {
  text_ += name_;
  text_ += suffix;
  char separator = '{';
  const std::array<const MetricLabels*, 2> groups = {&common_, &labels};
  for (const MetricLabels* const group : groups) {
    for (const auto& [label, value] : *group) {
      text_ += fmt::format("{}{}={}", separator, label, in_quotes(value));
      separator = ',';
    }
  }
  text_ += fmt::format("{} {}\n", separator == ',' ? "}" : "", number);
}

}  // namespace haptic
