// Friction of rigid bodies against rolling on each other and against spinning about the normal.

#include <algorithm>
#include <cmath>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Stiffness of the springs that hold what does not turn, over the inertia of a step: what gives
/// way does so by that part of the turn that the torque would cause.
constexpr double kTurnStiffness = 1e4;
/// What exceeds a limit by less than this does so by rounding.
constexpr double kTurns = 1.0 + 1e-9;

}  // namespace

void ImplicitStep::set_up_turning(std::span<const ContactSet::Pair> pairs) {
  const auto resists = [](const ContactSet::Pair& pair) { return pair.resists_turns(); };
  if (std::ranges::none_of(pairs, resists)) return;
  for (const ContactSet::Pair& pair : pairs) {
    TurnFriction turn;
    turn.rolling = pair.rolling_friction;
    turn.spinning = pair.spinning_friction;
    turns_.push_back(turn);
  }
  turning_.reserve(pairs.size());
}

/// Of the relative rotation of a pair [N m/rad].
double ImplicitStep::turning_stiffness(const ContactSet::Pair& pair) const HAPTIC_REALTIME {
  const auto inertia = [&](std::size_t body) HAPTIC_REALTIME {
    if (body == held_body_) return hand_.matrix.diagonal().tail<3>().mean();
    return rigid_[body].moment / (3.0 * dt_ * dt_);
  };
  const double a = inertia(pair.points), b = inertia(pair.field);
  return kTurnStiffness * (a > 0.0 && b > 0.0 ? a * b / (a + b) : std::max(a, b));
}

/// A friction contact of the relative rotation about two axes. @param v  zero: about one.
/// @returns its index in the solver
std::uint32_t ImplicitStep::add_turn(const Frame& frame, const TurnFriction& turn, const Vector3& u,
                                     const Vector3& v, double arm) HAPTIC_REALTIME {
  const ContactSolver::TangentRows rows = solver_.add_tangent(
      {{turn.stretch.dot(u), turn.stretch.dot(v)}, turn.stiffness, arm * turn.pressed});
  for (const std::size_t body : {frame.pair->points, frame.pair->field}) {
    const Rigid& rigid = rigid_[body];
    if (rigid.first_unknown < 0) continue;
    const double sign = body == frame.pair->points ? 1.0 : -1.0;
    const std::size_t at = frame.rows->offset(rigid.block) + 3;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      rows.first[at + k] = sign * u[axis];
      rows.second[at + k] = sign * v[axis];
    }
  }
  return turn_count_++;
}

/// Adds the torques of the pairs that touch, or have pressed in the last step. A torque is that of
/// a spring of the relative rotation, across the mean normal or about it, at most the arm times the
/// sum of the normal forces. The spring of what turns begins anew in every step, so that it never
/// turns it back; that of what does not turn keeps its stretch and holds it on a slope.
/// Source: docs/methods/multibody.md, "Rolling and spinning friction".
void ImplicitStep::add_turning(const ContactSet& contacts) HAPTIC_REALTIME {
  turn_count_ = 0;
  turning_.clear();
  if (turns_.empty()) return;
  for (const std::uint32_t p : contacts.close()) {
    const ContactSet::Pair& pair = contacts.pairs()[p];
    if (!pair.resists_turns()) continue;
    TurnFriction& turn = turns_[p];
    turn.rolls = turn.spins = kNoPair;
    Vector3 sum = Vector3::Zero();
    for (const Contact& contact : pair.contact.contacts()) {
      sum += contact.stiffness * contact.pressed_depth() * contact.normal;
    }
    if (sum.norm() > 0.0) turn.normal = sum.normalized();
    turning_.push_back(p);
    if (turn.normal.isZero(0.0)) continue;
    Frame frame{};
    frame.pair = &pair;
    use_blocks_of(p, frame);
    turn.stiffness = turning_stiffness(pair);
    turn.u = turn.normal.unitOrthogonal();
    turn.v = turn.normal.cross(turn.u);
    if (turn.rolling > 0.0) turn.rolls = add_turn(frame, turn, turn.u, turn.v, turn.rolling);
    if (turn.spinning > 0.0) {
      turn.spins = add_turn(frame, turn, turn.normal, Vector3::Zero(), turn.spinning);
    }
  }
}

/// The sums of the normal forces in the last solution, of the pairs in turning_.
void ImplicitStep::add_up_pressed() HAPTIC_REALTIME {
  for (const std::uint32_t p : turning_) turns_[p].pressed = 0.0;
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    turns_[pair_of_normal(i)].pressed += solver_.normal_force(i);
  }
}

/// The limits in the marked islands, from the normal forces of the last solution.
void ImplicitStep::set_turning_limits() HAPTIC_REALTIME {
  if (turns_.empty()) return;
  add_up_pressed();
  for (const std::uint32_t p : turning_) {
    const TurnFriction& turn = turns_[p];
    if (turn.rolls == kNoPair && turn.spins == kNoPair) continue;
    if (marked_[block_of(p)] == 0) continue;
    if (turn.rolls != kNoPair) solver_.set_limit(turn.rolls, turn.rolling * turn.pressed);
    if (turn.spins != kNoPair) solver_.set_limit(turn.spins, turn.spinning * turn.pressed);
  }
}

/// The springs at the end of the step.
void ImplicitStep::settle_turning() HAPTIC_REALTIME {
  if (turns_.empty()) return;
  add_up_pressed();
  for (const std::uint32_t p : turning_) {
    TurnFriction& turn = turns_[p];
    turn.stretch.setZero();
    const auto holds = [&](std::uint32_t row) HAPTIC_REALTIME {
      if (row == kNoPair) return false;
      const double(&s)[2] = solver_.stretch(row);
      return turn.stiffness * std::hypot(s[0], s[1]) <= kTurns * solver_.limit(row);
    };
    if (holds(turn.rolls)) {
      const double(&s)[2] = solver_.stretch(turn.rolls);
      turn.stretch += s[0] * turn.u + s[1] * turn.v;
    }
    if (holds(turn.spins)) turn.stretch += solver_.stretch(turn.spins)[0] * turn.normal;
    if (!(turn.pressed > 0.0)) turn.normal.setZero();
  }
  for (std::uint32_t i = touching_; i < solver_.contacts(); ++i) {
    TurnFriction& turn = turns_[pair_of_normal(i)];
    const bool resists = turn.rolling > 0.0 || turn.spinning > 0.0;
    if (!resists || turn.rolls != kNoPair || turn.spins != kNoPair) continue;
    turn.normal += solver_.normal_force(i) * approaching_[i - touching_].normal;
  }
  for (const std::uint32_t p : turning_) turns_[p].normal.stableNormalize();
}

}  // namespace haptic::solids
