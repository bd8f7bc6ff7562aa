// Culling of a traversal: which subtrees are free of contact, and up to which odometer reading.
#include <algorithm>

#include "rt/contact/contact_traversal.h"

namespace haptic {

/// Expands those of the entries [first, last) whose subtrees are not free; a NaN counts as free.
void ContactTraversal::decide(std::uint32_t first, std::uint32_t last) HAPTIC_REALTIME {
  expanded_count_ = 0;
  if (level_ == levels_) return decide_leaves(first, last);
  const bool coherent = settings_.temporal_coherence;
  const double margin = margin_;
  const double* const magnitudes = magnitudes_.data();
  const Entry* const entries = entries_.data();
  Expanded* expanded = expanded_.data();
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint32_t node = entries[i].node;
    const double room = entries[i].room;
    const auto children = layout_.children(node);
    double slack = room;  // of the node's point
    if (children.count != 0) {
      bool free = false;
      // R >= R0: a node that is not free with R0 is not free with R.
      if (!(room <= layout_.rest_radius(node) + margin)) {
        const double radius = layout_.radius(node, magnitudes);
        free = !(room <= radius + margin);
        if (free) slack = room - radius;
      }
      if (!free) {
        *expanded++ = {i, children};
        if (coherent) __builtin_prefetch(&free_until_[children.begin]);
      }
    }
    if (coherent) {
      own_[i] = odometer_.free_until(slack);
      below_[i] = kNever;
    }
  }
  expanded_count_ = static_cast<std::uint32_t>(expanded - expanded_.data());
}

/// Stores the readings up to which the entries [first, last) of the last level are free.
void ContactTraversal::decide_leaves(std::uint32_t first, std::uint32_t last) HAPTIC_REALTIME {
  settled_ = last;
  if (!settings_.temporal_coherence) return;
  settled_ = first;
  const Entry* const entries = entries_.data();
  double farthest = 0.0;
  for (std::uint32_t i = first; i < last; ++i) {
    const double until = odometer_.free_until(entries[i].room);
    free_until_[entries[i].node] = until;
    farthest = std::max(farthest, until);
    if (level_ == 1) continue;
    double& of_parent = below_[entries[i].parent & ~kCopy];
    of_parent = std::min(of_parent, until);
  }
  odometer_.note(farthest);
}

/// Stores for each visited node the reading up to which its subtree is free, from the leaves up. A
/// subtree whose children the node limit left out is not known to be free.
void ContactTraversal::settle() HAPTIC_REALTIME {
  if (cut_) {
    for (std::uint32_t k = 0; k < expanded_count_; ++k) {
      below_[expanded_[k].entry] = odometer_.reading();
    }
  }
  const Entry* const entries = entries_.data();
  double* const below = below_.data();
  double farthest = 0.0;
  for (std::uint32_t i = settled_; i-- > 0;) {
    const double until = std::min(own_[i], below[i]);
    free_until_[entries[i].node] = until;
    farthest = std::max(farthest, until);
    if (i < root_entries_) continue;
    double& of_parent = below[entries[i].parent & ~kCopy];
    of_parent = std::min(of_parent, until);
  }
  odometer_.note(farthest);
}

}  // namespace haptic
