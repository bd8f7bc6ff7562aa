#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/condensed/condensed_surface.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Vertices and triangles of a moving surface that can be within a ball: a list that is made anew
/// only after ball and surface have moved further than a margin.
///
/// A vertex moves at most as far as the node that has moved furthest, since its weights are not
/// negative and their sum is at most 1. The vertices of one element are skipped together where the
/// ball that contains them, moved with the element's nodes, is too far away.
class NearSurface {
 public:
  /// @param surface  outlives the list
  explicit NearSurface(const CondensedSurface& surface);

  /// Lists everything within `radius` [m] of `centre` when the nodes are displaced by u. The
  /// vertices include the corners of the triangles. In ascending order. Triangles whose longest
  /// edge is more than two and a half times the longest one at rest may be missing.
  void update(const Vector3& centre, double radius, std::span<const double> u) HAPTIC_REALTIME;
  /// Discards the list; the next update makes a new one.
  void clear() HAPTIC_REALTIME { listed_ = false; }

  std::span<const std::uint32_t> vertices() const HAPTIC_REALTIME { return vertices_.listed(); }
  std::span<const std::uint32_t> triangles() const HAPTIC_REALTIME { return triangles_.listed(); }

 private:
  /// The vertices that one element carries.
  struct Cluster {
    std::array<std::uint32_t, CondensedModel::kCorners> nodes;
    Vector3 centre;  ///< of them at rest
    double radius = 0.0;
    std::size_t first = 0, count = 0;  ///< in order_
  };
  /// A set of indices that is listed in ascending order.
  class Marks {
   public:
    explicit Marks(std::size_t size) : marked_(size, 0), indices_(size) {}
    void add(std::uint32_t index) HAPTIC_REALTIME;
    bool has(std::uint32_t index) const HAPTIC_REALTIME { return marked_[index] != 0; }
    /// Lists what is marked, and removes the marks.
    void list() HAPTIC_REALTIME;
    std::span<const std::uint32_t> listed() const HAPTIC_REALTIME {
      return std::span(indices_).first(count_);
    }

   private:
    std::vector<char> marked_;
    std::vector<std::uint32_t> indices_;
    std::size_t count_ = 0, first_ = ~std::size_t{0}, last_ = 0;
  };

  void make_clusters();
  bool holds(const Vector3& centre, double radius, std::span<const double> u) const HAPTIC_REALTIME;
  bool may_reach(const Cluster& cluster, double reach) const HAPTIC_REALTIME;
  void list(double reach) HAPTIC_REALTIME;
  void add_triangles(std::uint32_t vertex, double reach) HAPTIC_REALTIME;

  const CondensedSurface* surface_;
  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> order_;  // vertices by cluster
  bool listed_ = false;
  Vector3 centre_ = Vector3::Zero();
  double radius_ = 0.0, margin_ = 0.0;
  std::vector<double> u_;  // at the time of the list
  Marks vertices_, triangles_, tried_;
};

}  // namespace haptic::condensed
