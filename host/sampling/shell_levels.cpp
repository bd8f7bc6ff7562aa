#include "host/sampling/shell_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {

namespace {

constexpr std::uint32_t kMaxLevels = 16;

/// n_1 (4^levels - 1) / 3 without overflow for up to 16 levels.
std::uint64_t up_to_level(std::uint64_t first, std::uint32_t levels) {
  return first * ((std::uint64_t{1} << (2 * levels)) - 1) / 3;
}

[[noreturn]] void refuse_levels(std::uint32_t levels, std::uint32_t points,
                                const std::string& expected) {
  throw InputError("shell", "levels", fmt::format("found {} for {} points", levels, points),
                   expected);
}

/// New points n_1, 4 n_1, ... while a whole level fits; the last takes the remainder.
std::vector<std::uint32_t> growing_from(std::uint32_t first, std::uint32_t points) {
  std::vector<std::uint32_t> ends;
  if (first > points) {
    throw InputError("shell", "first_level", fmt::format("found {} of {} points", first, points),
                     "at most all of them");
  }
  std::uint64_t end = 0;
  for (std::uint64_t size = first; end < points; size *= 4) {
    end = std::min<std::uint64_t>(end + size, points);
    ends.push_back(static_cast<std::uint32_t>(end));
  }
  return ends;
}

}  // namespace

std::vector<std::uint32_t> shell_level_ends(std::uint32_t points, std::uint32_t levels,
                                            std::uint32_t first_level) {
  if (first_level > 0) return growing_from(first_level, points);
  std::vector<std::uint32_t> ends;
  if (levels == 0) {
    constexpr std::uint64_t kBranching = 8;
    std::uint64_t end = 0;
    for (std::uint64_t size = kBranching; end < points; size *= kBranching) {
      end = std::min<std::uint64_t>(end + size, points);
      ends.push_back(static_cast<std::uint32_t>(end));
    }
    return ends;
  }
  if (levels > kMaxLevels || (std::uint64_t{1} << (2 * (levels - 1))) > points) {
    refuse_levels(levels, points, "at least 4^(levels - 1) points");
  }
  for (std::uint32_t level = levels; level-- > 0;) {
    const double quarter = std::ldexp(static_cast<double>(points), -2 * static_cast<int>(level));
    ends.push_back(static_cast<std::uint32_t>(std::lround(quarter)));
  }
  return ends;
}

std::vector<std::uint32_t> repulsion_level_ends(std::uint32_t points, std::uint32_t levels,
                                                std::uint32_t first_level) {
  constexpr double kSmallestFirst = 64.0;
  const auto first_of = [&](std::uint32_t count) {
    return 3.0 * points / (std::ldexp(1.0, 2 * static_cast<int>(count)) - 1.0);
  };
  if (first_level > 0 && levels == 0) return growing_from(first_level, points);
  if (levels > kMaxLevels) refuse_levels(levels, points, "at most 16");
  if (first_level == 0) {
    if (levels == 0) {
      levels = 1;
      while (first_of(levels + 1) >= kSmallestFirst) ++levels;
    }
    first_level = static_cast<std::uint32_t>(std::lround(first_of(levels)));
    if (first_level == 0) refuse_levels(levels, points, "at least (4^levels - 1) / 6 points");
  } else {
    if (points != 0) {
      throw InputError("shell", "first_level", "found together with points and levels",
                       "at most two of the three");
    }
    if (up_to_level(first_level, levels) > 4'000'000) {
      refuse_levels(levels, first_level, "at most 4000000 points in all");
    }
    points = static_cast<std::uint32_t>(up_to_level(first_level, levels));
  }
  std::vector<std::uint32_t> ends;
  for (std::uint32_t level = 1; level < levels; ++level) {
    ends.push_back(static_cast<std::uint32_t>(up_to_level(first_level, level)));
  }
  ends.push_back(points);
  return ends;
}

}  // namespace haptic
