#include "host/monitor/duration_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace haptic {
namespace {

constexpr std::size_t kOctaves = 41;  // of nanoseconds, Histogram's range and one for 0

/// Octave k holds durations below 2^k ns that octave k - 1 does not.
std::array<std::uint64_t, kOctaves> octaves(const Histogram& histogram) {
  std::array<std::uint64_t, kOctaves> counts{};
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    if (histogram.buckets[i] == 0) continue;
    counts[static_cast<std::size_t>(std::bit_width(Histogram::upper_edge(i)))] +=
        histogram.buckets[i];
  }
  return counts;
}

/// "  < 16 us": the upper edge 2^octave ns.
std::string edge(std::size_t octave) {
  const double ns = std::ldexp(1.0, static_cast<int>(octave));
  if (ns < 1e3) return fmt::format("< {:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("< {:.3g} us", ns * 1e-3);
  if (ns < 1e9) return fmt::format("< {:.3g} ms", ns * 1e-6);
  return fmt::format("< {:.3g} s", ns * 1e-9);
}

std::string share(std::uint64_t count, std::uint64_t total) {
  const double percent = 100.0 * static_cast<double>(count) / static_cast<double>(total);
  return percent < 0.1 ? fmt::format("{}", count) : fmt::format("{:.3g} %", percent);
}

}  // namespace

std::vector<std::string> duration_bars(const Histogram& histogram, std::size_t height,
                                       std::size_t width) {
  constexpr std::size_t kLabel = 9, kShare = 8;
  std::vector<std::string> lines;
  const auto counts = octaves(histogram);
  std::uint64_t total = 0;
  std::size_t last = 0;
  for (std::size_t k = 0; k < kOctaves; ++k) {
    total += counts[k];
    if (counts[k] > 0) last = k;
  }
  if (total == 0 || height == 0) return lines;
  const auto occupied = static_cast<std::size_t>(
      std::ranges::find_if(counts, [](std::uint64_t n) { return n > 0; }) - counts.begin());
  const std::size_t first = std::max(occupied, last + 1 - std::min(last + 1, height));
  const std::size_t longest = width > kLabel + kShare + 2 ? width - kLabel - kShare - 2 : 0;
  for (std::size_t k = first; k <= last; ++k) {
    std::uint64_t count = counts[k];
    if (k == first) {
      for (std::size_t below = occupied; below < first; ++below) count += counts[below];
    }
    const double part =
        std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(total));
    const auto filled = static_cast<std::size_t>(std::lround(part * static_cast<double>(longest)));
    const std::string line =
        fmt::format("{:>{}} {:#<{}}{:<{}} {}", edge(k), kLabel, "", count > 0 ? filled : 0, "",
                    longest - (count > 0 ? filled : 0), count > 0 ? share(count, total) : "");
    lines.push_back(line.substr(0, width));
  }
  return lines;
}

}  // namespace haptic
