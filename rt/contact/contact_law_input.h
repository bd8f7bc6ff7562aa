#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rt/contact/contact_settings.h"

namespace haptic {

/// @throws InputError naming the setting that is out of range
void require_settings(const ContactSettings& settings);

/// Checks that `weights`, or areas, is empty or has one finite number >= 0 per point, not all 0.
/// @throws InputError naming `source` and `section`
void require_area_weights(std::span<const float> weights, std::uint32_t points,
                          std::string_view source = "contact",
                          std::string_view section = "/shell/weights");

}  // namespace haptic
