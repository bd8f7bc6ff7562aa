#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace haptic {

/// @returns r  @param what  names the polynomial in the message
/// @throws InputError if r is not in 1..kMaxReducedDimension
std::uint32_t checked_dimension(std::string_view what, std::uint32_t r);

/// Checks the coefficients of one order of a polynomial in r coordinates.
/// @param what, name  name the polynomial and the order in the message
/// @throws InputError if there are not `count` of them, or one is not finite
void check_coefficients(std::string_view what, std::string_view name,
                        std::span<const double> values, std::size_t count, std::uint32_t r);

}  // namespace haptic
