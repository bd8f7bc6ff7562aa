#include "lab/cloth/spatial_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/error.h"

namespace haptic::lab {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr double kMaxCellDistance = 1073741824.0;  // 2^30

std::size_t next_prime(std::size_t above) {
  for (std::size_t n = above + 1;; ++n) {
    bool prime = n > 1;
    for (std::size_t d = 2; d * d <= n && prime; ++d) prime = n % d != 0;
    if (prime) return n;
  }
}

/// Cells from low to high, 0 if there are more than `most`.
std::uint64_t cells_between(const GridCell& low, const GridCell& high,
                            std::uint64_t most) HAPTIC_REALTIME {
  std::uint64_t count = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // At most 2^32 each, so the product with a count of up to 2^31 has no overflow.
    count *= static_cast<std::uint64_t>(std::int64_t{high[axis]} - low[axis] + 1);
    if (count > most) return 0;
  }
  return count;
}

/// Calls visit(cell) for each, k fastest, until it returns false.
template <class Visit>
void visit_cells(const GridCell& low, const GridCell& high, Visit&& visit) HAPTIC_REALTIME {
  for (std::int32_t i = low[0]; i <= high[0]; ++i) {
    for (std::int32_t j = low[1]; j <= high[1]; ++j) {
      for (std::int32_t k = low[2]; k <= high[2]; ++k) {
        if (!visit(GridCell{i, j, k})) return;
      }
    }
  }
}

}  // namespace

std::uint32_t hash_of(const GridCell& cell) HAPTIC_REALTIME {
  return (static_cast<std::uint32_t>(cell[0]) * 73856093u) ^
         (static_cast<std::uint32_t>(cell[1]) * 19349663u) ^
         (static_cast<std::uint32_t>(cell[2]) * 83492791u);
}

SpatialHash::SpatialHash(std::span<const cloth::TriangleCorners> triangles,
                         std::span<const double> x)
    : triangles_(triangles.begin(), triangles.end()),
      buckets_(next_prime(2 * triangles.size())),
      entries_(kMaxCells * triangles.size()),
      large_(triangles.size()),
      boxes_(triangles.size()),
      new_boxes_(triangles.size()) {
  cloth::check_triangles(triangles, x);
  cell_size_ = mean_edge(x);
  if (!(cell_size_ > 0.0)) {
    throw InputError("", "cell size", "0 m", "triangles with edges longer than 0");
  }
  if (update(x) != cloth::UpdateResult::kDone) {
    throw InputError("", "positions", "more than 2^30 cells from the origin",
                     fmt::format("within 2^30 times the mean edge, {} m", cell_size_));
  }
}

double SpatialHash::mean_edge(std::span<const double> x) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (const auto& [a, b, c] : triangles_) {
    sum += std::sqrt((cloth::at(x, a) - cloth::at(x, b)).squaredNorm());
    sum += std::sqrt((cloth::at(x, b) - cloth::at(x, c)).squaredNorm());
    sum += std::sqrt((cloth::at(x, c) - cloth::at(x, a)).squaredNorm());
  }
  return sum / (3.0 * static_cast<double>(triangles_.size()));
}

GridCell SpatialHash::cell_at(const Vector3& p) const HAPTIC_REALTIME {
  GridCell cell;
  for (int axis = 0; axis < 3; ++axis) {
    const double place = std::floor(p[axis] / cell_size_);  // truncation would merge -1 and 0
    // A query may be farther away than any triangle.
    cell[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(
        std::clamp(place, -kMaxCellDistance - 1.0, kMaxCellDistance + 1.0));
  }
  return cell;
}

void SpatialHash::insert(std::uint32_t triangle) HAPTIC_REALTIME {
  const GridCell low = cell_at(boxes_[triangle].lower), high = cell_at(boxes_[triangle].upper);
  if (cells_between(low, high, kMaxCells) == 0) {
    large_[large_count_++] = triangle;
    return;
  }
  visit_cells(low, high, [&](const GridCell& cell) {
    Bucket& bucket = buckets_[hash_of(cell) % buckets_.size()];
    if (bucket.stamp != stamp_) bucket = {stamp_, kNone};
    // Two cells of a triangle may have one bucket; the triangle is in it once.
    if (bucket.first != kNone && entries_[bucket.first].triangle == triangle) return true;
    entries_[entry_count_] = {triangle, bucket.first};
    bucket.first = static_cast<std::uint32_t>(entry_count_++);
    return true;
  });
}

cloth::UpdateResult SpatialHash::update(std::span<const double> x) HAPTIC_REALTIME {
  const double edge = mean_edge(x);
  const bool resize = edge < 0.75 * cell_size_ || edge > 1.25 * cell_size_;
  const double cell_size = resize && edge > 0.0 ? edge : cell_size_;
  const double farthest = kMaxCellDistance * cell_size;
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto& [i, j, k] = triangles_[t];
    bound(cloth::at(x, i), cloth::at(x, j), cloth::at(x, k), new_boxes_[t]);
    for (const std::uint32_t corner : triangles_[t]) {
      // Also infinite ones, with which the mean edge is infinite too.
      if (!cloth::is_bounded(cloth::at(x, corner)) ||
          (cloth::at(x, corner).array().abs() > farthest).any()) {
        return cloth::UpdateResult::kNotFinite;
      }
    }
  }
  cell_size_ = cell_size;
  boxes_.swap(new_boxes_);
  ++stamp_;
  entry_count_ = 0;
  large_count_ = 0;
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) insert(t);
  return cloth::UpdateResult::kDone;
}

bool SpatialHash::holds(const GridCell& cell, std::uint32_t triangle) const HAPTIC_REALTIME {
  for (std::size_t k = 0; k < large_count_; ++k) {
    if (large_[k] == triangle) return true;
  }
  const Bucket& bucket = buckets_[hash_of(cell) % buckets_.size()];
  if (bucket.stamp != stamp_) return false;
  for (std::uint32_t e = bucket.first; e != kNone; e = entries_[e].next) {
    if (entries_[e].triangle == triangle) return true;
  }
  return false;
}

template <class Shape>
bool SpatialHash::find_in_cell(const GridCell& cell, const GridCell& low, const Shape& shape,
                               cloth::TriangleList& found) const HAPTIC_REALTIME {
  const Bucket& bucket = buckets_[hash_of(cell) % buckets_.size()];
  if (bucket.stamp != stamp_) return true;
  for (std::uint32_t e = bucket.first; e != kNone; e = entries_[e].next) {
    const std::uint32_t triangle = entries_[e].triangle;
    if (!overlap(boxes_[triangle], shape)) continue;
    // Reported by the first cell that the triangle and the query share, so once. This also drops
    // triangles of other cells with the same bucket.
    const GridCell first = cell_at(boxes_[triangle].lower);
    bool reports = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      reports = reports && cell[axis] == std::max(first[axis], low[axis]);
    }
    if (reports && !found.push(triangle)) return false;
  }
  return true;
}

template <class Shape>
void SpatialHash::find_in(const Shape& shape, const cloth::BoxVolume& around,
                          cloth::TriangleList& found) const HAPTIC_REALTIME {
  // False of NaN too, whose cells are no numbers.
  if (!(around.lower.array() <= around.upper.array()).all()) return;
  const GridCell low = cell_at(around.lower), high = cell_at(around.upper);
  if (cells_between(low, high, triangles_.size()) == 0) {
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      if (overlap(boxes_[t], shape) && !found.push(t)) return;
    }
    return;
  }
  for (std::size_t k = 0; k < large_count_; ++k) {
    if (overlap(boxes_[large_[k]], shape) && !found.push(large_[k])) return;
  }
  visit_cells(low, high,
              [&](const GridCell& cell) { return find_in_cell(cell, low, shape, found); });
}

void SpatialHash::find(const cloth::BoxVolume& shape,
                       cloth::TriangleList& found) const HAPTIC_REALTIME {
  find_in(shape, shape, found);
}

void SpatialHash::find(const SweptPoint& shape, cloth::TriangleList& found) const HAPTIC_REALTIME {
  cloth::BoxVolume around{shape.from.cwiseMin(shape.to), shape.from.cwiseMax(shape.to)};
  inflate(around, shape.radius);
  find_in(shape, around, found);
}

}  // namespace haptic::lab
