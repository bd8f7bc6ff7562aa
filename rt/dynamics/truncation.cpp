#include "rt/dynamics/truncation.h"

#include <array>

#include "rt/dynamics/reduced_energy.h"
#include "shared/assert.h"

namespace haptic {
namespace {

/// Whether each pair i <= j of r, last index fastest, lies in the first `kept`.
std::vector<bool> leading_pairs(std::uint32_t r, std::uint32_t kept) {
  std::vector<bool> stays;
  for (std::uint32_t i = 0; i < r; ++i) {
    for (std::uint32_t j = i; j < r; ++j) stays.push_back(j < kept);
  }
  return stays;
}

}  // namespace

std::vector<double> leading_entries(std::span<const double> distinct, std::uint32_t r,
                                    std::uint32_t order, std::uint32_t kept) {
  HAPTIC_DEMAND(order >= 2 && order <= 4 && kept >= 1 && kept <= r);
  HAPTIC_DEMAND(distinct.size() == distinct_count(r, order));
  std::vector<double> leading;
  leading.reserve(distinct_count(kept, order));
  std::array<std::uint32_t, 4> index{};  // ascending; the first `order` are in use
  for (const double value : distinct) {
    if (index[order - 1] < kept) leading.push_back(value);
    std::uint32_t at = order - 1;
    while (at > 0 && index[at] + 1 == r) --at;
    ++index[at];
    for (std::uint32_t m = at + 1; m < order; ++m) index[m] = index[at];
  }
  return leading;
}

std::vector<double> leading_mixed(std::span<const double> mixed, std::uint32_t r,
                                  std::uint32_t kept) {
  const std::size_t pairs = distinct_count(r, 2);
  HAPTIC_DEMAND(kept >= 1 && kept <= r && mixed.size() == r * pairs);
  std::vector<double> leading;
  for (std::size_t l = 0; l < kept; ++l) {
    const auto row = leading_entries(mixed.subspan(l * pairs, pairs), r, 2, kept);
    leading.insert(leading.end(), row.begin(), row.end());
  }
  return leading;
}

std::vector<double> leading_pair_triangle(std::span<const double> triangle, std::uint32_t r,
                                          std::uint32_t kept) {
  const std::size_t pairs = distinct_count(r, 2);
  HAPTIC_DEMAND(kept >= 1 && kept <= r && triangle.size() == pairs * (pairs + 1) / 2);
  const std::vector<bool> stays = leading_pairs(r, kept);
  std::vector<double> leading;
  std::size_t at = 0;
  for (std::size_t a = 0; a < pairs; ++a) {
    for (std::size_t b = a; b < pairs; ++b, ++at) {
      if (stays[a] && stays[b]) leading.push_back(triangle[at]);
    }
  }
  return leading;
}

}  // namespace haptic
