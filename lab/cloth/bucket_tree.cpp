#include "lab/cloth/bucket_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::lab {
namespace {

std::uint32_t checked_levels(std::uint32_t levels) {
  if (levels > BucketTree::kMaxLevels) {
    throw InputError("", "levels", fmt::format("{}", levels),
                     fmt::format("0 to {}", BucketTree::kMaxLevels));
  }
  return levels;
}

}  // namespace

BucketTree::BucketTree(std::span<const cloth::TriangleCorners> triangles, std::span<const double> x,
                       std::uint32_t levels)
    : triangles_(triangles.begin(), triangles.end()),
      particle_count_(x.size() / 3),
      levels_(checked_levels(levels)),
      boxes_(triangles.size()),
      new_boxes_(triangles.size()),
      code_(triangles.size()),
      sorted_(triangles.size()),
      bucket_begin_(bucket_count() + 1),
      nodes_((8 * bucket_count() - 1) / 7) {
  cloth::check_triangles(triangles, x);
  HAPTIC_DEMAND(update(x) == cloth::UpdateResult::kDone);  // the positions are checked
}

std::array<std::uint32_t, 3> BucketTree::place_of(const Vector3& p) const HAPTIC_REALTIME {
  std::array<std::uint32_t, 3> place;
  const double count = static_cast<double>(1u << levels_);
  for (int axis = 0; axis < 3; ++axis) {
    const double side = whole_.upper[axis] - whole_.lower[axis];
    // A flat cloth has no width along an axis, and all is in place 0.
    const double share = side > 0.0 ? (p[axis] - whole_.lower[axis]) / side : 0.0;
    place[static_cast<std::size_t>(axis)] =
        static_cast<std::uint32_t>(std::clamp(std::floor(share * count), 0.0, count - 1.0));
  }
  return place;
}

std::uint32_t BucketTree::code_of(const std::array<std::uint32_t, 3>& place) const HAPTIC_REALTIME {
  std::uint32_t code = 0;
  for (std::uint32_t bit = levels_; bit-- > 0;) {
    for (const std::uint32_t along : place) code = 2 * code + ((along >> bit) & 1u);
  }
  return code;
}

std::span<const std::uint32_t> BucketTree::bucket(const std::array<std::uint32_t, 3>& place) const
    HAPTIC_REALTIME {
  const std::uint32_t code = code_of(place);
  return {sorted_.data() + bucket_begin_[code], bucket_begin_[code + 1] - bucket_begin_[code]};
}

cloth::UpdateResult BucketTree::update(std::span<const double> x) HAPTIC_REALTIME {
  HAPTIC_ASSERT(x.size() == 3 * particle_count_);
  cloth::BoxVolume whole;
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto& [i, j, k] = triangles_[t];
    if (!cloth::is_bounded(cloth::at(x, i)) || !cloth::is_bounded(cloth::at(x, j)) ||
        !cloth::is_bounded(cloth::at(x, k))) {
      return cloth::UpdateResult::kNotFinite;
    }
    bound(cloth::at(x, i), cloth::at(x, j), cloth::at(x, k), new_boxes_[t]);
    whole = merged(whole, new_boxes_[t]);
  }
  whole_ = whole;
  boxes_.swap(new_boxes_);
  std::fill(nodes_.begin(), nodes_.end(), cloth::BoxVolume{});
  // Counting sort by bucket; triangles of a bucket stay in order.
  std::fill(bucket_begin_.begin(), bucket_begin_.end(), 0u);
  const std::size_t first_bucket = nodes_.size() - bucket_count();
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto& [i, j, k] = triangles_[t];
    code_[t] = code_of(place_of((cloth::at(x, i) + cloth::at(x, j) + cloth::at(x, k)) / 3.0));
    ++bucket_begin_[code_[t] + 1];
    cloth::BoxVolume& box = nodes_[first_bucket + code_[t]];
    box = merged(box, boxes_[t]);
  }
  for (std::size_t b = 1; b < bucket_begin_.size(); ++b) bucket_begin_[b] += bucket_begin_[b - 1];
  // Entry b + 1 is the end of bucket b, then, filled from the end, its begin.
  for (std::size_t t = triangles_.size(); t-- > 0;) {
    sorted_[--bucket_begin_[code_[t] + 1]] = static_cast<std::uint32_t>(t);
  }
  std::copy(bucket_begin_.begin() + 1, bucket_begin_.end(), bucket_begin_.begin());
  bucket_begin_.back() = static_cast<std::uint32_t>(triangles_.size());
  for (std::size_t node = first_bucket; node-- > 0;) {
    for (std::size_t k = 1; k <= 8; ++k) nodes_[node] = merged(nodes_[node], nodes_[8 * node + k]);
  }
  return cloth::UpdateResult::kDone;
}

}  // namespace haptic::lab
