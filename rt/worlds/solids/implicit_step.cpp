#include "rt/worlds/solids/implicit_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haptic::solids {
namespace {

/// Least margin [voxels].
constexpr double kMinMargin = 0.02;
/// Largest speed of a point after an impact of its body, over that before.
constexpr double kStruck = 2.0;
/// Largest number of solutions with friction of points that came into contact in the one before.
constexpr int kEnteringPasses = 4;
/// Largest number of further solutions if friction exceeds what the normal forces allow.
constexpr int kFrictionPasses = 4;
/// A gain of energy below this is a rounding error [J].
constexpr double kRoundingWork = 1e-12;

}  // namespace

std::span<const double> ImplicitStep::change(std::size_t member) const HAPTIC_REALTIME {
  return std::span(change_).subspan(shapes_[members_[member].body].at,
                                    members_[member].dynamics->q().size());
}

std::uint32_t ImplicitStep::failed_body() const HAPTIC_REALTIME {
  if (unshaped_ != WorldOutput::kNoBody) return unshaped_;
  const std::uint32_t block = solver_.failed_block();
  if (block == ContactSolver::kNoBlock) return WorldOutput::kNoBody;
  return body_of_block_[block];
}

void ImplicitStep::reset() HAPTIC_REALTIME {
  z_.setZero();
  solver_.reset();
  joints_.reset();
  pull_.reset();
  energy_.reset();
  for (HeldDamper& damper : held_dampers_) damper.account = damper.due = 0.0;
  held_drift_.setZero();
  std::ranges::fill(is_unpaid_, 0);
  std::ranges::fill(frictions_, PairFriction{});
  for (TurnFriction& turn : turns_) {
    turn.pressed = 0.0;
    turn.normal.setZero();
    turn.stretch.setZero();
  }
  wrench_ = {};
  had_too_few_rows_ = knows_depths_ = false;
  touching_without_row_ = entering_without_row_ = 0;
  wake_all();
  started_ = false;
}

void ImplicitStep::set_margins(ContactSet& contacts) HAPTIC_REALTIME {
  for (const std::uint32_t i : contacts.fresh()) {
    ContactSet::Pair& pair = contacts.pairs()[i];
    if (!pair.contact.settings().traversal.near_points) continue;
    double motion = motion_bounds_[pair.points] + motion_bounds_[pair.field];
    for (const Member& member : members_) {
      if (member.body != pair.points && member.body != pair.field) continue;
      motion += deformation(member.body, dt_, member.dynamics->qdot());
    }
    // A body that is struck at one end moves the faster at the other one.
    if (pair.restitution) motion *= kStruck;
    motion = std::max(motion, kMinMargin * edges_[i]);
    const double largest = ContactSet::kMaxMargin * edges_[i];
    if (!std::isfinite(motion)) motion = largest;
    // A path through a field that deforms is not followed.
    if (fields_[pair.field]->dimension() > 0) motion = std::min(motion, largest);
    motion = std::max(motion, pair.contact.margin());
    is_fast_[i] = motion > largest ? 1 : 0;
    // A tool that slips off its last contact goes on as if there were none. What deforms gives way
    // to points that it meets unseen.
    pair.contact.set_margin(may_slip_[i] != 0 ? std::max(motion, slipping_) : motion);
  }
}

bool ImplicitStep::solve(const HeldBody& held, const CouplingLoad& load, ContactSet& contacts,
                         std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  if (unshaped_ != WorldOutput::kNoBody) return false;
  const HeldBody::StepSystem rows = held.prepare(load);
  last_motion_ = solver_.step();
  if (!strike(contacts, bodies)) return false;
  std::ranges::fill(weights_, NewmarkIntegrator::kImpulseFirst);
  std::ranges::fill(change_, 0.0);
  place_joints(bodies);
  contact_count_ = 0;
  for (const std::uint32_t i : contacts.close()) {
    contact_count_ += contacts.pairs()[i].contact.contacts().size();
  }
  for (std::uint32_t i = 0; i < newton_iterations_; ++i) {
    if (!find(held, rows, contacts, bodies, i == 0)) return false;
  }
  if (spread_forces() && !(balance(ContactSolver::Start::kLast) && limit_speed(held))) return false;
  settle_friction(contacts);
  settle_turning();
  settle_energy();
  joints_.settle(solver_);
  const Eigen::VectorXd& forces = solver_.contact_load();
  wrench_ = {carried_.force + forces.segment<3>(0), carried_.torque + forces.segment<3>(3)};
  return is_finite(wrench_);
}

/// First a guess with the points in contact, then a prediction that includes the points near
/// enough to come into contact, then the solution with friction of those that do. Without this
/// friction, a body whose only contact changes from point to point would have no friction for one
/// step and stick in the next. The limits of friction are those of the solution before. An island
/// in which there is nothing more to find keeps its solution, so that no other changes it.
bool ImplicitStep::find(const HeldBody& held, const HeldBody::StepSystem& rows,
                        const ContactSet& contacts, std::span<const BodyMotion> bodies,
                        bool first) HAPTIC_REALTIME {
  solver_.clear();
  std::ranges::fill(supports_, nullptr);
  hand_ = rows;
  hand_damping_.setOnes();
  add_bodies(rows);
  joints_.add_to(solver_);
  if (pull_.body() != Pull::kNoBody) pull_.add_to(solver_);
  add_carried(contacts);
  add_walls(contacts);
  add_contacts(contacts, bodies);
  damp_created_energy(contacts, first);
  using Start = ContactSolver::Start;
  using Accuracy = ContactSolver::Accuracy;
  mark_awake();
  if (!predict(Start::kNew, Accuracy::kGuess)) return false;
  mark_none();
  find_fast(contacts);
  if (add_approaching(contacts, bodies, true)) {
    spread_marks(marked_);
    set_limits();
    if (!predict(Start::kLast, Accuracy::kPredicts)) return false;
  }
  mark_awake();
  for (int pass = 0; pass <= kEnteringPasses; ++pass) {
    if (pass < kEnteringPasses) {
      std::ranges::copy(marked_, solved_.begin());
      if (pass > 0) mark_none();
      const bool rubs = friction_ && add_friction_of_entering(contacts, bodies);
      const bool enters = add_approaching(contacts, bodies, false);
      if (pass > 0 && !rubs && !enters) break;
      spread_marks(marked_);
    }
    set_limits();
    if (!balance(Start::kLast)) return false;
  }
  for (int pass = 0; pass < kFrictionPasses; ++pass) {
    std::ranges::copy(marked_, solved_.begin());
    const bool exceeds = exceeds_friction(), turns = review_sticking();
    // What begins to slide goes further.
    const bool enters = pass > 0 && add_approaching(contacts, bodies, false);
    if (!exceeds && !turns && !enters) break;
    if (enters) spread_marks(marked_);
    set_limits();
    if (!balance(Start::kLast)) return false;
  }
  if (!limit_speed(held)) return false;
  return follow_fields(contacts, bodies) && (fold_count_ == 0 || limit_speed(held));
}

/// Spreads the contact forces over the step for the bodies that would gain energy.
/// @returns whether there are any
bool ImplicitStep::spread_forces() HAPTIC_REALTIME {
  bool gains = false;
  mark_none();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::span<const double> dq = change(i);
    if (still_[members_[i].body] != 0 || members_[i].dynamics->excess_work(dq) <= kRoundingWork)
      continue;
    weights_[i] = NewmarkIntegrator::kSpread;
    constexpr double kRatio = NewmarkIntegrator::kImpulseFirst / NewmarkIntegrator::kSpread;
    const Shape& shape = shapes_[members_[i].body];
    const std::ptrdiff_t first = shape.first_unknown;
    solver_.scale_block(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(dq.size()),
                        kRatio, kRatio);
    for (Damper& damper : dampers_) {
      if (damper.member == i) damper.rate *= kRatio;
    }
    // The carried forces in the load act like contact forces and are not scaled, nor are the
    // elements that couple the shape with the rotation.
    solver_.add_load(static_cast<std::uint32_t>(first), 1.0 - kRatio,
                     std::span(added_).subspan(shape.at, dq.size()));
    for (const Free& free : free_) {
      if (free.member.body != members_[i].body) continue;
      solver_.add_matrix(static_cast<std::uint32_t>(first), 1.0 - kRatio, free.turning);
    }
    mark_block(shape.block);
    gains = true;
  }
  spread_marks(marked_);
  if (gains) set_limits();
  return gains;
}

/// A solution that shows which contacts matter, and their normal forces.
bool ImplicitStep::predict(ContactSolver::Start start,
                           ContactSolver::Accuracy accuracy) HAPTIC_REALTIME {
  if (solver_.solve(start, accuracy, marked_) == ContactSolver::Result::kNotFinite) return false;
  load_solution();
  return true;
}

/// The errors of joints are linear in the motion except for rotations, so a few more
/// solutions close them. Where bodies turn far, these do not converge, and the joints are
/// linearised about the solution. This ends in each island by itself.
bool ImplicitStep::balance(ContactSolver::Start start) HAPTIC_REALTIME {
  constexpr ContactSolver::Accuracy kFull = ContactSolver::Accuracy::kFull;
  if (solver_.solve(start, kFull, marked_) == ContactSolver::Result::kNotFinite) return false;
  std::ranges::copy(marked_, closing_.begin());
  std::ranges::fill(last_joint_error_, std::numeric_limits<double>::infinity());
  for (int i = 0; i < kMaxClosings && correct_joints(i); ++i) {
    if (solver_.solve(ContactSolver::Start::kLast, kFull, closing_) ==
        ContactSolver::Result::kNotFinite) {
      return false;
    }
  }
  load_solution();
  return solver_.step().allFinite();
}

void ImplicitStep::load_solution() HAPTIC_REALTIME {
  const Eigen::VectorXd& x = solver_.step();
  z_ = x.head<6>();
  for (const Member& member : members_) {
    const Shape& shape = shapes_[member.body];
    std::copy_n(x.data() + shape.first_unknown, member.dynamics->q().size(),
                change_.begin() + static_cast<std::ptrdiff_t>(shape.at));
  }
}

}  // namespace haptic::solids
