#include "rt/worlds/cloth/collision/contact_candidates.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "rt/worlds/cloth/collision/hierarchy_pairs.h"

namespace haptic {
namespace {

/// Share of a distance that covers the rounding of the tests of boxes and axes.
constexpr double kRounding = 1e-9;

bool has(const TriangleCorners& t, std::uint32_t particle) HAPTIC_REALTIME {
  return t[0] == particle || t[1] == particle || t[2] == particle;
}

}  // namespace

ContactCandidates::ContactCandidates(std::span<const TriangleCorners> triangles,
                                     std::span<const double> x, double distance, double slack,
                                     std::size_t most)
    : distance_(distance * (1.0 + kRounding)),
      slack_(slack),
      nodes_(triangles, x, 4),
      owned_(triangles.size()),
      lower_(x.size()),
      upper_(x.size()),
      particle_boxes_(x.size() / 3),
      node_boxes_(nodes_.size()),
      pairs_(most),
      most_visits_(kMostVisits * triangles.size()) {
  std::vector<bool> taken(x.size() / 3, false);
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Owned& own = owned_[t];
    own.first_edge = static_cast<std::uint32_t>(edges_.size());
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t i = triangles[t][k], j = triangles[t][(k + 1) % 3];
      if (!taken[i]) own.vertices[own.vertex_count++] = i;
      taken[i] = true;
      if (known.insert(std::minmax(i, j)).second) edges_.push_back({i, j});
    }
    own.edge_count = static_cast<std::uint32_t>(edges_.size()) - own.first_edge;
  }
  edge_boxes_.resize(edges_.size());
}

bool ContactCandidates::covers(std::span<const double> before, std::span<const double> moves,
                               const Vector3& shift) const HAPTIC_REALTIME {
  if (!valid_) return false;
  bool inside = true;
  for (std::uint32_t i = 0; i < before.size() / 3; ++i) {
    const Vector3 start = at(before, i) - offset_, end = start + at(moves, i) - shift;
    const auto low = at(lower_, i).array(), high = at(upper_, i).array();
    inside = inside && (start.array() >= low).all() && (start.array() <= high).all() &&
             (end.array() >= low).all() && (end.array() <= high).all();
  }
  return inside;
}

ContactCandidates::Search ContactCandidates::search(std::span<const double> before,
                                                    std::span<const double> moves,
                                                    const Vector3& shift) HAPTIC_REALTIME {
  valid_ = false;
  pairs_.clear();
  visited_ = 0;
  offset_.setZero();
  if (!set_regions(before, moves, shift)) return Search::kNotFinite;
  set_boxes();
  bool room = true;
  for (std::uint32_t node = 0; node < nodes_.size() && room; ++node) {
    const std::uint32_t first = nodes_.first_child(node), end = first + nodes_.child_count(node);
    for (std::uint32_t a = first; a < end && room; ++a) {
      for (std::uint32_t b = a + 1; b < end && room; ++b) room = find_between(a, b);
    }
  }
  valid_ = room;
  return valid_ ? Search::kDone : Search::kFull;
}

bool ContactCandidates::set_regions(std::span<const double> before, std::span<const double> moves,
                                    const Vector3& shift) HAPTIC_REALTIME {
  const double grown = 0.5 * distance_;
  for (std::uint32_t i = 0; i < before.size() / 3; ++i) {
    const Vector3 start = at(before, i), end = start + at(moves, i) - shift;
    Vector3 low, high;
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(start[k], end[k]) - slack_;
      high[k] = std::max(start[k], end[k]) + slack_;
      if (!(-PackedBox::kGreatest < low[k] && high[k] < PackedBox::kGreatest)) return false;
    }
    at(lower_, i) = low;
    at(upper_, i) = high;
    particle_boxes_[i] = PackedBox(low.array() - grown, high.array() + grown);
  }
  return true;
}

void ContactCandidates::set_boxes() HAPTIC_REALTIME {
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edge_boxes_[e] = particle_boxes_[edges_[e].a];
    edge_boxes_[e].add(particle_boxes_[edges_[e].b]);
  }
  for (std::uint32_t node = nodes_.size(); node-- > 0;) {
    PackedBox box;
    if (nodes_.is_leaf(node)) {
      const auto& [i, j, k] = nodes_.triangles()[nodes_.triangle(node)];
      box = particle_boxes_[i];
      box.add(particle_boxes_[j]);
      box.add(particle_boxes_[k]);
    } else {
      const std::uint32_t first = nodes_.first_child(node);
      box = node_boxes_[first];
      for (std::uint32_t k = 1; k < nodes_.child_count(node); ++k) box.add(node_boxes_[first + k]);
    }
    node_boxes_[node] = box;
  }
}

bool ContactCandidates::find_between(std::uint32_t node_a, std::uint32_t node_b) HAPTIC_REALTIME {
  ++visited_;
  if (!overlap(node_boxes_[node_a], node_boxes_[node_b])) return true;
  NodePairStack stack;  // pairs that overlap: at most 15 a level are left behind
  stack.push(node_a, node_b);
  while (!stack.empty()) {
    const auto [a, b] = stack.pop();
    const bool leaf_a = nodes_.is_leaf(a), leaf_b = nodes_.is_leaf(b);
    if (leaf_a && leaf_b) {
      if (!compare(a, b)) return false;
      continue;
    }
    if (visited_ > most_visits_) return false;
    visited_ += nodes_.child_count(a) + std::size_t{nodes_.child_count(b)};
    const std::uint32_t first_a = leaf_a ? a : nodes_.first_child(a);
    const std::uint32_t end_a = leaf_a ? a + 1 : first_a + nodes_.child_count(a);
    const std::uint32_t first_b = leaf_b ? b : nodes_.first_child(b);
    const std::uint32_t end_b = leaf_b ? b + 1 : first_b + nodes_.child_count(b);
    for (std::uint32_t i = first_a; i < end_a; ++i) {
      for (std::uint32_t j = first_b; j < end_b; ++j) {
        stack.push_if(overlap(node_boxes_[i], node_boxes_[j]), i, j);
      }
    }
  }
  return true;
}

bool ContactCandidates::compare(std::uint32_t leaf_s, std::uint32_t leaf_t) HAPTIC_REALTIME {
  const std::uint32_t s = nodes_.triangle(leaf_s), t = nodes_.triangle(leaf_t);
  const PackedBox &box_s = node_boxes_[leaf_s], &box_t = node_boxes_[leaf_t];
  if (!compare_vertices(s, t, box_t) || !compare_vertices(t, s, box_s)) return false;
  visited_ += owned_[s].vertex_count + owned_[t].vertex_count;
  visited_ += std::size_t{owned_[s].edge_count} * owned_[t].edge_count;
  const std::uint32_t end_s = owned_[s].first_edge + owned_[s].edge_count;
  const std::uint32_t end_t = owned_[t].first_edge + owned_[t].edge_count;
  for (std::uint32_t e = owned_[s].first_edge; e < end_s; ++e) {
    if (!overlap(edge_boxes_[e], box_t)) continue;
    for (std::uint32_t f = owned_[t].first_edge; f < end_t; ++f) {
      const auto [a, b] = edges_[e];
      const auto [c, d] = edges_[f];
      if (!overlap(edge_boxes_[e], edge_boxes_[f])) continue;
      if (a == c || a == d || b == c || b == d) continue;
      const FeaturePair pair{{a, b, c, d}, FeaturePair::Kind::kEdges};
      if (is_apart(pair)) continue;
      if (!pairs_.push(pair)) return false;
    }
  }
  return true;
}

bool ContactCandidates::compare_vertices(std::uint32_t s, std::uint32_t t,
                                         const PackedBox& box_t) HAPTIC_REALTIME {
  const TriangleCorners& corners = nodes_.triangles()[t];
  for (std::uint32_t k = 0; k < owned_[s].vertex_count; ++k) {
    const std::uint32_t i = owned_[s].vertices[k];
    if (!overlap(particle_boxes_[i], box_t) || has(corners, i)) continue;
    const FeaturePair pair{{i, corners[0], corners[1], corners[2]},
                           FeaturePair::Kind::kVertexTriangle};
    if (is_apart(pair)) continue;
    if (!pairs_.push(pair)) return false;
  }
  return true;
}

bool ContactCandidates::is_apart(const FeaturePair& pair) const HAPTIC_REALTIME {
  // Along the line between the centroids: the least of the first, the most of the second.
  PairVectors centre, half;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3 low = at(lower_, pair.particles[i]), high = at(upper_, pair.particles[i]);
    centre[i] = 0.5 * (low + high);
    half[i] = 0.5 * (high - low);
  }
  const std::size_t split = pair.first_count();
  const Vector3 axis = split == 1 ? Vector3(centre[0] - (centre[1] + centre[2] + centre[3]) / 3.0)
                                  : Vector3(0.5 * (centre[0] + centre[1] - centre[2] - centre[3]));
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t i = 0; i < 4; ++i) {
    const double middle = axis.dot(centre[i]), reach = axis.cwiseAbs().dot(half[i]);
    if (i < split) {
      least = std::min(least, middle - reach);
    } else {
      most = std::max(most, middle + reach);
    }
  }
  return least - most > distance_ * std::sqrt(axis.squaredNorm());
}

}  // namespace haptic
