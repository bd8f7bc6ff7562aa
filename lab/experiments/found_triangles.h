#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/bounding_volumes.h"
#include "rt/worlds/cloth/touch/near_triangles.h"

namespace haptic {

/// What a collision structure finds, for the god-object of a still cloth. `Structure` has been
/// brought up to date for the positions that the god-object gets.
template <class Structure>
class FoundTriangles final : public cloth::NearTriangles {
 public:
  /// @param structure  SpatialHash, BucketTree or VolumeHierarchy; outlives this
  FoundTriangles(const Structure& structure, std::size_t triangles)
      : structure_(structure), list_(triangles) {}

  std::size_t near(std::span<const double> /*start*/, std::span<const double> /*end*/,
                   const cloth::TouchBox& box,
                   std::span<std::uint32_t> found) const HAPTIC_REALTIME override {
    list_.clear();
    structure_.find(cloth::BoxVolume{box.low, box.high}, list_);
    std::ranges::copy(list_.items(), found.begin());
    return list_.size();
  }

 private:
  const Structure& structure_;
  mutable cloth::TriangleList list_;
};

}  // namespace haptic
