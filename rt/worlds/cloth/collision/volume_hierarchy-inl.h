#pragma once

// Definitions of VolumeHierarchy, for the source file that instantiates it for a kind of volume.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::cloth {

template <class Volume>
VolumeHierarchy<Volume>::VolumeHierarchy(std::span<const TriangleCorners> triangles,
                                         std::span<const double> x, Settings settings)
    : topology_(triangles, x, settings.branching),
      inflation_(settings.inflation),
      volumes_(topology_.size()),
      leaf_volumes_(triangles.size()),
      updated_(topology_.size()),
      dirty_((std::size_t{topology_.size()} + 63) / 64, 0),
      place_(topology_.size(), HierarchyTopology::kNone) {
  if (!(inflation_ >= 0.0 && std::isfinite(inflation_))) {
    throw InputError("", "inflation", fmt::format("{} m", inflation_), "a number >= 0 [m]");
  }
  const auto leaves = topology_.leaves();
  for (std::uint32_t k = 0; k < leaves.size(); ++k) place_[leaves[k]] = k;
  HAPTIC_DEMAND(refit_all(x) == UpdateResult::kDone);  // the topology has checked the positions
}

template <class Volume>
bool VolumeHierarchy<Volume>::bound_leaf(std::uint32_t leaf, std::span<const double> x,
                                         Volume& out) const HAPTIC_REALTIME {
  const auto& [i, j, k] = topology_.triangles()[topology_.triangle(leaf)];
  const Vector3 a = at(x, i), b = at(x, j), c = at(x, k);
  if (!is_bounded(a) || !is_bounded(b) || !is_bounded(c)) return false;
  bound(a, b, c, out);
  inflate(out, inflation_);
  return true;
}

template <class Volume>
bool VolumeHierarchy<Volume>::is_valid(std::uint32_t leaf,
                                       std::span<const double> x) const HAPTIC_REALTIME {
  const Volume& volume = volumes_[leaf];
  for (const std::uint32_t i : topology_.triangles()[topology_.triangle(leaf)]) {
    if (!contains(volume, at(x, i))) return false;
  }
  return true;
}

template <class Volume>
void VolumeHierarchy<Volume>::merge_children(std::uint32_t node) HAPTIC_REALTIME {
  const std::uint32_t first = topology_.first_child(node);
  Volume volume = volumes_[first];
  for (std::uint32_t k = 1; k < topology_.child_count(node); ++k) {
    volume = merged(volume, volumes_[first + k]);
  }
  volumes_[node] = volume;
}

template <class Volume>
void VolumeHierarchy<Volume>::mark(std::uint32_t node) HAPTIC_REALTIME {
  dirty_[node / 64] |= std::uint64_t{1} << (node % 64);
}

template <class Volume>
void VolumeHierarchy<Volume>::merge_all() HAPTIC_REALTIME {
  updated_count_ = 0;
  for (std::uint32_t node = topology_.size(); node-- > 0;) {
    if (topology_.is_leaf(node)) {
      volumes_[node] = leaf_volumes_[place_[node]];
    } else {
      merge_children(node);
    }
    updated_[updated_count_++] = node;
  }
}

template <class Volume>
UpdateResult VolumeHierarchy<Volume>::refit_all(std::span<const double> x) HAPTIC_REALTIME {
  HAPTIC_ASSERT(x.size() == 3 * topology_.particle_count());
  const auto leaves = topology_.leaves();
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (!bound_leaf(leaves[k], x, leaf_volumes_[k])) return UpdateResult::kNotFinite;
  }
  merge_all();
  return UpdateResult::kDone;
}

template <class Volume>
UpdateResult VolumeHierarchy<Volume>::refit_all(std::span<const double> start,
                                                std::span<const double> end) HAPTIC_REALTIME {
  HAPTIC_ASSERT(start.size() == 3 * topology_.particle_count() && end.size() == start.size());
  const auto leaves = topology_.leaves();
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    Volume after;
    if (!bound_leaf(leaves[k], start, leaf_volumes_[k])) return UpdateResult::kNotFinite;
    if (!bound_leaf(leaves[k], end, after)) return UpdateResult::kNotFinite;
    leaf_volumes_[k] = merged(leaf_volumes_[k], after);
  }
  merge_all();
  return UpdateResult::kDone;
}

template <class Volume>
UpdateResult VolumeHierarchy<Volume>::refit(std::span<const double> x) HAPTIC_REALTIME {
  HAPTIC_ASSERT(x.size() == 3 * topology_.particle_count());
  const auto leaves = topology_.leaves();
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (is_valid(leaves[k], x)) continue;
    if (!bound_leaf(leaves[k], x, leaf_volumes_[k])) {
      std::fill(dirty_.begin(), dirty_.end(), 0);
      return UpdateResult::kNotFinite;
    }
    mark(leaves[k]);
  }
  updated_count_ = 0;
  // Descending numbers, so children come before their parent. Siblings are consecutive: a parent
  // is marked by the first of them, and the others need not look.
  std::uint32_t last = HierarchyTopology::kNone;
  for (std::size_t w = dirty_.size(); w-- > 0;) {
    while (dirty_[w] != 0) {
      const unsigned bit = 63u - static_cast<unsigned>(std::countl_zero(dirty_[w]));
      dirty_[w] &= ~(std::uint64_t{1} << bit);
      const std::uint32_t node = static_cast<std::uint32_t>(64 * w + bit);
      if (topology_.is_leaf(node)) {
        volumes_[node] = leaf_volumes_[place_[node]];
      } else {
        merge_children(node);
      }
      updated_[updated_count_++] = node;
      const std::uint32_t parent = topology_.parent(node);
      if (parent == last || parent == HierarchyTopology::kNone) continue;
      mark(parent);
      last = parent;
    }
  }
  return UpdateResult::kDone;
}

}  // namespace haptic::cloth
