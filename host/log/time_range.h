#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace haptic {

/// End of a time range that has none [s].
inline constexpr double kNoEnd_s = 1e300;

/// The rows [first, last) of a log whose times are in [from_s, until_s]. @param time  of all rows
/// [s]
/// @throws InputError if there is none
std::pair<std::size_t, std::size_t> rows_between(const std::filesystem::path& log,
                                                 std::span<const double> time, double from_s,
                                                 double until_s);

}  // namespace haptic
