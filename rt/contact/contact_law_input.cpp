#include "rt/contact/contact_law_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "shared/error.h"

namespace haptic {
namespace {

void require(bool valid, std::string_view key, double value, std::string_view expected) {
  if (valid && std::isfinite(value)) return;
  throw InputError("contact", key, fmt::format("found {}", value), expected);
}

}  // namespace

void require_settings(const ContactSettings& s) {
  require(s.stiffness > 0.0, "stiffness", s.stiffness, "a number > 0 [N/m]");
  require(s.wall >= 0.0, "wall", s.wall, "a number >= 0 [N/m]");
  require(s.scaling_count > 0, "scaling_count", s.scaling_count, "at least 1");
  if (s.scaling_depth) {
    require(*s.scaling_depth > 0.0, "scaling_depth", *s.scaling_depth, "a number > 0 [m]");
  }
  require(s.damping >= 0.0, "damping", s.damping, "a number >= 0 [s/m]");
  const FrictionSettings& f = s.friction;
  require(f.static_coefficient >= 0.0, "friction.static", f.static_coefficient, "a number >= 0");
  require(f.dynamic_coefficient >= 0.0 && f.dynamic_coefficient <= f.static_coefficient,
          "friction.dynamic", f.dynamic_coefficient,
          fmt::format("a number from 0 to friction.static, {}", f.static_coefficient));
  if (f.stiffness) {
    require(*f.stiffness > 0.0, "friction.stiffness", *f.stiffness, "a number > 0 [N/m]");
  }
}

void require_area_weights(std::span<const float> weights, std::uint32_t points,
                          std::string_view source, std::string_view section) {
  if (weights.empty()) return;
  if (weights.size() != points) {
    throw InputError(source, section, fmt::format("found {} numbers", weights.size()),
                     fmt::format("{}, one per point", points));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i]) && weights[i] >= 0.0f) continue;
    throw InputError(source, section, fmt::format("found {} at point {}", weights[i], i),
                     "finite numbers >= 0");
  }
  if (std::none_of(weights.begin(), weights.end(), [](float w) { return w > 0.0f; })) {
    throw InputError(source, section, "found only zeros", "at least one number > 0");
  }
}

}  // namespace haptic
