#include "lab/experiments/height_sheet.h"

#include <algorithm>
#include <cmath>

namespace haptic {

namespace {
constexpr double kRounding = 1e-12;  // of barycentric weights
constexpr double kSame = 1e-9;       // heights of neighbours at their common edge [m]
}  // namespace

void HeightSheet::add(std::span<const double> x, const Vector3& p, std::size_t triangle,
                      Height& height) const {
  const auto& t = mesh_.triangles[triangle];
  const Vector3 a = cloth::at(x, t[0]), b = cloth::at(x, t[1]), c = cloth::at(x, t[2]);
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  const double wb = ((p[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (p[1] - a[1])) / area;
  const double wc = ((b[0] - a[0]) * (p[1] - a[1]) - (p[0] - a[0]) * (b[1] - a[1])) / area;
  if (!(wb >= -kRounding && wc >= -kRounding && wb + wc <= 1.0 + kRounding)) return;
  const double above = p[2] - ((1.0 - wb - wc) * a[2] + wb * b[2] + wc * c[2]);
  if (height.covers > 0 && std::abs(above - height.above) > kSame) height.folded = true;
  height.above = above;
  ++height.covers;
}

HeightSheet::Height HeightSheet::height(std::span<const double> x, const Vector3& p,
                                        int near) const {
  Height result;
  // Cells of the rest shape; those of the moved one are some cells away.
  const auto nx = static_cast<int>(mesh_.grid->nx), ny = static_cast<int>(mesh_.grid->ny);
  const Vector3 low = cloth::at(x, 0), high = cloth::at(x, mesh_.vertices.size() - 1);
  const auto cell = [&](Eigen::Index k, int count) {
    const double along = (p[k] - low[k]) / (high[k] - low[k]) * (count - 1);
    return static_cast<int>(std::clamp(along, 0.0, count - 2.0));
  };
  const int i = cell(0, nx), j = cell(1, ny);
  for (int v = std::max(j - near, 0); v <= std::min(j + near, ny - 2); ++v) {
    for (int u = std::max(i - near, 0); u <= std::min(i + near, nx - 2); ++u) {
      const auto first = 2 * static_cast<std::size_t>(v * (nx - 1) + u);
      add(x, p, first, result);
      add(x, p, first + 1, result);
    }
  }
  for (std::size_t t = 0; t < mesh_.triangles.size() && result.covers == 0; ++t) {
    add(x, p, t, result);
  }
  return result;
}

}  // namespace haptic
