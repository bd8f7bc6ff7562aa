#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "shared/ipc/shared_words.h"
#include "shared/realtime.h"
#include "shared/records.h"

namespace haptic {

/// Histogram of non-negative durations [ns] in fixed memory, after HdrHistogram: linear below 64
/// ns, then 64 buckets an octave (a bucket is at most 1/64 = 1.6 % wide) up to 2^40 ns = 18
/// minutes. One writer; readers copy it while it grows.
struct Histogram {
  static constexpr int kSubBits = 6;
  static constexpr int kTopBit = 39;  ///< larger values count in the last bucket
  static constexpr std::size_t kBuckets = std::size_t{kTopBit - kSubBits + 2} << kSubBits;

  HAPTIC_MEMBERS_OF(Histogram)

  static constexpr std::size_t bucket_of(std::uint64_t ns) HAPTIC_REALTIME {
    if (ns < (1u << kSubBits)) return static_cast<std::size_t>(ns);
    const int top = 63 - std::countl_zero(ns);
    if (top > kTopBit) return kBuckets - 1;
    const std::size_t octave = static_cast<std::size_t>(top - kSubBits + 1);
    return (octave << kSubBits) + ((ns >> (top - kSubBits)) & ((1u << kSubBits) - 1));
  }
  /// Largest value that counts in `bucket`.
  static constexpr std::uint64_t upper_edge(std::size_t bucket) {
    const std::size_t octave = bucket >> kSubBits;
    if (octave == 0) return bucket;
    const std::uint64_t sub = bucket & ((1u << kSubBits) - 1);
    return (((std::uint64_t{1} << kSubBits) + sub + 1) << (octave - 1)) - 1;
  }

  /// Wait-free; negative durations count as 0.
  void record(std::int64_t ns) HAPTIC_REALTIME {
    const std::uint64_t value = ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
    add_word(buckets[bucket_of(value)], 1);
    add_word(sum_ns, value);
    if (value > load_word(maximum_ns)) store_word(maximum_ns, value);
  }

  std::uint64_t count() const {
    std::uint64_t total = 0;
    for (const std::uint64_t n : buckets) total += n;
    return total;
  }
  /// Value below or at which a fraction `p` (0..1) of the records lies, to a bucket's width; 0 if
  /// empty.
  std::uint64_t percentile_ns(double p) const {
    const std::uint64_t total = count();
    if (total == 0) return 0;
    const double wanted = p * static_cast<double>(total);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += buckets[i];
      if (buckets[i] > 0 && static_cast<double>(seen) >= wanted) {
        const std::uint64_t edge = upper_edge(i);
        return edge < maximum_ns ? edge : maximum_ns;
      }
    }
    return maximum_ns;
  }
};

static_assert(SharedPlain<Histogram>);

}  // namespace haptic
