#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rt/worlds/condensed/condensed_surface.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The vertices of a condensed body for display, world: a few in every cycle, so that no cycle pays
/// for all of them. All vertices of a snapshot are of one cycle.
class SurfaceSnapshot {
 public:
  /// @param surface  outlives the snapshot @param dof  displacements of all condensed nodes
  /// @param pose     of the body, world
  /// @param cycles   in which a snapshot is completed, >= 1
  SurfaceSnapshot(const CondensedSurface& surface, std::size_t dof, const Pose& pose,
                  std::size_t cycles);

  /// Once a cycle. @param u  displacements of the nodes, of this cycle [m]
  void advance(std::span<const double> u) HAPTIC_REALTIME;
  /// The last complete snapshot: 3 values a vertex [m].
  std::span<const double> vertices() const HAPTIC_REALTIME { return shown_; }
  void reset() HAPTIC_REALTIME;

 private:
  void place(std::size_t vertex, std::vector<double>& into) HAPTIC_REALTIME;

  const CondensedSurface* surface_;
  Pose pose_;
  std::size_t a_cycle_, next_ = 0;
  std::vector<double> u_, shown_, made_;
};

}  // namespace haptic::condensed
