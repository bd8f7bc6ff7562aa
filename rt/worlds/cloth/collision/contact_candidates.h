#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/feature_pair.h"
#include "rt/worlds/cloth/collision/hierarchy_topology.h"
#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "rt/worlds/cloth/collision/packed_box.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic {

/// Pairs of features of a moving surface that may come nearer to each other than a distance.
///
/// Every particle has a region: the box around its way in the step of the search, grown by a slack.
/// Pairs whose regions are apart by the distance are left out, so the list serves every motion that
/// keeps all particles in their regions, also that of later steps. Regions move with a translation
/// of the whole surface, which changes no distance.
/// Source: docs/methods/cloth.md, "Self-collision response".
class ContactCandidates {
 public:
  enum class Search : std::uint8_t { kDone, kFull, kNotFinite };

  /// @param distance  of pairs [m], > 0
  /// @param slack     by which regions are larger than the motion [m], >= 0
  /// @param most      pairs that the list holds
  /// @throws InputError as HierarchyTopology
  ContactCandidates(std::span<const TriangleCorners> triangles, std::span<const double> x,
                    double distance, double slack, std::size_t most);

  /// Whether the pairs hold for a step from `before` by `moves`, both 3n values [m], which shifts
  /// the whole surface by `shift` on the way.
  bool covers(std::span<const double> before, std::span<const double> moves,
              const Vector3& shift) const HAPTIC_REALTIME;
  /// Finds all pairs anew, with regions around this step. Bounded by the capacity of the list and
  /// by `kMostVisits` a triangle. If the result is not kDone, `covers` is false from then on.
  Search search(std::span<const double> before, std::span<const double> moves,
                const Vector3& shift) HAPTIC_REALTIME;
  /// After a step: the regions have moved by its shift.
  void shift_regions(const Vector3& shift) HAPTIC_REALTIME { offset_ += shift; }

  std::span<const FeaturePair> pairs() const HAPTIC_REALTIME { return pairs_.items(); }
  /// Pairs of nodes and of features that the last search compared.
  std::size_t visited() const HAPTIC_REALTIME { return visited_; }

  static constexpr std::size_t kMostVisits = 1024;

 private:
  struct Edge {
    std::uint32_t a, b;
  };
  struct Owned {  // features of a triangle that no triangle before it has
    std::array<std::uint32_t, 3> vertices{};
    std::uint32_t vertex_count = 0, first_edge = 0, edge_count = 0;
  };

  bool set_regions(std::span<const double> before, std::span<const double> moves,
                   const Vector3& shift) HAPTIC_REALTIME;
  void set_boxes() HAPTIC_REALTIME;
  bool find_between(std::uint32_t node_a, std::uint32_t node_b) HAPTIC_REALTIME;
  bool compare(std::uint32_t leaf_s, std::uint32_t leaf_t) HAPTIC_REALTIME;
  bool compare_vertices(std::uint32_t s, std::uint32_t t, const PackedBox& box_t) HAPTIC_REALTIME;
  bool is_apart(const FeaturePair& pair) const HAPTIC_REALTIME;

  double distance_, slack_;
  HierarchyTopology nodes_;
  std::vector<Edge> edges_;
  std::vector<Owned> owned_;       // a triangle
  ParticleVectors lower_, upper_;  // of the regions, less the offset
  Vector3 offset_ = Vector3::Zero();
  bool valid_ = false;
  // Of particles, edges and nodes: their regions, grown by half the distance.
  std::vector<PackedBox> particle_boxes_, edge_boxes_, node_boxes_;
  BoundedList<FeaturePair> pairs_;
  std::size_t visited_ = 0, most_visits_ = 0;
};

}  // namespace haptic
