#include "rt/worlds/condensed/spread_ranks.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace haptic::condensed {
namespace {

/// Bits of a coordinate in a place on the curve.
constexpr int kBits = 20;

/// The bits of the three numbers, interleaved.
std::uint64_t z_order(const std::uint32_t (&cell)[3]) {
  std::uint64_t place = 0;
  for (int bit = kBits; bit-- > 0;) {
    for (const std::uint32_t c : cell) place = 2 * place + ((c >> bit) & 1U);
  }
  return place;
}

std::uint64_t reversed(std::uint64_t value, int bits) {
  std::uint64_t result = 0;
  for (int bit = 0; bit < bits; ++bit) result = 2 * result + ((value >> bit) & 1U);
  return result;
}

}  // namespace

std::vector<std::uint32_t> spread_ranks(std::span<const Vector3> points) {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vector3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double size = points.empty() ? 0.0 : (high - low).maxCoeff();
  const double scale = size > 0.0 ? ((1U << kBits) - 1) / size : 0.0;
  std::vector<std::uint64_t> places;
  for (const Vector3& p : points) {
    const Vector3 cell = scale * (p - low);
    places.push_back(
        z_order({static_cast<std::uint32_t>(cell.x()), static_cast<std::uint32_t>(cell.y()),
                 static_cast<std::uint32_t>(cell.z())}));
  }
  std::vector<std::uint32_t> along(points.size());
  std::iota(along.begin(), along.end(), 0U);
  std::ranges::sort(along, {}, [&](std::uint32_t i) { return std::pair(places[i], i); });
  const int bits = static_cast<int>(std::bit_width(points.size()));
  std::vector<std::uint32_t> order(points.size());  // places in `along`
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return reversed(i, bits); });
  std::vector<std::uint32_t> ranks(points.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[along[order[rank]]] = rank;
  return ranks;
}

}  // namespace haptic::condensed
