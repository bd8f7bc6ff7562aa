#include "rt/worlds/cloth/collision/contact_candidates.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rt/worlds/cloth/collision/node_pair_stack.h"

namespace haptic::cloth {
namespace {

/// Share of a distance that covers the rounding of the tests of boxes and axes.
constexpr double kRounding = 1e-9;
/// Pairs that a renewal compares, a triangle, before it leaves the step to a search.
constexpr std::size_t kRenewalVisits = 48;

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
      features_(triangles, x.size() / 3),
      leaf_of_(triangles.size()),
      regions_(x.size() / 3),
      particle_boxes_(x.size() / 3),
      edge_boxes_(features_.edges().size()),
      node_boxes_(nodes_.size()),
      pairs_(most),
      chosen_(x.size() / 3),
      is_chosen_(x.size() / 3, 0),
      uses_(x.size() / 3),
      dirty_((std::size_t{nodes_.size()} + 63) / 64, 0),
      most_visits_(kMaxVisits * triangles.size()),
      most_renewal_visits_(kRenewalVisits * triangles.size()) {
  for (const std::uint32_t leaf : nodes_.leaves()) leaf_of_[nodes_.triangle(leaf)] = leaf;
}

double ContactCandidates::use(const Step& step, std::uint32_t particle) const HAPTIC_REALTIME {
  const MovingRegion& region = regions_[particle];
  if (now_ >= region.until) return HUGE_VAL;
  const Vector3 start = at(step.before, particle) - offset_;
  const Vector3 move = at(step.moves, particle) - step.shift;
  const simd::Double4 place{start[0], start[1], start[2], 0.0};
  const simd::Double4 off = place - region.at(now_);
  const simd::Double4 off_then =
      place + simd::Double4{move[0], move[1], move[2], 0.0} - region.at(now_ + 1.0);
  const double used = simd::sum(off * off), used_then = simd::sum(off_then * off_then);
  // Not a number is outside.
  const double most = slack_ * slack_;
  return used <= most && used_then <= most ? std::max(used, used_then) : HUGE_VAL;
}

bool ContactCandidates::covers(const Step& step) const HAPTIC_REALTIME {
  if (!valid_) return false;
  bool inside = true;
  for (std::uint32_t i = 0; i < regions_.size(); ++i) inside = inside && use(step, i) < HUGE_VAL;
  return inside;
}

void ContactCandidates::advance(const Vector3& shift) HAPTIC_REALTIME {
  offset_ += shift;
  now_ += 1.0;
}

ContactCandidates::Search ContactCandidates::search(const Step& step) HAPTIC_REALTIME {
  valid_ = false;
  searched_ = true;
  pairs_.clear();
  visited_ = renewed_ = 0;
  offset_.setZero();
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    // Not all of them end in the same step.
    const double share = 1.0 - 0.125 * static_cast<double>(i % 5);
    if (!set_region(step, i, share)) return Search::kNotFinite;
  }
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

bool ContactCandidates::set_region(const Step& step, std::uint32_t particle,
                                   double share) HAPTIC_REALTIME {
  const MovingRegion region(at(step.before, particle) - offset_,
                            at(step.moves, particle) - step.shift, slack_, share, now_);
  if (!region.is_bounded()) return false;
  regions_[particle] = region;
  particle_boxes_[particle] = region.box(slack_ + 0.5 * distance_);
  return true;
}

void ContactCandidates::set_edge_box(std::uint32_t edge) HAPTIC_REALTIME {
  const auto [a, b] = features_.edges()[edge];
  edge_boxes_[edge] = particle_boxes_[a];
  edge_boxes_[edge].add(particle_boxes_[b]);
}

void ContactCandidates::set_node_box(std::uint32_t node) HAPTIC_REALTIME {
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

void ContactCandidates::set_boxes() HAPTIC_REALTIME {
  for (std::uint32_t e = 0; e < edge_boxes_.size(); ++e) set_edge_box(e);
  for (std::uint32_t node = nodes_.size(); node-- > 0;) set_node_box(node);
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
  const FeatureOwners::Owned &own_s = features_.owned(s), &own_t = features_.owned(t);
  const PackedBox &box_s = node_boxes_[leaf_s], &box_t = node_boxes_[leaf_t];
  if (!compare_vertices(s, t, box_t) || !compare_vertices(t, s, box_s)) return false;
  visited_ += own_s.vertex_count + own_t.vertex_count;
  visited_ += std::size_t{own_s.edge_count} * own_t.edge_count;
  const std::uint32_t end_s = own_s.first_edge + own_s.edge_count;
  const std::uint32_t end_t = own_t.first_edge + own_t.edge_count;
  for (std::uint32_t e = own_s.first_edge; e < end_s; ++e) {
    if (!overlap(edge_boxes_[e], box_t)) continue;
    for (std::uint32_t f = own_t.first_edge; f < end_t; ++f) {
      const auto [a, b] = features_.edges()[e];
      const auto [c, d] = features_.edges()[f];
      if (!overlap(edge_boxes_[e], edge_boxes_[f])) continue;
      if (a == c || a == d || b == c || b == d) continue;
      const FeaturePair pair{{a, b, c, d}, FeaturePair::Kind::kEdges};
      if (is_apart(pair) || is_apart_at_rest(pair)) continue;
      if (!pairs_.push(pair)) return false;
    }
  }
  return true;
}

bool ContactCandidates::compare_vertices(std::uint32_t s, std::uint32_t t,
                                         const PackedBox& box_t) HAPTIC_REALTIME {
  const TriangleCorners& corners = nodes_.triangles()[t];
  const FeatureOwners::Owned& own_s = features_.owned(s);
  for (std::uint32_t k = 0; k < own_s.vertex_count; ++k) {
    const std::uint32_t i = own_s.vertices[k];
    if (!overlap(particle_boxes_[i], box_t) || has(corners, i)) continue;
    const FeaturePair pair{{i, corners[0], corners[1], corners[2]},
                           FeaturePair::Kind::kVertexTriangle};
    if (is_apart(pair) || is_apart_at_rest(pair)) continue;
    if (!pairs_.push(pair)) return false;
  }
  return true;
}

ContactCandidates::Ends ContactCandidates::ends_of(const FeaturePair& pair) const HAPTIC_REALTIME {
  const auto& p = pair.particles;
  const MovingRegion* const of[4] = {&regions_[p[0]], &regions_[p[1]], &regions_[p[2]],
                                     &regions_[p[3]]};
  const double last =
      std::min(std::min(std::min(of[0]->until, of[1]->until), std::min(of[2]->until, of[3]->until)),
               now_ + MovingRegion::kMaxSteps);
  Ends ends;
  for (int i = 0; i < 4; ++i) {
    ends.first[i] = of[i]->at(now_);
    ends.then[i] = of[i]->at(last);
  }
  return ends;
}

/// The least of the first feature less the most of the second, along a line, is concave in time, so
/// it is least at an end.
bool ContactCandidates::is_apart_along(const simd::Double4& axis, FeaturePair::Kind kind,
                                       const Ends& centres) const HAPTIC_REALTIME {
  const bool vertex = kind == FeaturePair::Kind::kVertexTriangle;
  const auto gap = [vertex, &axis](const simd::Double4* x) {
    const simd::Double4 d = simd::sums(axis * x[0], axis * x[1], axis * x[2], axis * x[3]);
    const double most = std::max(d[2], d[3]);
    // Both, to avoid a branch.
    const double corners = d[0] - std::max(d[1], most), edges = std::min(d[0], d[1]) - most;
    return vertex ? corners : edges;
  };
  const double least = std::min(gap(centres.first), gap(centres.then));
  const double apart = distance_ + 2.0 * slack_;
  return (least > 0.0) & (least * least > apart * apart * simd::sum(axis * axis));
}

bool ContactCandidates::is_apart(const FeaturePair& pair) const HAPTIC_REALTIME {
  const Ends e = ends_of(pair);
  const simd::Double4 rest = e.first[2] + e.then[2] + e.first[3] + e.then[3];
  const simd::Double4 one = e.first[0] + e.then[0], two = e.first[1] + e.then[1];
  const simd::Double4 edges = one + two - rest, corners = one - (two + rest) * (1.0 / 3.0);
  const bool vertex = pair.kind == FeaturePair::Kind::kVertexTriangle;
  return is_apart_along(vertex ? corners : edges, pair.kind, e);
}

bool ContactCandidates::is_apart_at_rest(const FeaturePair& pair) const HAPTIC_REALTIME {
  for (const std::uint32_t i : pair.particles) {
    if (regions_[i].until != MovingRegion::kForEver) return false;
  }
  const Ends e = ends_of(pair);
  PairVectors x;
  for (std::size_t i = 0; i < 4; ++i) x[i] = Vector3(e.first[i][0], e.first[i][1], e.first[i][2]);
  const Vector3 normal = distance_between(pair.kind, x).normal;
  return is_apart_along(simd::Double4{normal[0], normal[1], normal[2], 0.0}, pair.kind, e);
}

}  // namespace haptic::cloth
