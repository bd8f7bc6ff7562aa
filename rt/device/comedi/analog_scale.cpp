#include "rt/device/comedi/analog_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {

AnalogScale::AnalogScale(double minimum, double maximum, std::uint32_t maxdata, double limit,
                         std::optional<std::uint32_t> zero_code)
    : minimum_(minimum), codes_per_volt_(maxdata / (maximum - minimum)), limit_(limit) {
  if (!(minimum <= 0.0 && maximum > 0.0 && std::isfinite(maximum - minimum)) || maxdata == 0) {
    throw InputError("analog output", "range", fmt::format("found {} to {} V", minimum, maximum),
                     "a range that includes 0 V");
  }
  if (!(limit > 0.0 && limit <= std::max(maximum, -minimum))) {
    throw InputError("analog output", "limit", fmt::format("found {} V", limit),
                     fmt::format("a number > 0 and inside {} to {} V", minimum, maximum));
  }
  const double zero = std::floor(-minimum * codes_per_volt_ + 0.5);
  if (zero_code) {
    if (*zero_code > maxdata) {
      throw InputError("analog output", "zero_code", fmt::format("found {}", *zero_code),
                       fmt::format("a code from 0 to {}", maxdata));
    }
    shift_ = *zero_code + minimum * codes_per_volt_;
  }
  zero_ = zero_code.value_or(static_cast<std::uint32_t>(zero));
  const auto held = [&](double volts) {
    return static_cast<std::uint32_t>(
        std::clamp(std::floor(scaled(volts) + 0.5), 0.0, static_cast<double>(maxdata)));
  };
  lowest_ = held(std::max(-limit, minimum));
  highest_ = held(std::min(limit, maximum));
}

double AnalogScale::scaled(double volts) const HAPTIC_REALTIME {
  return (volts - minimum_) * codes_per_volt_ + shift_;
}

std::uint32_t AnalogScale::code(double volts) const HAPTIC_REALTIME {
  if (!std::isfinite(volts) || volts == 0.0) return zero_;
  const double held = std::clamp(volts, -limit_, limit_);
  const double code = std::floor(scaled(held) + 0.5);
  if (code <= lowest_) return lowest_;
  return code >= highest_ ? highest_ : static_cast<std::uint32_t>(code);
}

double AnalogScale::volts(std::uint32_t code) const HAPTIC_REALTIME {
  return minimum_ + (code - shift_) / codes_per_volt_;
}

}  // namespace haptic
