#include "rt/worlds/cloth/collision/contact_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "lab/samples/moving_cloths.h"
#include "rt/worlds/cloth/collision/packed_box.h"
#include "rt/worlds/cloth/collision/packed_box_block.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kDistance = 0.02, kSlack = 0.01;

/// The same name for a pair, whatever its order.
std::vector<std::uint32_t> name_of(const FeaturePair& pair) {
  const auto split = static_cast<std::ptrdiff_t>(pair.first_count());
  std::vector<std::uint32_t> first(pair.particles.begin(), pair.particles.begin() + split);
  std::vector<std::uint32_t> second(pair.particles.begin() + split, pair.particles.end());
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  if (first.size() == second.size() && second < first) std::swap(first, second);
  first.insert(first.end(), second.begin(), second.end());
  first.push_back(static_cast<std::uint32_t>(split));
  return first;
}
using Names = std::set<std::vector<std::uint32_t>>;

/// Every pair of features without a common particle.
std::vector<FeaturePair> all_pairs(const ClothMesh& mesh) {
  std::vector<FeaturePair> pairs;
  const auto add = [&](const FeaturePair& pair) {
    const auto split = static_cast<std::ptrdiff_t>(pair.first_count());
    for (auto p = pair.particles.begin() + split; p != pair.particles.end(); ++p) {
      if (std::find(pair.particles.begin(), pair.particles.begin() + split, *p) !=
          pair.particles.begin() + split) {
        return;
      }
    }
    pairs.push_back(pair);
  };
  for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
    for (const auto& t : mesh.triangles) {
      add({{i, t[0], t[1], t[2]}, FeaturePair::Kind::kVertexTriangle});
    }
  }
  const std::vector<MeshEdge> edges = mesh_edges(mesh);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (std::size_t f = e + 1; f < edges.size(); ++f) {
      add({{edges[e].a, edges[e].b, edges[f].a, edges[f].b}, FeaturePair::Kind::kEdges});
    }
  }
  return pairs;
}

/// @returns pairs that are near in the places `x`
std::size_t expect_near_pairs_listed(const std::vector<FeaturePair>& every,
                                     const ParticleVectors& x, const Names& listed) {
  std::size_t near = 0;
  for (const FeaturePair& pair : every) {
    if (distance_between(pair.kind, gather(pair, x)).distance >= kDistance) continue;
    ++near;
    EXPECT_TRUE(listed.contains(name_of(pair)));
  }
  return near;
}

TEST(ContactCandidates, hold_every_pair_that_may_come_near_within_the_regions) {
  const ClothMesh mesh = make_grid({9, 9}, 1.0, 1.0);
  const std::vector<FeaturePair> every = all_pairs(mesh);
  ParticleVectors before = waving(mesh, 0.02, 0.3, 9.0), moves(before.size(), 0.0);
  disturb(before, 0.02, 2);
  disturb(moves, 0.02, 3);
  ContactCandidates candidates(mesh.triangles, before, kDistance, kSlack, 20000);
  const Vector3 shift(0.3, -0.2, 0.1);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) at(moves, i) += shift;
  {
    NoAllocation guard;
    EXPECT_FALSE(candidates.covers({before, moves, shift}));
    ASSERT_EQ(candidates.search({before, moves, shift}), ContactCandidates::Search::kDone);
    EXPECT_TRUE(candidates.covers({before, moves, shift}));
  }
  Names listed;
  for (const FeaturePair& pair : candidates.pairs()) listed.insert(name_of(pair));
  EXPECT_EQ(listed.size(), candidates.pairs().size());  // each once
  EXPECT_LT(listed.size(), every.size() / 4);

  // Any way within the regions: balls that have gone on by the moves and the shift.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto in_ball = [&] {
    return Vector3(0.999 * kSlack * random_point(random, -1.0, 1.0) / std::sqrt(3.0));
  };
  std::size_t near = 0;
  for (int sample = 0; sample < 40; ++sample) {
    ParticleVectors x = before, way = moves;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      const Vector3 start = in_ball(), end = in_ball();
      at(x, i) += start;
      at(way, i) += end - start;
    }
    ASSERT_TRUE(candidates.covers({x, way, shift}));
    const double time = uniform(random);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += time * way[k];
    near += expect_near_pairs_listed(every, x, listed);
  }
  EXPECT_GT(near, 100u);
}

TEST(ContactCandidates, regions_are_balls_that_go_on_until_their_end) {
  const ClothMesh mesh = make_grid({3, 3}, 1.0, 1.0);
  const ParticleVectors x = positions(mesh), still(x.size(), 0.0);
  const Vector3 none = Vector3::Zero();
  ParticleVectors moves = still;
  moves[0] = 2.0 * kSlack;  // serves kMaxRadii / 2 = 2 steps
  ContactCandidates candidates(mesh.triangles, x, kDistance, kSlack, 1000);
  ASSERT_EQ(candidates.search({x, moves, none}), ContactCandidates::Search::kDone);
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (const double side : {-1.0, 1.0}) {
      ParticleVectors place = x, way = moves;
      place[k] += 0.999 * side * kSlack;
      ASSERT_TRUE(candidates.covers({place, moves, none}));
      way[k] += 0.999 * side * kSlack;
      ASSERT_TRUE(candidates.covers({x, way, none}));
      way[k] = moves[k] + 1.001 * side * kSlack;
      ASSERT_FALSE(candidates.covers({x, way, none}));
      place[k] = x[k] + 1.001 * side * kSlack;
      ASSERT_FALSE(candidates.covers({place, moves, none}));
    }
  }
  ParticleVectors next = x;
  next[0] += moves[0];
  candidates.advance(none);
  EXPECT_TRUE(candidates.covers({next, moves, none}));
  EXPECT_FALSE(candidates.covers({x, still, none}));
  next[0] += moves[0];
  candidates.advance(none);
  EXPECT_FALSE(candidates.covers({next, moves, none}));  // its end
  next[0] -= moves[0];
  EXPECT_FALSE(candidates.covers({next, still, none}));
}

/// A cloth that waves and is rolled up more and more, so that layers come near and part.
ParticleVectors rolling(const ClothMesh& mesh, int step) {
  const double phase = 0.02 * step, roll = 4.0 + 3.0 * std::sin(0.5 * phase);
  ParticleVectors x = waving(mesh, 0.05, phase, roll);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    at(x, i) *= 1.0 + 0.2 * mesh.vertices[i][0];
    at(x, i)[0] += 0.01 * step;  // the whole of it moves
  }
  return x;
}

TEST(ContactCandidates, renewed_regions_keep_the_list_as_complete_as_a_search) {
  const ClothMesh mesh = make_grid({13, 13}, 1.0, 1.0);
  const std::vector<FeaturePair> every = all_pairs(mesh);
  ContactCandidates candidates(mesh.triangles, positions(mesh), kDistance, kSlack, 20000);
  std::size_t near = 0, renewed = 0, searches = 0;
  for (int step = 0; step < 300; ++step) {
    const ParticleVectors before = rolling(mesh, step), end = rolling(mesh, step + 1);
    ParticleVectors moves(before.size());
    for (std::size_t k = 0; k < moves.size(); ++k) moves[k] = end[k] - before[k];
    const Vector3 shift(0.01, 0.0, 0.0);
    {
      NoAllocation guard;
      ASSERT_EQ(candidates.follow({before, moves, shift}, true), ContactCandidates::Search::kDone);
    }
    ASSERT_TRUE(candidates.covers({before, moves, shift}));
    renewed += candidates.renewed();
    searches += candidates.searched() ? 1 : 0;
    Names listed;
    for (const FeaturePair& pair : candidates.pairs()) listed.insert(name_of(pair));
    ASSERT_EQ(listed.size(), candidates.pairs().size());  // each once
    ParticleVectors middle = before;
    for (std::size_t k = 0; k < moves.size(); ++k) middle[k] += 0.5 * moves[k];
    for (const ParticleVectors* x : {&before, &std::as_const(middle), &end}) {
      near += expect_near_pairs_listed(every, *x, listed);
    }
    candidates.advance(shift);
  }
  EXPECT_GT(near, 1000u);
  EXPECT_GT(renewed, 1000u);
  EXPECT_LT(searches, 30u);  // 300 steps
}

TEST(ContactCandidates, a_few_that_leave_are_renewed_and_a_jump_of_many_is_searched) {
  const ClothMesh mesh = make_grid({13, 13}, 1.0, 1.0);
  const std::vector<FeaturePair> every = all_pairs(mesh);
  ParticleVectors x = positions(mesh), still(x.size(), 0.0);
  const Vector3 none = Vector3::Zero();
  ContactCandidates candidates(mesh.triangles, x, kDistance, kSlack, 20000);
  ASSERT_EQ(candidates.follow({x, still, none}, true), ContactCandidates::Search::kDone);
  EXPECT_TRUE(candidates.searched());
  ASSERT_EQ(candidates.follow({x, still, none}, true), ContactCandidates::Search::kDone);
  EXPECT_FALSE(candidates.searched());
  EXPECT_EQ(candidates.renewed(), 0u);
  // At an absurd speed across the cloth, 10 km/s at 1 kHz, beside all of it.
  ParticleVectors moves = still;
  at(moves, 0) = Vector3(10.0, 10.0, 0.0);
  ASSERT_EQ(candidates.follow({x, moves, none}, true), ContactCandidates::Search::kDone);
  EXPECT_FALSE(candidates.searched());
  EXPECT_EQ(candidates.renewed(), 1u);
  Names listed;
  for (const FeaturePair& pair : candidates.pairs()) listed.insert(name_of(pair));
  for (const double time : {0.0, 0.02, 0.05, 0.1, 1.0}) {
    ParticleVectors then = x;
    at(then, 0) += time * at(moves, 0);
    expect_near_pairs_listed(every, then, listed);
  }
  for (std::size_t i = 0; i < mesh.vertices.size(); i += 3) at(x, i)[2] += 0.1;
  ASSERT_EQ(candidates.follow({x, still, none}, true), ContactCandidates::Search::kDone);
  EXPECT_TRUE(candidates.searched());
  EXPECT_TRUE(candidates.covers({x, still, none}));
}

TEST(ContactCandidates, a_renewal_that_does_not_fit_ends_the_list) {
  const ClothMesh mesh = make_grid({13, 13}, 1.0, 1.0);
  const ParticleVectors x = positions(mesh), still(x.size(), 0.0);
  const Vector3 none = Vector3::Zero();
  ContactCandidates candidates(mesh.triangles, x, kDistance, kSlack, 20);
  ASSERT_EQ(candidates.follow({x, still, none}, true), ContactCandidates::Search::kDone);
  ParticleVectors moves = still;
  at(moves, 0) = Vector3(1.0, 1.0, 0.0);
  EXPECT_EQ(candidates.follow({x, moves, none}, true), ContactCandidates::Search::kFull);
  EXPECT_FALSE(candidates.covers({x, still, none}));
  EXPECT_EQ(candidates.follow({x, still, none}, true), ContactCandidates::Search::kDone);
  EXPECT_TRUE(candidates.searched());
  at(moves, 0)[1] = std::nan("");
  EXPECT_EQ(candidates.follow({x, moves, none}, true), ContactCandidates::Search::kNotFinite);
}

TEST(ContactCandidates, a_full_list_and_what_is_not_finite_cover_nothing) {
  const ClothMesh mesh = make_grid({9, 9}, 1.0, 1.0);
  const ParticleVectors still(3 * 81, 0.0);
  ParticleVectors crushed = positions(mesh);
  for (double& value : crushed) value *= 0.01;
  ContactCandidates candidates(mesh.triangles, crushed, kDistance, kSlack, 50);
  EXPECT_EQ(candidates.search({crushed, still, Vector3::Zero()}), ContactCandidates::Search::kFull);
  EXPECT_FALSE(candidates.covers({crushed, still, Vector3::Zero()}));
  // Room for as many pairs as there may be visits, so the bound of these ends the search.
  const ClothMesh large = make_grid({20, 20}, 0.01, 0.01);
  const ParticleVectors x = positions(large), rest(x.size(), 0.0);
  ContactCandidates many(large.triangles, x, kDistance, kSlack, 800000);
  EXPECT_EQ(many.search({x, rest, Vector3::Zero()}), ContactCandidates::Search::kFull);
  EXPECT_LT(many.visited(), 2 * ContactCandidates::kMaxVisits * large.triangles.size());
  for (const double bad : {std::nan(""), HUGE_VAL, 1e31}) {
    ParticleVectors broken = positions(mesh);
    broken[10] = bad;
    EXPECT_EQ(candidates.search({broken, still, Vector3::Zero()}),
              ContactCandidates::Search::kNotFinite);
    EXPECT_FALSE(candidates.covers({broken, still, Vector3::Zero()}));
  }
}

TEST(PackedBoxes, overlap_where_boxes_do_and_hold_them) {
  std::mt19937 random(9);
  int overlaps = 0;
  PackedBoxBlock block;
  for (int k = 0; k < 20000; ++k) {
    BoxVolume a, b;
    for (BoxVolume* box : {&a, &b}) {
      const Vector3 p = random_point(random, -1.0, 1.0), q = random_point(random, -1.0, 1.0);
      *box = {p.cwiseMin(q), p.cwiseMax(q)};
    }
    const PackedBox packed_a(a.lower, a.upper), packed_b(b.lower, b.upper);
    // Random boxes are never as near as a rounding of 2e-7.
    ASSERT_EQ(overlap(packed_a, packed_b), overlap(a, b));
    block.set(3, packed_b);
    ASSERT_EQ(block.overlaps(packed_a, 4) >> 3, overlap(a, b) ? 1u : 0u);
    ASSERT_EQ(block.overlaps(packed_a, 3) >> 3, 0u);
    overlaps += overlap(a, b) ? 1 : 0;
    for (Eigen::Index i = 0; i < 3; ++i) {
      ASSERT_GE(static_cast<double>(packed_a.upper[i]), a.upper[i]);
      ASSERT_GE(static_cast<double>(packed_a.minus_lower[i]), -a.lower[i]);
      ASSERT_LE(static_cast<double>(packed_a.upper[i]) - a.upper[i], 2e-7);
    }
    PackedBox both = packed_a;
    both.add(packed_b);
    const BoxVolume merged_box = merged(a, b);
    for (Eigen::Index i = 0; i < 3; ++i) {
      ASSERT_NEAR(both.upper[i], merged_box.upper[i], 2e-7);
      ASSERT_NEAR(both.minus_lower[i], -merged_box.lower[i], 2e-7);
    }
  }
  EXPECT_GT(overlaps, 2000);
  // Boxes that touch overlap, 1 km away as well.
  const Vector3 far(1000.1, -2000.3, 3000.7), one(1.0, 1.0, 1.0);
  EXPECT_TRUE(overlap(PackedBox(far, far + one), PackedBox(far + one, far + 2.0 * one)));
}

}  // namespace
}  // namespace haptic::cloth
