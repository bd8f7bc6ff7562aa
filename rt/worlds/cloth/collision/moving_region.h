#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/worlds/cloth/collision/packed_box.h"
#include "shared/math/double4.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A ball of fixed radius around where a particle is expected: it goes on at the velocity that the
/// particle had, and serves while the particle stays inside. Time is counted in steps, in doubles
/// that hold whole numbers.
/// Source: docs/methods/cloth.md, "Self-collision response".
struct MovingRegion {
  static constexpr double kForEver = std::numeric_limits<double>::infinity();
  /// Most steps that a region moves, and most radii that it moves in more than one step.
  static constexpr double kMaxSteps = 64.0, kMaxRadii = 4.0;
  /// A particle that moves less than these radii in all these steps gets a region that stands still
  /// and has no end: it serves for 32 steps at least, and for ever if the particle only trembles.
  static constexpr double kStill = 2.0;

  simd::Double4 centre{};    // m, at `since`; the fourth lane is 0
  simd::Double4 velocity{};  // m a step
  double since = 0.0, until = kForEver;

  MovingRegion() = default;
  /// For a particle that is at `place` [m] in step `now` and moves by `move` [m] in it.
  /// @param share  of the most steps that it may serve, 1 / kMaxSteps to 1
  MovingRegion(const Vector3& place, const Vector3& move, double radius, double share,
               double now) HAPTIC_REALTIME : centre{place[0], place[1], place[2], 0.0},
                                             since(now) {
    const double speed = std::sqrt(move.squaredNorm());
    if (kMaxSteps * speed <= kStill * radius) return;
    velocity = simd::Double4{move[0], move[1], move[2], 0.0};
    until =
        now + std::floor(std::clamp(share * kMaxRadii * radius / speed, 1.0, share * kMaxSteps));
  }

  simd::Double4 at(double time) const HAPTIC_REALTIME {
    return simd::multiply_add(simd::all(time - since), velocity, centre);
  }
  /// Of its centre, from `since` to `until`.
  simd::Double4 end() const HAPTIC_REALTIME { return until == kForEver ? centre : at(until); }
  bool is_bounded() const HAPTIC_REALTIME {
    const simd::Double4 last = end();
    bool bounded = true;
    for (int k = 0; k < 3; ++k) {
      bounded =
          bounded && std::abs(centre[k]) < PackedBox::kMax && std::abs(last[k]) < PackedBox::kMax;
    }
    return bounded;
  }
  /// The box of all its places, grown by `margin` [m].
  PackedBox box(double margin) const HAPTIC_REALTIME {
    const simd::Double4 last = end();
    Vector3 low, high;
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(centre[k], last[k]) - margin;
      high[k] = std::max(centre[k], last[k]) + margin;
    }
    return {low, high};
  }
};

}  // namespace haptic::cloth
