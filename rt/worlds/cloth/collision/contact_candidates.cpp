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
      tree_(triangles, x, {.branching = 4, .inflation = 0.5 * distance_}),
      owned_(triangles.size()),
      lower_(x.size()),
      upper_(x.size()),
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
  boxes_.resize(edges_.size());
}

BoxVolume ContactCandidates::region(std::uint32_t particle) const HAPTIC_REALTIME {
  return {at(lower_, particle), at(upper_, particle)};
}

bool ContactCandidates::covers(std::span<const double> before, std::span<const double> moves,
                               const Vector3& shift) const HAPTIC_REALTIME {
  if (!valid_) return false;
  bool inside = true;
  for (std::uint32_t i = 0; i < before.size() / 3; ++i) {
    const BoxVolume box = region(i);
    const Vector3 start = at(before, i) - offset_, end = start + at(moves, i) - shift;
    inside = inside && contains(box, start) && contains(box, end);
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
  for (std::uint32_t i = 0; i < before.size() / 3; ++i) {
    const Vector3 start = at(before, i), end = start + at(moves, i) - shift;
    at(lower_, i) = start.cwiseMin(end).array() - slack_;
    at(upper_, i) = start.cwiseMax(end).array() + slack_;
  }
  if (tree_.refit_all(lower_, upper_) != UpdateResult::kDone) return Search::kNotFinite;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    boxes_[e] = merged(region(edges_[e].a), region(edges_[e].b));
    inflate(boxes_[e], 0.5 * distance_);
  }
  find_pairs();
  valid_ = !pairs_.overflowed() && visited_ < most_visits_;
  return valid_ ? Search::kDone : Search::kFull;
}

void ContactCandidates::find_pairs() HAPTIC_REALTIME {
  const HierarchyTopology& nodes = tree_.topology();
  bool room = true;
  const auto add = [&](std::uint32_t leaf_s, std::uint32_t leaf_t) {
    room = compare(nodes.triangle(leaf_s), leaf_s, nodes.triangle(leaf_t), leaf_t) &&
           visited_ < most_visits_;
    return room;
  };
  for (std::uint32_t node = 0; node < nodes.size() && room; ++node) {
    if (nodes.is_leaf(node)) continue;
    const std::uint32_t first = nodes.first_child(node), end = first + nodes.child_count(node);
    for (std::uint32_t a = first; a < end && room; ++a) {
      for (std::uint32_t b = a + 1; b < end && room; ++b) {
        visited_ += visit_leaf_pairs(tree_, tree_, a, b, add);
      }
    }
  }
}

bool ContactCandidates::compare(std::uint32_t s, std::uint32_t leaf_s, std::uint32_t t,
                                std::uint32_t leaf_t) HAPTIC_REALTIME {
  ++visited_;
  if (!compare_vertices(s, t, leaf_t) || !compare_vertices(t, s, leaf_s)) return false;
  for (std::uint32_t i = 0; i < owned_[s].edge_count; ++i) {
    const std::uint32_t e = owned_[s].first_edge + i;
    if (!overlap(boxes_[e], tree_.volume(leaf_t))) continue;
    for (std::uint32_t j = 0; j < owned_[t].edge_count; ++j) {
      const std::uint32_t f = owned_[t].first_edge + j;
      const auto [a, b] = edges_[e];
      const auto [c, d] = edges_[f];
      if (a == c || a == d || b == c || b == d) continue;
      ++visited_;
      const FeaturePair pair{{a, b, c, d}, FeaturePair::Kind::kEdges};
      if (!overlap(boxes_[e], boxes_[f]) || is_apart(pair)) continue;
      if (!pairs_.push(pair)) return false;
    }
  }
  return true;
}

bool ContactCandidates::compare_vertices(std::uint32_t s, std::uint32_t t,
                                         std::uint32_t leaf_t) HAPTIC_REALTIME {
  const TriangleCorners& corners = tree_.topology().triangles()[t];
  for (std::uint32_t k = 0; k < owned_[s].vertex_count; ++k) {
    const std::uint32_t i = owned_[s].vertices[k];
    if (has(corners, i)) continue;
    ++visited_;
    BoxVolume box = region(i);
    inflate(box, 0.5 * distance_);
    const FeaturePair pair{{i, corners[0], corners[1], corners[2]},
                           FeaturePair::Kind::kVertexTriangle};
    if (!overlap(box, tree_.volume(leaf_t)) || is_apart(pair)) continue;
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
