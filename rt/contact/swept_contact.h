#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/signed_field.h"
#include "rt/contact/swept_path.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class PointTree;

/// How far a motion may go, and what stops it.
struct SweptResult {
  double fraction = 1.0;    ///< of the motion, 0..1
  bool stopped = false;     ///< by a point; else `fraction` is 1 or what the bound on work allowed
  std::uint32_t point = 0;  ///< index into the shell
  Vector3 position = Vector3::Zero();  ///< of the point at `fraction` [m], world
  Vector3 outward = Vector3::Zero();   ///< unit, world: out of the field on the side of entry
};

/// Continuous detection of the points of a shell against a field along one cycle's motion, so that
/// no point gets through however thin the field's body and however fast the hand.
///
/// The largest part of the motion, to within a step of it, in which no point
///   - is deeper than the permitted depth (one that begins the motion deeper may leave, and be as
///     deep as it began until it has), nor
///   - has come, inside, to where the field's gradient has turned by more than 107 degrees from
///     that of its entry, or of its place at the beginning: the far side of what it is in.
/// Nodes of the shell's tree are culled over an interval of time by one query at its middle: free
/// radius > R(q) + half the bound on the motion. The interval is halved until that bound is below
/// two voxels; then the points left are looked up at instants between which nothing moves by more
/// than kStep. Between two instants a distance changes by at most sqrt(3) of that.
/// Source: the idea of Xu and Barbic, "6-DoF haptic rendering using continuous collision detection
/// between points and signed distance fields", IEEE Trans. Haptics 2016; bounds and the rule of
/// sides are ours (spec contact-and-coupling 2.8, 2.16, 2.27).
class SweptContact {
 public:
  static constexpr double kStep = 0.125;  ///< motion between two instants at the most [voxels]
  static constexpr double kSlack = 0.01;  ///< what a point beyond the depth may deepen [voxels]

  /// The three outlive it. Allocates one entry a shell point and a tree node; `run` allocates
  /// nothing.
  SweptContact(const PointShell& shell, const PointTree& tree, SignedField& field);

  /// A field that deforms is left in a state between `field_q_from` and `field_q_to`.
  /// @param permitted_depth  m, >= 0
  /// Bounded: at most kMostIntervals traversals. A motion that would need more is cut where the
  /// bound is reached, one that is not finite to nothing.
  SweptResult run(const SweptMotion& motion, double permitted_depth) HAPTIC_REALTIME;

  /// Of the last run: nodes looked at; points followed along their path.
  std::uint32_t visited_nodes() const HAPTIC_REALTIME { return visited_; }
  std::uint32_t followed_points() const HAPTIC_REALTIME { return followed_; }

 private:
  static constexpr std::uint32_t kMostIntervals = 256;
  static constexpr std::uint32_t kNone = 0xffffffff;

  using Placement = SweptPath::Placement;
  struct Interval {
    double begin, end;
  };
  /// What is known of a point over the interval at hand, shared by its instances in the tree.
  struct Known {
    double room = 0.0;  // free radius less half the point's and the field's motion
    std::uint64_t interval = 0;
  };
  /// A point on its way through the motion. Where it began and entered is remembered from interval
  /// to interval: how the motion is cut into them must not decide what is permitted.
  struct Follower {
    std::uint64_t interval = 0;            // in which it was followed last
    bool inside = false, on_fold = false;  // on_fold: began where the gradient vanishes, on no side
    double deepest = 0.0;                  // smallest distance allowed [m]
    Vector3 side = Vector3::Zero();        // inside: unit, out of the field on the side of entry
  };

  /// Gathers the points in question over an interval. @returns whether there are any; gives up,
  /// with true, on more than `most` nodes of a level
  bool find_followers(Interval interval, std::uint32_t most) HAPTIC_REALTIME;
  std::uint32_t visit(std::span<const std::uint32_t> nodes, const Placement& middle, double half,
                      std::uint32_t* queue) HAPTIC_REALTIME;
  void look_up(std::span<const std::uint32_t> points, const Placement& middle,
               double half) HAPTIC_REALTIME;

  /// Takes the points in question through an interval. @returns false if one stops it
  bool follow(Interval interval, SweptResult& result) HAPTIC_REALTIME;
  void begin(const Placement& at) HAPTIC_REALTIME;
  void resume() HAPTIC_REALTIME;
  /// Queries the field for a batch of the points in question. @returns how many
  std::uint32_t look_at(std::uint32_t first, const Placement& at, FieldPoints& placed,
                        FieldSamples& samples) const HAPTIC_REALTIME;
  /// Moves them to an instant. @returns the first that must not be there, or kNone
  std::uint32_t first_refused(const Placement& at) HAPTIC_REALTIME;
  bool may_be_at(Follower& f, const Vector3& x, double distance) const HAPTIC_REALTIME;

  const PointShell* shell_;
  const PointTree* tree_;
  SignedField* field_;
  SweptPath path_;
  std::uint32_t visited_ = 0, followed_ = 0;

  // Working memory.
  std::uint64_t interval_ = 0;              // at hand; counts on from run to run
  std::uint64_t passed_ = 0;                // the last that the motion got through
  double deepest_ = 0.0;                    // of a point that did not begin deeper [m]
  std::vector<Known> known_;                // per point
  std::vector<std::uint32_t> list_, next_;  // nodes of a level
  std::vector<Follower> followers_;         // per point
  std::vector<std::uint32_t> in_question_;  // points; room for every one
  std::uint32_t in_question_count_ = 0;
};

}  // namespace haptic
