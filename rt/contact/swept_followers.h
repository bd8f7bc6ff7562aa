#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/swept_path.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The points in question of a motion, on their way through the field: which of them must not be
/// where the motion takes it (SweptContact).
///
/// Where a point began and entered is remembered from interval to interval: how the motion is cut
/// into them must not decide what is permitted. Nor does it matter which points are followed
/// besides those that are ever inside.
class SweptFollowers {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr double kSlack = 0.01;  ///< what a point beyond the depth may deepen [voxels]

  /// Both outlive it, the path as well. Allocates one entry a shell point; nothing else does.
  SweptFollowers(const PointShell& shell, const SignedField& field, const SweptPath& path);

  /// The path was set to a new motion. @param permitted_depth  m, >= 0
  void begin_motion(double permitted_depth) HAPTIC_REALTIME;
  /// An interval of it, from where the last one `passed`, with no point in question yet.
  void begin_interval() HAPTIC_REALTIME {
    ++interval_;
    count_ = 0;
  }
  /// A point is added once, in however many branches of a tree it is.
  void add(std::uint32_t point) HAPTIC_REALTIME {
    std::uint64_t& added = followers_[point].added;
    if (added == interval_) return;
    added = interval_;
    in_question_[count_++] = point;
  }
  std::uint32_t count() const HAPTIC_REALTIME { return count_; }
  /// The points added; of those only the first `count` are kept.
  std::span<std::uint32_t> in_question() HAPTIC_REALTIME { return {in_question_.data(), count_}; }
  void keep(std::uint32_t count) HAPTIC_REALTIME { count_ = count; }
  void prefetch(std::uint32_t point) const HAPTIC_REALTIME {
    __builtin_prefetch(&followers_[point].way, 1);
    shell_->prefetch(point);
  }
  /// Of any point in this motion.
  const SweptPath::Way& way(std::uint32_t point) HAPTIC_REALTIME;

  /// At the beginning of the interval, once the points are added: depth and side of each at the
  /// beginning of the motion, or as they are.
  void start(const SweptPath::Placement& at) HAPTIC_REALTIME;
  void resume() HAPTIC_REALTIME;
  /// Moves them to an instant. @returns the first in the shell that must not be there, or kNone
  std::uint32_t first_refused(const SweptPath::Placement& at) HAPTIC_REALTIME;
  void passed() HAPTIC_REALTIME { passed_ = interval_; }
  /// Unit, out of the field on the side of a point's entry [field's frame].
  const Vector3& side(std::uint32_t point) const HAPTIC_REALTIME { return followers_[point].side; }

 private:
  struct Follower {
    std::uint64_t motion = 0;              // to which its way belongs
    std::uint64_t added = 0;               // the interval in which it was in question last
    std::uint64_t interval = 0;            // in which it was followed last
    bool inside = false, on_fold = false;  // on_fold: began where the gradient vanishes, on no side
    double deepest = 0.0;                  // smallest distance allowed [m]
    Vector3 side = Vector3::Zero();        // inside: unit, out of the field on the side of entry
    SweptPath::Way way{Vector3::Zero(), Vector3::Zero()};
  };

  /// Queries the field for a batch of the points in question. @returns how many
  std::uint32_t look_at(std::uint32_t first, const SweptPath::Placement& at, FieldPoints& placed,
                        FieldSamples& samples) HAPTIC_REALTIME;
  bool may_be_at(Follower& f, const Vector3& x, double distance) const HAPTIC_REALTIME;

  const PointShell* shell_;
  const SignedField* field_;
  const SweptPath* path_;
  std::uint64_t motion_ = 0, interval_ = 0;  // at hand; count on from motion to motion
  std::uint64_t passed_ = 0;                 // the last interval that the motion got through
  double deepest_ = 0.0;                     // of a point that did not begin deeper [m]
  std::vector<Follower> followers_;          // per point
  std::vector<std::uint32_t> in_question_;   // points; room for every one
  std::uint32_t count_ = 0;
};

}  // namespace haptic
