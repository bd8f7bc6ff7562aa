#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shared/realtime.h"

namespace haptic::cloth {

/// Pairs of nodes that a traversal has yet to visit, on the stack of the caller.
///
/// A tree over 2^30 triangles has 30, 15 or 10 levels below the root with 2, 4 or 8 children, and
/// one level that is descended leaves at most branching - 1 pairs behind: 2 x 10 x 7 + 1 = 141 at
/// most for two trees. A search that descends both nodes of a pair leaves up to branching^2 - 1
/// behind, with 4 children 15 x 15 + 1 = 226, and pushes 16 at a time.
class NodePairStack {
 public:
  struct Pair {
    std::uint32_t a, b;
  };
  bool empty() const HAPTIC_REALTIME { return count_ == 0; }
  void push(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME { pairs_[count_++] = {a, b}; }
  /// Without a branch, which a search would mispredict.
  void push_if(bool condition, std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME {
    pairs_[count_] = {a, b};
    count_ += condition ? 1 : 0;
  }
  Pair pop() HAPTIC_REALTIME { return pairs_[--count_]; }

 private:
  std::array<Pair, 256> pairs_;
  std::size_t count_ = 0;
};

}  // namespace haptic::cloth
