#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/realtime.h"

namespace haptic::cloth {

/// List of results with a capacity that is fixed at construction. What does not fit is lost, and
/// the list says so until it is cleared.
template <class T>
class BoundedList {
 public:
  /// Allocates; no other function does.
  explicit BoundedList(std::size_t capacity) : items_(capacity) {}

  void clear() HAPTIC_REALTIME {
    count_ = 0;
    overflowed_ = false;
  }
  /// @returns false if the item did not fit
  bool push(const T& item) HAPTIC_REALTIME {
    if (count_ == items_.size()) {
      overflowed_ = true;
      return false;
    }
    items_[count_++] = item;
    return true;
  }
  /// Drops the items for which `keep` is false; the others keep their order.
  template <class Keep>
  void keep_if(Keep&& keep) HAPTIC_REALTIME {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const bool kept_too = keep(items_[k]);
      items_[kept] = items_[k];
      kept += kept_too ? 1 : 0;
    }
    count_ = kept;
  }
  std::span<const T> items() const HAPTIC_REALTIME { return {items_.data(), count_}; }
  std::size_t size() const HAPTIC_REALTIME { return count_; }
  bool overflowed() const HAPTIC_REALTIME { return overflowed_; }

 private:
  std::vector<T> items_;
  std::size_t count_ = 0;
  bool overflowed_ = false;
};

/// Numbers of triangles.
using TriangleList = BoundedList<std::uint32_t>;

/// Two triangles, `a` of the first object. a < b where both are of one.
struct TrianglePair {
  std::uint32_t a = 0, b = 0;
  bool operator==(const TrianglePair&) const = default;
  auto operator<=>(const TrianglePair&) const = default;
};
using TrianglePairList = BoundedList<TrianglePair>;

}  // namespace haptic::cloth
