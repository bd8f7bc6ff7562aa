#include "host/parallel/parallel_ranges.h"

namespace haptic {

void parallel_ranges(std::size_t count, std::size_t,
                     const std::function<void(std::size_t begin, std::size_t end)>& body) {
  if (count > 0) body(0, count);
}

}  // namespace haptic
