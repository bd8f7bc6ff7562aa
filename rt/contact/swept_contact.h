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

/// Permitted part of a motion, and the point that limits it.
struct SweptResult {
  double fraction = 1.0;    ///< of the motion, 0..1
  bool stopped = false;     ///< by a point; else `fraction` is 1 or limited by the bound on work
  std::uint32_t point = 0;  ///< index into the shell
  Vector3 position = Vector3::Zero();  ///< of the point at `fraction` [m], world
  Vector3 outward = Vector3::Zero();   ///< unit, world: out of the field on the side of entry
};

/// Results of a touch, a run of ContactTraversal, in the state in which motions begin.
struct SweptTouch {
  std::span<const NearPoint> near{};  ///< ContactTraversal::near, valid until the next touch
  double margin = -1.0;               ///< of that list [m]; < 0: there is none
  /// Deepest level of the tree whose points are tested, from 1; 0: all levels.
  std::uint32_t level = 0;
  /// Limit on the work of one motion, counted in queries of the field: one for each node or point
  /// at each instant, and cost_of_deform() for each instant of a deforming field; 0: no limit.
  std::uint32_t most_looks = 0;
};

/// Continuous collision detection of the points of a shell against a field along the motion of one
/// cycle: no point passes through the field's body, even if it is thin or the hand is fast.
///
/// Computes the largest part of the motion, to within a step, in which no point
///   - is deeper than the permitted depth (a point that begins deeper may be as deep as it began
///     until it has left), nor
///   - is on the far side: inside, where the field's gradient has turned by more than 107 degrees
///     from that at the point's entry, or at the beginning if the point begins inside.
/// The field is queried at instants between which no point moves by more than kStep. Between two
/// instants a distance changes by at most sqrt(3) of that.
///
/// Candidates are points that may be inside at some time of the motion. While the bounds on all
/// motions since the touch stay within its margin, they are among the points that it listed. Beyond
/// it, the nodes of the shell's tree are culled over an interval of time by one query at its
/// middle: free radius > R(q) + half the bound on the motion. The interval is halved until that
/// bound is at most two voxels; then the remaining points are followed. Both methods stop the
/// motion at the same instant and by the same point: they differ in points that are never inside.
/// Source: the idea of Xu and Barbic, "6-DoF haptic rendering using continuous collision detection
/// between points and signed distance fields", IEEE Trans. Haptics 2016; bounds and the rule of
/// sides are ours (docs/methods/contact-and-coupling.md, "Continuous detection").
class SweptContact {
 public:
  static constexpr double kStep = 0.125;  ///< largest motion between two instants [voxels]
  static constexpr double kSlack = SweptFollowers::kSlack;

  /// The arguments outlive the object. Allocates entries for the shell points and for the nodes of
  /// the largest tree level; nothing else allocates.
  SweptContact(const PointShell& shell, const PointTree& tree, SignedField& field);
  SweptContact(SweptContact&&) = delete;

  /// Sets the touch for the next runs: the first begins in the state of this touch, every other
  /// where the previous one ended. Without a touch every run searches the whole tree.
  void begin(const SweptTouch& touch) HAPTIC_REALTIME;

  /// Computes the permitted part of a motion. A field that deforms is left in a state between
  /// `field_q_from` and `field_q_to`.
  /// @param permitted_depth  m, >= 0
  /// The work is bounded by kMaxIntervals traversals and most_looks. A motion that needs more is
  /// cut where the bound is reached, or where the touch's margin ends if that is later. A motion
  /// that is not finite has fraction 0.
  SweptResult run(const SweptMotion& motion, double permitted_depth) HAPTIC_REALTIME;

  /// Margin that would have covered every run since `begin` [m].
  double needed_margin() const HAPTIC_REALTIME { return needed_; }
  /// Of the last run: nodes visited; points followed along their path, counted per interval.
  std::uint32_t visited_nodes() const HAPTIC_REALTIME { return visited_; }
  std::uint32_t followed_points() const HAPTIC_REALTIME { return followed_; }
  /// Queries of the last run, counted like most_looks; at most twice that.
  std::uint32_t looks() const HAPTIC_REALTIME { return looks_; }

 private:
  static constexpr std::uint32_t kMaxIntervals = 256;

  using Placement = SweptPath::Placement;
  struct Interval {
    double begin, end;
  };
  /// Result for a point over the current interval, shared by its nodes in the tree.
  struct Known {
    double room = 0.0;  // free radius minus half the relative motion of point and field [m]
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
  /// Gathers the candidates of an interval. @returns whether there are any; stops and returns true
  /// if a level has more than `most` candidate nodes or the looks are used up
  bool find_followers(Interval interval, std::uint32_t most) HAPTIC_REALTIME;
  std::uint32_t visit(const Level& level, const Placement& middle, double half,
                      std::uint32_t* queue) HAPTIC_REALTIME;
  void look_up(std::span<const std::uint32_t> points, const Placement& middle,
               double half) HAPTIC_REALTIME;
  /// Follows the candidates through an interval. @returns false if one stops the motion or the
  /// looks are used up
  bool follow(Interval interval, SweptResult& result) HAPTIC_REALTIME;
  void grant_looks() HAPTIC_REALTIME;
  /// Takes `count` looks. @returns false, and takes none, if fewer are left
  bool may_look(std::uint32_t count) HAPTIC_REALTIME;

  const PointShell* shell_;
  const PointTree* tree_;
  SignedField* field_;
  SweptPath path_;
  SweptFollowers followers_;
  SweptTouch touch_;
  double moved_ = 0.0, needed_ = 0.0;  // since the touch [m]

  // Of the current run.
  std::uint32_t visited_ = 0, followed_ = 0, looks_ = 0, looks_limit_ = 0;
  bool out_of_looks_ = false;

  // Working memory.
  std::uint64_t interval_ = 0;              // current one; counted over all runs
  std::vector<Known> known_;                // per point
  std::vector<std::uint32_t> list_, next_;  // nodes of a level
};

}  // namespace haptic
