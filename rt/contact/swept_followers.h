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

/// Follows the candidates of a motion through the field and finds the first that is not permitted
/// at its position (SweptContact).
///
/// The beginning and entry of a point are kept from interval to interval, so that the result does
/// not depend on the division of the motion into intervals. Additional points that are never inside
/// do not change it either.
class SweptFollowers {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr double kSlack = 0.01;  ///< tolerance of the depth allowed [voxels]

  /// The arguments outlive the object. Allocates one entry per shell point; nothing else does.
  SweptFollowers(const PointShell& shell, const SignedField& field, const SweptPath& path);

  /// Begins a motion, to which the path is already set. @param permitted_depth  m, >= 0
  void begin_motion(double permitted_depth) HAPTIC_REALTIME;
  /// Begins an interval at the end of the last one that `passed`, without candidates.
  void begin_interval() HAPTIC_REALTIME {
    ++interval_;
    count_ = 0;
  }
  /// Adds a candidate; once, even if it is in several branches of the tree.
  void add(std::uint32_t point) HAPTIC_REALTIME {
    std::uint64_t& added = followers_[point].added;
    if (added == interval_) return;
    added = interval_;
    in_question_[count_++] = point;
  }
  std::uint32_t count() const HAPTIC_REALTIME { return count_; }
  /// The candidates added; keep() keeps the first `count` of them.
  std::span<std::uint32_t> in_question() HAPTIC_REALTIME { return {in_question_.data(), count_}; }
  void keep(std::uint32_t count) HAPTIC_REALTIME { count_ = count; }
  void prefetch(std::uint32_t point) const HAPTIC_REALTIME {
    __builtin_prefetch(&followers_[point].way, 1);
    shell_->prefetch(point);
  }
  /// Way of any shell point in this motion.
  const SweptPath::Way& way(std::uint32_t point) HAPTIC_REALTIME;

  /// One of the two is called once the candidates of an interval are added. start(), in the first
  /// interval of a motion, sets depth and side of each; resume() continues from the last interval.
  void start(const SweptPath::Placement& at) HAPTIC_REALTIME;
  void resume() HAPTIC_REALTIME;
  /// Moves the candidates to an instant. @returns the lowest index of a point that is not permitted
  /// there, or kNone
  std::uint32_t first_refused(const SweptPath::Placement& at) HAPTIC_REALTIME;
  void passed() HAPTIC_REALTIME { passed_ = interval_; }
  /// Unit vector out of the field on the side of a point's entry, field's frame.
  const Vector3& side(std::uint32_t point) const HAPTIC_REALTIME { return followers_[point].side; }

 private:
  struct Follower {
    std::uint64_t motion = 0;              // motion of `way`
    std::uint64_t added = 0;               // last interval in which it was a candidate
    std::uint64_t interval = 0;            // last interval in which it was followed
    bool inside = false, on_fold = false;  // on_fold: began on a fold between two sides
    double deepest = 0.0;                  // smallest distance allowed [m]
    Vector3 side = Vector3::Zero();        // inside: unit, out of the field on the side of entry
    SweptPath::Way way{Vector3::Zero(), Vector3::Zero()};
  };

  /// Queries the field for a batch of the candidates. @returns their number
  std::uint32_t look_at(std::uint32_t first, const SweptPath::Placement& at, FieldPoints& placed,
                        FieldSamples& samples) HAPTIC_REALTIME;
  bool may_be_at(Follower& f, const Vector3& x, double distance) const HAPTIC_REALTIME;

  const PointShell* shell_;
  const SignedField* field_;
  const SweptPath* path_;
  std::uint64_t motion_ = 0, interval_ = 0;  // current ones; counted over all motions
  std::uint64_t passed_ = 0;                 // last interval that was passed
  double deepest_ = 0.0;                     // of a point that did not begin deeper [m]
  std::vector<Follower> followers_;          // per point
  std::vector<std::uint32_t> in_question_;   // candidates; capacity for every point
  std::uint32_t count_ = 0;
};

}  // namespace haptic
