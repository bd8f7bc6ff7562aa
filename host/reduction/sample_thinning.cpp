#include "host/reduction/sample_thinning.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/error.h"

namespace haptic {

std::vector<int> thin_by_density(int count, const std::function<double(int, int)>& squared_distance,
                                 double separation) {
  if (!(separation > 0.0) || !std::isfinite(separation)) {
    throw InputError("sample thinning", "separation", fmt::format("found {}", separation),
                     "a number > 0");
  }
  const double close = separation * separation;
  const auto size = static_cast<std::size_t>(count);
  std::vector<double> density(size, 1.0);
  std::vector<int> neighbours(size, 0);
  std::vector<bool> is_kept(size, true);
  // Adds or subtracts the kernel of sample j in the densities of the others.
  const auto spread = [&](int j, int sign) {
    for (int i = 0; i < count; ++i) {
      if (i == j || !is_kept[static_cast<std::size_t>(i)]) continue;
      const double distance = squared_distance(i, j);
      density[static_cast<std::size_t>(i)] += sign * std::exp(-0.5 * distance / close);
      if (distance < close) neighbours[static_cast<std::size_t>(i)] += sign;
    }
  };
  for (int j = 0; j < count; ++j) spread(j, 1);
  while (true) {
    int worst = -1;
    for (int i = 0; i < count; ++i) {
      if (!is_kept[static_cast<std::size_t>(i)] || neighbours[static_cast<std::size_t>(i)] == 0) {
        continue;
      }
      const double mine = density[static_cast<std::size_t>(i)];
      if (worst < 0 || mine >= density[static_cast<std::size_t>(worst)] * (1.0 - 1e-12)) worst = i;
    }
    if (worst < 0) break;
    is_kept[static_cast<std::size_t>(worst)] = false;
    spread(worst, -1);
  }
  std::vector<int> kept;
  for (int i = 0; i < count; ++i) {
    if (is_kept[static_cast<std::size_t>(i)]) kept.push_back(i);
  }
  return kept;
}

std::vector<int> thin_by_density(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                 double separation) {
  return thin_by_density(
      static_cast<int>(points.cols()),
      [&](int i, int j) { return (points.col(i) - points.col(j)).squaredNorm(); }, separation);
}

}  // namespace haptic
