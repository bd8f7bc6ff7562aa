// The speed limit of the held body.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Most solutions with a stronger damper. By what a damper may exceed the excess of the motion: 1
/// for the first one, kStronger for the second, its square for the third.
constexpr int kMaxDampers = 6;
constexpr double kStronger = 6.0;
/// Dampers aim a little below the limit, so that fewer solutions are needed.
constexpr double kAim = 0.97;
/// Work of contacts below this part of the hand's work is rounding.
constexpr double kWorkAccuracy = 1e-6;
/// What exceeds the limit by less than this does so by rounding.
constexpr double kBeyondSpeed = 1.0 + 1e-9;

/// Finds the damper with which a motion is as long as the limit. Its length is taken to fall with
/// the damper as 1 / (s + c): exact for a body against a spring, and without contact.
class SpeedDamper {
 public:
  /// By how much the damper in use is to be made stronger, >= 1.
  /// @param excess  length of the motion with the damper in use, over the limit; >= 1
  double next(double excess) HAPTIC_REALTIME {
    if (excess <= kBeyondSpeed) return 1.0;
    double by = strongest_ * excess;
    const double fallen = before_ - excess;
    if (before_ > 0.0 && fallen > 0.0) {
      const double c = (excess * s_ - before_ * s_before_) / fallen;
      by = std::clamp((excess / kAim * (s_ + c) - c) / s_, excess, by);
    }
    before_ = excess;
    s_before_ = s_;
    strongest_ *= kStronger;
    return by;
  }
  void applied(double by) HAPTIC_REALTIME { s_ *= by; }

 private:
  double s_ = 1.0, strongest_ = 1.0;
  double before_ = 0.0, s_before_ = 0.0;  // the excess left by the damper before; 0: none
};

}  // namespace

/// Whether contacts and joints move the held body on: their work on it is positive.
bool ImplicitStep::is_pushed(const Vector6& resistance) const HAPTIC_REALTIME {
  const double pull = z_.dot(hand_.load);
  return z_.dot(resistance.cwiseProduct(z_)) - pull > kWorkAccuracy * std::abs(pull);
}

/// Slows down a held body that its hand moves faster than the speed limit. A damper does so, since
/// it leaves the forces in balance; cut to the limit, the body would be pressed into what it
/// touches. Without contact the first damper is exact; against contact each is stronger. Where
/// contacts and joints move it on instead of holding it back, a damper takes no more than the force
/// of the hand along the motion: what is faster than the limit meets no wall, and what is inside a
/// body is not held there.
bool ImplicitStep::limit_speed(const HeldBody& held) HAPTIC_REALTIME {
  mark_none();
  mark_block(0);
  spread_marks(marked_);
  // Of translation and of rotation, separately: a damper against the turn must not hold back the
  // translation.
  SpeedDamper dampers[2];
  for (int i = 0; i < kMaxDampers; ++i) {
    const Vector6 excess = held.excess(z_);
    if (excess.maxCoeff() <= kBeyondSpeed) {
      z_ = z_.cwiseQuotient(excess);
      break;
    }
    const Vector6 resistance = hand_damping_.cwiseProduct(hand_.matrix.diagonal());
    const bool pushed = is_pushed(resistance);
    double by[2];
    for (const Eigen::Index part : {0, 1}) {
      const Eigen::Index first = 3 * part;
      by[part] = dampers[part].next(excess[first]);
      if (!pushed) continue;
      const auto z = z_.segment<3>(first);
      const double pull = z.dot(hand_.load.segment<3>(first)) * excess[first];
      by[part] = std::min(by[part], std::max(1.0, pull / (resistance[first] * z.squaredNorm())));
    }
    if (std::max(by[0], by[1]) <= kBeyondSpeed) break;
    for (const Eigen::Index part : {0, 1}) {
      const Eigen::Index first = 3 * part;
      solver_.scale_block(static_cast<std::uint32_t>(first), 3, by[part], 1.0);
      hand_damping_.segment<3>(first) *= by[part];
      dampers[part].applied(by[part]);
    }
    set_limits();
    if (!balance(ContactSolver::Start::kLast)) return false;
  }
  return true;
}

}  // namespace haptic::solids
