#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace haptic {

/// Statistics of single calls [us].
struct Timing {
  double best = 0.0, median = 0.0, p99 = 0.0;
};

/// Sweeps the caches up to L2, as contact does between two steps of the dynamics: adds one to every
/// value of twice the L2's size.
class CacheSweep {
 public:
  CacheSweep() : values_(2 * l2_bytes() / sizeof(double), 1.0) {}
  void operator()() {
    for (double& value : values_) value += 1.0;
    asm volatile("" : : "g"(values_.data()) : "memory");
  }
  static std::size_t l2_bytes() {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{2} << 20;
  }

 private:
  std::vector<double> values_;
};

/// Times single calls of `body`; `before` runs untimed ahead of each. The clock's own cost, about
/// 0.03 us, is in the figures.
template <class Body, class Before>
Timing time_calls(int calls, Body&& body, Before&& before) {
  std::vector<double> us;
  us.reserve(static_cast<std::size_t>(calls));
  for (int i = -calls / 10; i < calls; ++i) {
    before();
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    if (i >= 0) us.push_back(taken.count());
  }
  std::sort(us.begin(), us.end());
  return {us.front(), us[us.size() / 2], us[us.size() * 99 / 100]};
}

}  // namespace haptic
