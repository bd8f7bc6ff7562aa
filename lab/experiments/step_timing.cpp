#include "lab/experiments/step_timing.h"

#include <algorithm>
#include <cstddef>

#include "lab/timing/call_times.h"
#include "lab/timing/machine_floor.h"
#include "rt/dynamics/aligned_vector.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

double reading_us(double bytes, int calls) {
  const auto count = static_cast<std::size_t>(bytes / 64.0 + 1.0) * 8;
  const AlignedVector<double> memory(count, 1.0);
  CallTimes times;
  double sum = 0.0;
  for (int k = -2; k < calls; ++k) {
    if (k < 0) {
      sum += stream(memory);
    } else {
      times.time([&] { sum += stream(memory); });
    }
  }
  HAPTIC_DEMAND(sum > 0.0);  // so that the reading stays
  return times.timing().median;
}

Timing timed(double seconds, const std::function<void()>& body,
             const std::function<void(int)>& before) {
  before(0);
  body();
  OffProcessor once;
  once.begin();
  body();
  once.end();
  const auto calls =
      static_cast<int>(std::clamp(1e6 * seconds / (once.on_us() + 0.1), 5.0, 2000.0));
  CallTimes times;
  for (int k = 0; k < 4 * calls && times.count() < static_cast<std::size_t>(calls); ++k) {
    before(k);
    times.time(body);
    if (k >= calls && times.count() == 0) break;
  }
  if (times.count() == 0) throw OperationError("every timed call was interrupted");
  return times.timing();
}

}  // namespace haptic
