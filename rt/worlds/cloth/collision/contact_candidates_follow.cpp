#include <algorithm>
#include <bit>
#include <cmath>

#include "rt/worlds/cloth/collision/contact_candidates.h"

namespace haptic::cloth {
namespace {

/// Share of the slack, squared, and steps before its end from which on a region may be renewed
/// ahead of need.
constexpr double kAheadUse = 0.5;
constexpr double kAheadSteps = 3.0;

/// The items from `first` on that fit into a block.
std::span<const std::uint32_t> block(std::span<const std::uint32_t> items,
                                     std::size_t first) HAPTIC_REALTIME {
  const auto rest = items.subspan(std::min(first, items.size()));
  return rest.first(std::min(rest.size(), std::size_t{PackedBoxBlock::kSize}));
}

}  // namespace

ContactCandidates::Search ContactCandidates::follow(const Step& step, bool ahead) HAPTIC_REALTIME {
  visited_ = renewed_ = 0;
  searched_ = false;
  if (!valid_) return search(step);
  choose(step, ahead);
  if (chosen_count_ == 0) return Search::kDone;
  const bool few = kMaxFraction * chosen_count_ <= regions_.size();
  const bool renewed = few && renew(step);
  for (std::size_t k = 0; k < chosen_count_; ++k) is_chosen_[chosen_[k]] = 0;
  return renewed ? Search::kDone : search(step);
}

/// Chooses the particles whose regions are renewed in this step: all that have left theirs and,
/// with `ahead`, a few that are about to, continuing where the last step stopped.
void ContactCandidates::choose(const Step& step, bool ahead) HAPTIC_REALTIME {
  chosen_count_ = 0;
  const std::size_t count = regions_.size(), most = ahead ? count / kAheadShare + 1 : 0;
  const double much = kAheadUse * slack_ * slack_;
  const auto add = [&](std::size_t i) {
    chosen_[chosen_count_++] = static_cast<std::uint32_t>(i);
    is_chosen_[i] = 1;
  };
  for (std::uint32_t i = 0; i < count; ++i) uses_[i] = use(step, i);
  for (std::size_t i = 0; i < count; ++i) {
    if (uses_[i] == HUGE_VAL) add(i);
  }
  for (std::size_t k = 0; k < count && chosen_count_ < most; ++k) {
    const std::size_t i = next_ahead_;
    next_ahead_ = i + 1 == count ? 0 : i + 1;
    if (is_chosen_[i] == 0 && (uses_[i] > much || regions_[i].until - now_ <= kAheadSteps)) add(i);
  }
}

bool ContactCandidates::renew(const Step& step) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < chosen_count_; ++k) {
    if (!set_region(step, chosen_[k], 1.0)) return false;
  }
  refit();
  drop_changed();
  queued_ = 0;
  for (std::size_t k = 0; k < chosen_count_; ++k) {
    if (!find_star(chosen_[k])) return false;
  }
  if (!empty_queue()) return false;
  renewed_ = chosen_count_;
  return true;
}

void ContactCandidates::refit() HAPTIC_REALTIME {
  const auto mark = [this](std::uint32_t node) {
    dirty_[node / 64] |= std::uint64_t{1} << (node % 64);
  };
  for (std::size_t k = 0; k < chosen_count_; ++k) {
    for (const std::uint32_t e : features_.edges_of(chosen_[k])) set_edge_box(e);
    for (const std::uint32_t t : features_.triangles_of(chosen_[k])) mark(leaf_of_[t]);
  }
  // Descending numbers: children before their parent.
  for (std::size_t w = dirty_.size(); w-- > 0;) {
    while (dirty_[w] != 0) {
      const unsigned bit = 63u - static_cast<unsigned>(std::countl_zero(dirty_[w]));
      dirty_[w] &= ~(std::uint64_t{1} << bit);
      const std::uint32_t node = static_cast<std::uint32_t>(64 * w + bit);
      set_node_box(node);
      if (nodes_.parent(node) != HierarchyTopology::kNone) mark(nodes_.parent(node));
    }
  }
}

void ContactCandidates::drop_changed() HAPTIC_REALTIME {
  pairs_.keep_if([this](const FeaturePair& pair) {
    const auto& [a, b, c, d] = pair.particles;
    return (is_chosen_[a] | is_chosen_[b] | is_chosen_[c] | is_chosen_[d]) == 0;
  });
}

bool ContactCandidates::find_star(std::uint32_t particle) HAPTIC_REALTIME {
  const auto triangles = features_.triangles_of(particle);
  const auto edges = features_.edges_of(particle);
  PackedBox box = particle_boxes_[particle];
  for (const std::uint32_t t : triangles) box.add(node_boxes_[leaf_of_[t]]);
  for (std::size_t first = 0; first < std::max(triangles.size(), edges.size());
       first += PackedBoxBlock::kSize) {
    Star star{particle, first == 0, block(triangles, first), block(edges, first), {}, {}};
    for (std::uint32_t k = 0; k < star.triangles.size(); ++k) {
      star.triangle_boxes.set(k, node_boxes_[leaf_of_[star.triangles[k]]]);
    }
    for (std::uint32_t k = 0; k < star.edges.size(); ++k) {
      star.edge_boxes.set(k, edge_boxes_[star.edges[k]]);
    }
    for (std::uint32_t node = 0; node < nodes_.size();) {
      if (++visited_ > most_renewal_visits_) return false;
      const bool apart = !overlap(node_boxes_[node], box), leaf = nodes_.is_leaf(node);
      if (!apart && leaf) {
        if (queued_ + kMaxFromLeaf > queue_.size() && !empty_queue()) return false;
        compare_star(star, node);
      }
      node = apart || leaf ? nodes_.after(node) : nodes_.first_child(node);
    }
  }
  return true;
}

/// The features of the star with those that the triangle of the leaf owns, and the particle with
/// the triangle itself.
void ContactCandidates::compare_star(const Star& star, std::uint32_t leaf) HAPTIC_REALTIME {
  const std::uint32_t t = nodes_.triangle(leaf);
  const FeatureOwners::Owned& own = features_.owned(t);
  visited_ += own.vertex_count + own.edge_count;
  if (star.with_vertex && overlap(particle_boxes_[star.particle], node_boxes_[leaf])) {
    const auto& [i, j, k] = nodes_.triangles()[t];
    queue(star.particle, {{star.particle, i, j, k}, FeaturePair::Kind::kVertexTriangle});
  }
  for (std::uint32_t v = 0; v < own.vertex_count; ++v) {
    const std::uint32_t vertex = own.vertices[v];
    std::uint32_t found = star.triangle_boxes.overlaps(
        particle_boxes_[vertex], static_cast<std::uint32_t>(star.triangles.size()));
    for (; found != 0; found &= found - 1) {
      const auto& [i, j, k] = nodes_.triangles()[star.triangles[std::countr_zero(found)]];
      queue(star.particle, {{vertex, i, j, k}, FeaturePair::Kind::kVertexTriangle});
    }
  }
  for (std::uint32_t f = own.first_edge; f < own.first_edge + own.edge_count; ++f) {
    const auto [c, d] = features_.edges()[f];
    std::uint32_t found =
        star.edge_boxes.overlaps(edge_boxes_[f], static_cast<std::uint32_t>(star.edges.size()));
    for (; found != 0; found &= found - 1) {
      const auto [a, b] = features_.edges()[star.edges[std::countr_zero(found)]];
      queue(star.particle, {{a, b, c, d}, FeaturePair::Kind::kEdges});
    }
  }
}

/// Puts the pair into the queue unless its features have a common particle. A pair of several
/// chosen particles is found from the star of each, and counts for the first. Without branches,
/// which would be mispredicted.
void ContactCandidates::queue(std::uint32_t particle, const FeaturePair& pair) HAPTIC_REALTIME {
  const auto& p = pair.particles;
  unsigned wanted = unsigned{p[0] != p[2]} & unsigned{p[0] != p[3]};
  if (pair.kind == FeaturePair::Kind::kEdges) {
    wanted &= unsigned{p[1] != p[2]} & unsigned{p[1] != p[3]};
  } else {
    wanted &= unsigned{p[0] != p[1]};
  }
  for (const std::uint32_t i : p) wanted &= unsigned{i >= particle} | unsigned{is_chosen_[i] == 0};
  queue_[queued_] = pair;
  queued_ += wanted;
}

/// Moves the pairs of the queue that may come near to the list.
bool ContactCandidates::empty_queue() HAPTIC_REALTIME {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < queued_; ++k) {
    const FeaturePair pair = queue_[k];
    queue_[kept] = pair;
    kept += is_apart(pair) ? 0 : 1;
  }
  queued_ = 0;
  for (std::size_t k = 0; k < kept; ++k) {
    if (!is_apart_at_rest(queue_[k]) && !pairs_.push(queue_[k])) return false;
  }
  return true;
}

}  // namespace haptic::cloth
