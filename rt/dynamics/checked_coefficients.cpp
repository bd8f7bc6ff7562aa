#include "rt/dynamics/checked_coefficients.h"

#include <fmt/format.h>

#include <cmath>

#include "rt/dynamics/quartic_layout.h"
#include "shared/error.h"

namespace haptic {

std::uint32_t checked_dimension(std::string_view what, std::uint32_t r) {
  if (r < 1 || r > kMaxReducedDimension) {
    throw InputError(what, "dimension", fmt::format("found r = {}", r),
                     fmt::format("1..{}", kMaxReducedDimension));
  }
  return r;
}

void check_coefficients(std::string_view what, std::string_view name,
                        std::span<const double> values, std::size_t count, std::uint32_t r) {
  if (values.size() != count) {
    throw InputError(what, name, fmt::format("found {} coefficients", values.size()),
                     fmt::format("{} for r = {}", count, r));
  }
  for (std::size_t t = 0; t < count; ++t) {
    if (!std::isfinite(values[t])) {
      throw InputError(what, name, fmt::format("coefficient {} is {}", t, values[t]),
                       "a finite number");
    }
  }
}

}  // namespace haptic
