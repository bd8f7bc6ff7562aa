// The speed limit of the held body.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic {
namespace {

/// Largest number of dampers that slow the held body down, and by how much each is stronger than
/// the one before it.
constexpr int kMostDampers = 5;
constexpr double kStronger = 6.0;
/// Part of the hand's work that is none of another body.
constexpr double kWorkAccuracy = 1e-6;
/// What exceeds the limit by less than this does so by rounding.
constexpr double kBeyond = 1.0 + 1e-9;

}  // namespace

/// Whether other bodies move the held one on: contacts and joints do more work on it than what the
/// springs of the contacts release. On a body that holds still they do as much, but for the
/// accuracy of the solution.
bool ImplicitStep::is_pushed(const Vector6& resistance) const HAPTIC_REALTIME {
  const double pull = z_.dot(hand_.load);
  double work = z_.dot(resistance.cwiseProduct(z_)) - pull;
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    if (solver_.normal_block(i) == 0) work -= solver_.normal_work(i);
  }
  return work > kWorkAccuracy * std::abs(pull);
}

/// Slows down a held body that its hand moves faster than the speed limit. A damper does so, since
/// it leaves the forces in balance; cut to the limit, the body would be pressed into what it
/// touches. Without contact the first damper is exact; against contact each is stronger. Where
/// other bodies move it on instead of holding it back, a damper takes no more than the force of the
/// hand along the motion: a body that is faster than the limit meets no wall.
bool ImplicitStep::limit_speed(const HeldBody& held) HAPTIC_REALTIME {
  double stronger = 1.0;
  mark_none();
  mark_block(0);
  spread_marks(marked_);
  for (int i = 0; i < kMostDampers; ++i, stronger *= kStronger) {
    const Vector6 excess = held.excess(z_);
    if (excess.maxCoeff() <= kBeyond) {
      z_ = z_.cwiseQuotient(excess);
      break;
    }
    const Vector6 resistance = hand_damping_.cwiseProduct(hand_.matrix.diagonal());
    const bool pushed = is_pushed(resistance);
    // Each by itself: a damper against a turn would else act as a force, too.
    const auto damper = [&](Eigen::Index first) HAPTIC_REALTIME {
      if (excess[first] <= kBeyond) return 1.0;
      const double by = stronger * excess[first];
      if (!pushed) return by;
      const auto z = z_.segment<3>(first);
      const double pull = z.dot(hand_.load.segment<3>(first)) * excess[first];
      return std::clamp(pull / (resistance[first] * z.squaredNorm()), 1.0, by);
    };
    const double move = damper(0), turn = damper(3);
    if (std::max(move, turn) <= kBeyond) break;
    solver_.scale_block(0, 3, move, 1.0);
    solver_.scale_block(3, 3, turn, 1.0);
    hand_damping_.head<3>() *= move;
    hand_damping_.tail<3>() *= turn;
    set_limits();
    if (!balance(ContactSolver::Start::kLast)) return false;
  }
  return true;
}

}  // namespace haptic
