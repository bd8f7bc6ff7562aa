#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/contact_pair.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// Finds the pairs of bodies that are close enough to touch within a step, by a sweep along one
/// axis.
///
/// A pair is close where the spheres of both bodies overlap (is_close()). The bodies' intervals
/// along the axis of the largest spread are sorted in each step, from the order of the last one;
/// only pairs whose intervals overlap are tested. In the worst case, all bodies at one place along
/// the axis, all pairs are. Allocates in the constructor only.
/// Source: docs/methods/multibody.md, "Close pairs".
class ClosePairs {
 public:
  /// Of a pair: its bodies; the radii of the spheres about the origins of both, that of the points
  /// infinite for a pair that is always close; the smallest margin [m].
  struct Reach {
    std::uint32_t points, field;
    double points_radius, field_radius, margin;
  };

  /// All pairs are close at first. @param bodies  number of bodies
  ClosePairs(std::vector<Reach> pairs, std::size_t bodies);

  /// @param bodies  one per body
  /// @param motion_bounds  of the points of each body over the step [m]; empty: 0
  void find(std::span<const BodyMotion> bodies,
            std::span<const double> motion_bounds) HAPTIC_REALTIME;
  /// All pairs are close.
  void take_all() HAPTIC_REALTIME;

  /// Indices of the close pairs, ascending.
  std::span<const std::uint32_t> close() const HAPTIC_REALTIME { return {close_.data(), closes_}; }
  /// Indices of the pairs that are no longer close since the last find(), ascending.
  std::span<const std::uint32_t> left() const HAPTIC_REALTIME { return {left_.data(), lefts_}; }

  /// Gap between the spheres of a pair [m]; -infinity of one that is always close.
  double gap(std::uint32_t pair, std::span<const BodyMotion> bodies) const HAPTIC_REALTIME;
  /// The test of one pair. A pose that is not finite is close.
  static bool is_close(const Reach& pair, std::span<const BodyMotion> bodies,
                       std::span<const double> motion_bounds) HAPTIC_REALTIME;

 private:
  struct Interval {
    double low, high;
    Vector3 centre;  // of the body's sphere, with its motion and its margin [m]
    double radius;
    std::uint32_t body;
  };
  /// A pair in the list of its body with the smaller index.
  struct Partner {
    std::uint32_t other, pair;
  };

  std::span<const Partner> partners(std::uint32_t a, std::uint32_t b) const HAPTIC_REALTIME;
  bool place_intervals(std::span<const BodyMotion> bodies,
                       std::span<const double> motion_bounds) HAPTIC_REALTIME;
  void choose_axis(std::span<const BodyMotion> bodies) HAPTIC_REALTIME;
  void sort_intervals() HAPTIC_REALTIME;
  std::size_t drop_ended(std::size_t count, double place) HAPTIC_REALTIME;
  void sweep(std::span<const BodyMotion> bodies,
             std::span<const double> motion_bounds) HAPTIC_REALTIME;
  void test(std::uint32_t pair, std::span<const BodyMotion> bodies,
            std::span<const double> motion_bounds) HAPTIC_REALTIME;
  void list() HAPTIC_REALTIME;

  std::vector<Reach> pairs_;
  std::vector<std::uint32_t> always_;     // pairs that are always close
  std::vector<double> radii_;             // per body: its largest sphere with its largest margin
  std::vector<Partner> partners_;         // by first body, then by second body
  std::vector<std::size_t> partners_of_;  // per body, and the end: in partners_
  std::vector<Interval> intervals_;       // of bodies with a pair that is not always close
  int axis_ = 0;
  // Those that contain the place of the sweep, and some that have ended: their ends, centres and
  // radii one after the other, as the test of all of them streams, and its result.
  std::vector<double> ends_, x_, y_, z_, active_radii_, gaps_;
  std::vector<std::uint32_t> active_;                // their bodies
  std::vector<std::uint64_t> is_close_, was_close_;  // a bit per pair
  std::vector<std::uint32_t> close_, left_;          // filled from the front
  std::size_t closes_ = 0, lefts_ = 0;
};

}  // namespace haptic::solids
