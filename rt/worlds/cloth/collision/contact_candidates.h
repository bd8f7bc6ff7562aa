#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/feature_owners.h"
#include "rt/worlds/cloth/collision/feature_pair.h"
#include "rt/worlds/cloth/collision/hierarchy_topology.h"
#include "rt/worlds/cloth/collision/moving_region.h"
#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "rt/worlds/cloth/collision/packed_box.h"
#include "rt/worlds/cloth/collision/packed_box_block.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Pairs of features of a moving surface that may come nearer to each other than a distance.
///
/// Every particle has a MovingRegion. The list holds every pair that may come near while all
/// particles are in their regions, so it serves many steps. A particle that leaves its region, or
/// is about to, gets another one, and the pairs of its star alone are searched again; the search
/// for all pairs is for the first step, for jumps, and where many particles leave at once.
/// Regions move with a translation of the whole surface, which changes no distance.
/// Source: docs/methods/cloth.md, "Self-collision response".
class ContactCandidates {
 public:
  enum class Search : std::uint8_t { kDone, kFull, kNotFinite };
  /// A straight step of all particles.
  struct Step {
    std::span<const double> before, moves;  ///< 3n values each [m]
    Vector3 shift;                          ///< of the whole surface, part of the moves [m]
  };

  /// @param distance  of pairs [m], > 0
  /// @param slack     radius of the regions [m], >= 0
  /// @param most      pairs that the list holds
  /// @throws InputError as HierarchyTopology
  ContactCandidates(std::span<const TriangleCorners> triangles, std::span<const double> x,
                    double distance, double slack, std::size_t most);

  /// Whether the pairs hold for the step.
  bool covers(const Step& step) const HAPTIC_REALTIME;
  /// Makes the pairs hold for the step, with other regions where they must be and, if `ahead`, for
  /// up to 1 in kAheadShare particles that will need one soon. Searches all pairs where more than
  /// 1 in kMaxFraction need one. If the result is not kDone, `covers` is false from then on.
  Search follow(const Step& step, bool ahead) HAPTIC_REALTIME;
  /// Finds all pairs anew, with regions around this step. Bounded by the capacity of the list and
  /// by `kMaxVisits` a triangle. If the result is not kDone, `covers` is false from then on.
  Search search(const Step& step) HAPTIC_REALTIME;
  /// After a step: time goes on, and the regions have moved by its shift.
  void advance(const Vector3& shift) HAPTIC_REALTIME;

  std::span<const FeaturePair> pairs() const HAPTIC_REALTIME { return pairs_.items(); }
  /// By the last call of follow() or search(): pairs of nodes and of features that were compared,
  /// particles that got another region, whether all pairs were searched.
  std::size_t visited() const HAPTIC_REALTIME { return visited_; }
  std::size_t renewed() const HAPTIC_REALTIME { return renewed_; }
  bool searched() const HAPTIC_REALTIME { return searched_; }

  static constexpr std::size_t kMaxVisits = 1024, kAheadShare = 48, kMaxFraction = 6;

 private:
  struct Ends {  // where the centres of the regions are now, and at the first end of one [m]
    simd::Double4 first[4], then[4];
  };
  struct Star {  // up to eight of the triangles and edges that have a particle
    std::uint32_t particle;
    bool with_vertex;
    std::span<const std::uint32_t> triangles, edges;
    PackedBoxBlock triangle_boxes, edge_boxes;
  };

  /// 0 at the centre of the region, 1 at its border, squared; more where it ends with the step.
  double use(const Step& step, std::uint32_t particle) const HAPTIC_REALTIME;
  bool set_region(const Step& step, std::uint32_t particle, double share) HAPTIC_REALTIME;
  void set_boxes() HAPTIC_REALTIME;
  void set_edge_box(std::uint32_t edge) HAPTIC_REALTIME;
  void set_node_box(std::uint32_t node) HAPTIC_REALTIME;
  bool find_between(std::uint32_t node_a, std::uint32_t node_b) HAPTIC_REALTIME;
  bool compare(std::uint32_t leaf_s, std::uint32_t leaf_t) HAPTIC_REALTIME;
  bool compare_vertices(std::uint32_t s, std::uint32_t t, const PackedBox& box_t) HAPTIC_REALTIME;
  Ends ends_of(const FeaturePair& pair) const HAPTIC_REALTIME;
  bool is_apart_along(const simd::Double4& axis, FeaturePair::Kind kind,
                      const Ends& centres) const HAPTIC_REALTIME;
  /// Along the line between the centroids.
  bool is_apart(const FeaturePair& pair) const HAPTIC_REALTIME;
  /// Along the line between the nearest points, for regions that stand still: their pairs stay on
  /// the list for long, so a sharper test is worth its time.
  bool is_apart_at_rest(const FeaturePair& pair) const HAPTIC_REALTIME;

  void choose(const Step& step, bool ahead) HAPTIC_REALTIME;
  bool renew(const Step& step) HAPTIC_REALTIME;
  void refit() HAPTIC_REALTIME;
  void drop_changed() HAPTIC_REALTIME;
  bool find_star(std::uint32_t particle) HAPTIC_REALTIME;
  void compare_star(const Star& star, std::uint32_t leaf) HAPTIC_REALTIME;
  void queue(std::uint32_t particle, const FeaturePair& pair) HAPTIC_REALTIME;
  bool empty_queue() HAPTIC_REALTIME;

  double distance_, slack_;
  HierarchyTopology nodes_;
  FeatureOwners features_;
  std::vector<std::uint32_t> leaf_of_;  // a triangle
  std::vector<MovingRegion> regions_;   // less the offset
  Vector3 offset_ = Vector3::Zero();
  double now_ = 0.0;
  bool valid_ = false;
  // Of particles, edges and nodes: their regions, grown by half the distance.
  std::vector<PackedBox> particle_boxes_, edge_boxes_, node_boxes_;
  BoundedList<FeaturePair> pairs_;
  std::vector<std::uint32_t> chosen_;  // particles that get another region
  std::size_t chosen_count_ = 0, next_ahead_ = 0;
  std::vector<unsigned char> is_chosen_;
  std::vector<double> uses_;
  /// Pairs of one leaf with eight triangles and eight edges: 3 vertices and 3 edges, and the
  /// triangle.
  static constexpr std::size_t kMaxFromLeaf = 49;
  std::array<FeaturePair, 8 * kMaxFromLeaf> queue_{};  // pairs whose boxes overlap
  std::size_t queued_ = 0;
  std::vector<std::uint64_t> dirty_;  // a bit a node
  std::size_t visited_ = 0, renewed_ = 0, most_visits_ = 0, most_renewal_visits_ = 0;
  bool searched_ = false;
};

}  // namespace haptic::cloth
