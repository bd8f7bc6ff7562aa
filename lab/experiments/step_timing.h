#pragma once

#include <functional>

#include "lab/timing/timing.h"

namespace haptic {

/// Time in which as many bytes are read again and again [us], median.
double reading_us(double bytes, int calls);

/// As many calls as fit in `seconds`, at least 5 and at most 2,000; two more ahead are not timed.
/// @param before  runs untimed ahead of each, with the number of the call
/// @throws OperationError if every call was interrupted
Timing timed(
    double seconds, const std::function<void()>& body,
    const std::function<void(int)>& before = [](int) {});

}  // namespace haptic
