#pragma once

#include <cstdint>
#include <vector>

namespace haptic {

/// Number of points of levels <= i, for each level of a shell whose points are put in
/// farthest-point order. `levels` given: each cumulative size is a quarter of the next, the last is
/// `points`. `first_level` given instead: that many points, then each level adds four times as many
/// new ones, the last the remainder. Neither: 8 points, then 64 more, then 512 more, ... (Barbic
/// 2007, Section 3.9.1); the last level is usually partial.
/// @throws InputError if a level would add no point
std::vector<std::uint32_t> shell_level_ends(std::uint32_t points, std::uint32_t levels,
                                            std::uint32_t first_level = 0);

/// The same for particle repulsion (Barbic 2007, 3.8.1): n_1 new points, then 4 n_1, 16 n_1, ...
/// Points and levels: n_1 = 3 points / (4^levels - 1), rounded; the last level takes the rest.
/// Points alone: as many levels as leave n_1 at 64 or above. First level and levels (points 0): the
/// sizes are exact. First level and points: as many levels as fit, the last takes the rest.
/// @throws InputError if a level would add no point, or a number is missing
std::vector<std::uint32_t> repulsion_level_ends(std::uint32_t points, std::uint32_t levels,
                                                std::uint32_t first_level);

}  // namespace haptic
