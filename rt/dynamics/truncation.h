#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace haptic {

/// Run-time truncation (Barbic 2007, section 2.11): the coefficients of the model in the first
/// `kept` of its r basis vectors. Allocates; not for the loop.
///
/// @param distinct  entries of a totally symmetric tensor of `order` (2..4) over r indices,
///                  ascending, last index fastest: /reduced/quadratic, cubic, quartic
/// @param kept      1..r
std::vector<double> leading_entries(std::span<const double> distinct, std::uint32_t r,
                                    std::uint32_t order, std::uint32_t kept);

/// The same for /reduced/viscous/mixed, r x C(r+1,2).
std::vector<double> leading_mixed(std::span<const double> mixed, std::uint32_t r,
                                  std::uint32_t kept);
/// The same for /reduced/viscous/quadratic, the upper triangle over the pairs.
std::vector<double> leading_pair_triangle(std::span<const double> triangle, std::uint32_t r,
                                          std::uint32_t kept);

}  // namespace haptic
