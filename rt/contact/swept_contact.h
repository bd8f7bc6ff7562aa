#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/swept_followers.h"
#include "rt/contact/swept_path.h"
#include "rt/contact/touching_point.h"
#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;

/// How far a motion may go, and what limits it.
struct SweptResult {
  double fraction = 1.0;    ///< of the motion, 0..1
  bool stopped = false;     ///< by a point; else `fraction` is 1 or what the bound on work allowed
  std::uint32_t point = 0;  ///< index into the shell
  Vector3 position = Vector3::Zero();  ///< of the point at `fraction` [m], world
  Vector3 outward = Vector3::Zero();   ///< unit, world: out of the field on the side of entry
};

/// Results of a touch (ContactTraversal) in the state in which motions begin.
struct SweptTouch {
  std::span<const NearPoint> near{};  ///< ContactTraversal::near, valid until the next touch
  double margin = -1.0;               ///< of that list [m]; < 0: there is none
  /// Deepest level of the tree whose points count, from 1; 0: every one.
  std::uint32_t level = 0;
  /// Limit on the work of one motion, counted in queries of the field: one for each node or point
  /// at each instant, and cost_of_deform() for each instant of a deforming field; 0: no limit.
  std::uint32_t most_looks = 0;
};

/// Continuous detection of the points of a shell against a field along one cycle's motion, so that
/// no point gets through however thin the field's body and however fast the hand.
///
/// The largest part of the motion, to within a step of it, in which no point
///   - is deeper than the permitted depth (one that begins the motion deeper may leave, and be as
///     deep as it began until it has), nor
///   - has come, inside, to where the field's gradient has turned by more than 107 degrees from
///     that of its entry, or of its place at the beginning: the far side of what it is in.
/// Points are looked up at instants between which nothing moves by more than kStep. Between two
/// instants a distance changes by at most sqrt(3) of that.
///
/// Which points those are a touch has listed as long as all motions since, by their bounds, stay
/// within its margin. Beyond it the nodes of the shell's tree are culled over an interval of time
/// by one query at its middle: free radius > R(q) + half the bound on the motion. The interval is
/// halved until that bound is below two voxels; then the points left are followed. Either way the
/// motion stops at the same instant, by the same point: the ways differ by points that are never
/// inside.
/// Source: the idea of Xu and Barbic, "6-DoF haptic rendering using continuous collision detection
/// between points and signed distance fields", IEEE Trans. Haptics 2016; bounds and the rule of
/// sides are ours (docs/methods/contact-and-coupling.md, "Continuous detection").
class SweptContact {
 public:
  static constexpr double kStep = 0.125;  ///< motion between two instants at the most [voxels]
  static constexpr double kSlack = SweptFollowers::kSlack;

  /// The three outlive it. Allocates one entry a shell point and a tree node; nothing else
  /// allocates.
  SweptContact(const PointShell& shell, const PointTree& tree, SignedField& field);
  SweptContact(SweptContact&&) = delete;

  /// What the next runs rely on: the first begins in the state of this touch, every other where the
  /// one before it ended. Without a touch every run searches all of the tree.
  void begin(const SweptTouch& touch) HAPTIC_REALTIME;

  /// A field that deforms is left in a state between `field_q_from` and `field_q_to`.
  /// @param permitted_depth  m, >= 0
  /// Bounded: at most kMostIntervals traversals, and most_looks. A motion that would need more is
  /// cut where the bound is reached, or where the touch's margin ends if that is further; one that
  /// is not finite to nothing.
  SweptResult run(const SweptMotion& motion, double permitted_depth) HAPTIC_REALTIME;

  /// Margin that would have covered every run since `begin` [m].
  double needed_margin() const HAPTIC_REALTIME { return needed_; }
  /// Of the last run: nodes looked at; points followed along their path.
  std::uint32_t visited_nodes() const HAPTIC_REALTIME { return visited_; }
  std::uint32_t followed_points() const HAPTIC_REALTIME { return followed_; }
  /// Counted as most_looks is; at most twice that.
  std::uint32_t looks() const HAPTIC_REALTIME { return looks_; }

 private:
  static constexpr std::uint32_t kMostIntervals = 256;

  using Placement = SweptPath::Placement;
  struct Interval {
    double begin, end;
  };
  /// What is known of a point over the interval at hand, shared by its instances in the tree.
  struct Known {
    double room = 0.0;  // free radius less half the point's and the field's motion
    std::uint64_t interval = 0;
  };
  /// Nodes of one level.
  struct Level {
    std::span<const std::uint32_t> nodes;
    bool last;
  };

  SweptResult follow_near(double part) HAPTIC_REALTIME;
  SweptResult search() HAPTIC_REALTIME;

  bool find_near(Interval interval, double margin) HAPTIC_REALTIME;
  /// Gathers the points in question over an interval. @returns whether there are any; gives up,
  /// with true, on more than `most` nodes of a level, or looks
  bool find_followers(Interval interval, std::uint32_t most) HAPTIC_REALTIME;
  std::uint32_t visit(const Level& level, const Placement& middle, double half,
                      std::uint32_t* queue) HAPTIC_REALTIME;
  void look_up(std::span<const std::uint32_t> points, const Placement& middle,
               double half) HAPTIC_REALTIME;
  /// Takes the points in question through an interval. @returns false if one stops it or looks ran
  /// out
  bool follow(Interval interval, SweptResult& result) HAPTIC_REALTIME;
  void grant_looks() HAPTIC_REALTIME;
  /// Whether so many more looks are left, which are then taken.
  bool may_look(std::uint32_t count) HAPTIC_REALTIME;

  const PointShell* shell_;
  const PointTree* tree_;
  SignedField* field_;
  SweptPath path_;
  SweptFollowers followers_;
  SweptTouch touch_;
  double moved_ = 0.0, needed_ = 0.0;  // since the touch [m]

  // Of the run at hand.
  std::uint32_t visited_ = 0, followed_ = 0, looks_ = 0, looks_limit_ = 0;
  bool out_of_looks_ = false;

  // Working memory.
  std::uint64_t interval_ = 0;              // at hand; counts on from run to run
  std::vector<Known> known_;                // per point
  std::vector<std::uint32_t> list_, next_;  // nodes of a level
};

}  // namespace haptic
