// What keeps contacts without a potential from creating energy.

#include <algorithm>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Largest damping where contacts have created energy, as the part of the velocity that it takes in
/// a step.
constexpr double kMostDamping = 0.05;
/// The same of a held body with a mass: its coupling damps it much more than bodies that deform
/// damp themselves.
constexpr double kMostHeldDamping = 1.0;
/// Least part of the stored energy with which contacts that have not been paid for may do work in a
/// step.
constexpr double kLeastWork = 1e-3;

double square_of(std::span<const double> values) HAPTIC_REALTIME {
  double sum = 0.0;
  for (const double x : values) sum += x * x;
  return sum;
}

/// Rate with which a motion like the last one takes the energy of an account out in this step.
/// @param square  of the motion, times its mass; `most` is the largest rate
double rate_for(double account, double square, double most) HAPTIC_REALTIME {
  if (!(account > 0.0)) return 0.0;
  return account < most * square ? account / square : most;
}

}  // namespace

void ImplicitStep::add_dampers(std::span<const ContactSet::Pair> pairs) {
  for (std::uint32_t p = 0; p < pairs.size(); ++p) {
    const auto touches = [&](std::size_t body) {
      return pairs[p].points == body || pairs[p].field == body;
    };
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!touches(members_[i].body)) continue;
      dampers_.push_back({p, i});
      is_rigid_[p] = 0;
    }
    if (is_rigid_[p] != 0 && touches(held_body_)) held_dampers_.push_back({p});
  }
}

/// Damps the bodies whose contacts have created energy, such that they lose as much in this step if
/// they move as in the last one.
void ImplicitStep::damp_created_energy(const ContactSet& contacts, bool first) HAPTIC_REALTIME {
  if (first) {
    energy_.close(contacts);
    for (const std::uint32_t p : contacts.close()) {
      if (!(energy_.account(p) > 0.0)) {
        is_unpaid_[p] = 0;
      } else if (had_too_few_rows_ && is_rigid_[p] != 0) {
        is_unpaid_[p] = 1;
      }
    }
  }
  hold_back_unpaid();
  const double square = dt_ * dt_;
  for (Damper& damper : dampers_) {
    const std::span<const double> qdot = members_[damper.member].dynamics->qdot();
    damper.rate =
        rate_for(energy_.account(damper.pair), square * square_of(qdot), kMostDamping / square);
    const Eigen::Index at = shapes_[members_[damper.member].body].first_unknown;
    solver_.matrix().diagonal().segment(at, static_cast<Eigen::Index>(qdot.size())).array() +=
        damper.rate;
  }
  if (hand_.mass.isZero(0.0)) return;
  for (HeldDamper& damper : held_dampers_) {
    if (first) {  // z_ is the motion of the last step
      damper.rate = rate_for(energy_.account(damper.pair), hand_.mass.dot(z_.cwiseAbs2()),
                             kMostHeldDamping / square);
    }
    solver_.matrix().diagonal().head<6>() += damper.rate * hand_.mass;
  }
}

/// Between rigid bodies, points without a row get deeper than the work of the forces. Of what such
/// a pair stores, only what was paid for may do work. The force k d (1 - c v) of a damped point
/// does at most k d dt / (4 c) in a step, so that a large c lets the bodies come apart without a
/// push.
void ImplicitStep::hold_back_unpaid() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    const std::uint32_t p = pair_of_[i];
    if (is_unpaid_[p] == 0) continue;
    const double stored = energy_.stored(p);
    const double may = std::max(stored - energy_.account(p), kLeastWork * stored);
    if (may > 0.0) solver_.raise_damping(i, 0.25 * pushes_[p] / may);
  }
}

/// The work of the contacts in the step, and what damp_created_energy() has taken.
void ImplicitStep::settle_energy() HAPTIC_REALTIME {
  had_too_few_rows_ = without_row() > 0;
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    const std::uint32_t pair = pair_of_normal(i);
    // The part of the motion by which a wall gives way is none of the bodies'.
    const double gives = give_at_end(pair) - give_at_start(pair);
    energy_.add_work(pair, solver_.normal_work(i) - solver_.normal_force(i) * gives);
  }
  for (const Damper& damper : dampers_) {
    if (damper.rate == 0.0) continue;
    energy_.take(damper.pair, damper.rate * square_of(change(damper.member)));
  }
  for (const HeldDamper& damper : held_dampers_) {
    if (damper.rate == 0.0) continue;
    energy_.take(damper.pair, damper.rate * hand_.mass.dot(z_.cwiseAbs2()));
  }
}

}  // namespace haptic::solids
