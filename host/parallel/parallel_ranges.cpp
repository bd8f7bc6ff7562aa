#include "host/parallel/parallel_ranges.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace haptic {

void parallel_ranges(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t begin, std::size_t end)>& body) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}

}  // namespace haptic
