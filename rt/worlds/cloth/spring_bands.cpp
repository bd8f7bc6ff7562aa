#include "rt/worlds/cloth/spring_bands.h"

#include <map>

namespace haptic::cloth {
namespace {

/// What vectors of four may pass the last particle by, rounded to a cache line.
constexpr std::size_t kPadding = 8;
/// Fewer springs in an offset, or a smaller share of its slots, are loose.
constexpr std::size_t kFewest = 8;
constexpr double kMinFraction = 0.5;

}  // namespace

CoordinateArrays::CoordinateArrays(std::size_t particles)
    : x(particles + kPadding), y(particles + kPadding), z(particles + kPadding) {}

void CoordinateArrays::clear() HAPTIC_REALTIME {
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(y.begin(), y.end(), 0.0);
  std::fill(z.begin(), z.end(), 0.0);
}

void CoordinateArrays::load(std::span<const double> vectors) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < vectors.size() / 3; ++i) {
    x[i] = vectors[3 * i];
    y[i] = vectors[3 * i + 1];
    z[i] = vectors[3 * i + 2];
  }
}

SpringBands::SpringBands(const Springs& springs, std::size_t particles)
    : particles_(static_cast<std::uint32_t>(particles)), slot_of_(springs.size(), kLoose) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_offset;
  for (std::uint32_t s = 0; s < springs.size(); ++s) {
    if (springs.kind[s] == SpringKind::kInterlaced || springs.first[s] >= springs.second[s] ||
        springs.second[s] >= particles) {
      continue;
    }
    by_offset[springs.second[s] - springs.first[s]].push_back(s);
  }
  for (const auto& [offset, members] : by_offset) {
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      return springs.first[a] < springs.first[b];
    };
    const auto [low, high] = std::minmax_element(members.begin(), members.end(), less);
    const std::uint32_t first = springs.first[*low] / 4 * 4;
    const std::uint32_t end = springs.first[*high] / 4 * 4 + 4;
    if (members.size() < kFewest ||
        static_cast<double>(members.size()) < kMinFraction * (end - first)) {
      continue;
    }
    const auto slot = static_cast<std::uint32_t>(spring_of_.size());
    bands_.push_back({first, end, offset, slot});
    spring_of_.resize(spring_of_.size() + (end - first), kGap);
    for (const std::uint32_t s : members) {
      const std::uint32_t at = slot + (springs.first[s] - first);
      if (spring_of_[at] != kGap) continue;
      spring_of_[at] = s;
      slot_of_[s] = at;
    }
  }
  for (std::uint32_t s = 0; s < springs.size(); ++s) {
    if (slot_of_[s] == kLoose) loose_.push_back(s);
  }
}

}  // namespace haptic::cloth
