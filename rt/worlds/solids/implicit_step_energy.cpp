// What keeps contacts without a potential from creating energy.

#include <algorithm>
#include <utility>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

/// Largest damping where contacts have created energy, as the part of the velocity that it takes in
/// a step.
constexpr double kMaxDamping = 0.05;
/// Time in which the damper of a held body forgets what a pair has created, and after which a
/// motion lasts [s]. What contacts drive is faster.
constexpr double kLately_s = 0.05;
/// Least part of the stored energy with which contacts that have not been paid for may do work in a
/// step.
constexpr double kMinWork = 1e-3;

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
    if (is_rigid_[p] == 0 || !touches(held_body_)) continue;
    held_dampers_.push_back({p});
    may_slip_[p] = 1;
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
        rate_for(energy_.account(damper.pair), square * square_of(qdot), kMaxDamping / square);
    const Eigen::Index at = shapes_[members_[damper.member].body].first_unknown;
    solver_.matrix().diagonal().segment(at, static_cast<Eigen::Index>(qdot.size())).array() +=
        damper.rate;
  }
  if (!hand_.mass.isZero(0.0)) damp_held(first);
}

/// The same of the held body: -rate M (dz - its lasting motion), which takes
/// rate (dz - lasting) . M dz.
void ImplicitStep::damp_held(bool first) HAPTIC_REALTIME {
  if (first) {  // z_ is the motion of the last step
    const double part = std::min(1.0, dt_ / kLately_s);
    held_drift_ += part * (z_ - held_drift_);
    // No more of it than the motion has, so that the damper never pushes.
    const Vector6 weighted = hand_.mass.cwiseProduct(held_drift_);
    const double whole = weighted.dot(held_drift_), share = weighted.dot(z_);
    lasting_ = (whole > 0.0 ? std::clamp(share / whole, 0.0, 1.0) : 0.0) * held_drift_;
    const double square = hand_.mass.dot((z_ - lasting_).cwiseProduct(z_));
    for (HeldDamper& damper : held_dampers_) {
      const double before = std::exchange(damper.account, energy_.account(damper.pair));
      damper.due = std::max(0.0, (1.0 - part) * damper.due + damper.account - before);
      damper.rate = rate_for(damper.due, square, kMaxDamping / (dt_ * dt_));
    }
  }
  for (const HeldDamper& damper : held_dampers_) {
    const Vector6 resistance = damper.rate * hand_.mass;
    solver_.matrix().diagonal().head<6>() += resistance;
    solver_.load().head<6>() += resistance.cwiseProduct(lasting_);
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
    const double may = std::max(stored - energy_.account(p), kMinWork * stored);
    if (may > 0.0) solver_.raise_damping(i, 0.25 * pushes_[p] / may);
  }
}

/// The work of the contacts in the step, and what damp_created_energy() has taken.
void ImplicitStep::settle_energy() HAPTIC_REALTIME {
  had_too_few_rows_ = without_row() > 0;
  knows_depths_ = !had_too_few_rows_;
  end_depth_count_ = 0;
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    const std::uint32_t pair = pair_of_normal(i);
    if (end_depth_count_ < end_depths_.size() && is_rigid_[pair] != 0) {
      const std::uint32_t point =
          i < touching_ ? linearised_[i].point : approaching_[i - touching_].point;
      end_depths_[end_depth_count_++] = {pair, point, std::max(0.0, -solver_.distance(i))};
    }
    // The part of the motion by which a wall gives way is none of the bodies'.
    const double gives = wall_shares_[i] * (give_at_end(pair) - give_at_start(pair));
    energy_.add_work(pair, solver_.normal_work(i) - solver_.normal_force(i) * gives);
  }
  for (const FieldFold& fold : std::span(folds_).first(fold_count_)) {
    if (fold.ties) energy_.add_work(pair_of_normal(fold.normal), solver_.link_work(fold.link));
  }
  for (const Damper& damper : dampers_) {
    if (damper.rate == 0.0) continue;
    energy_.take(damper.pair, damper.rate * square_of(change(damper.member)));
  }
  for (const HeldDamper& damper : held_dampers_) {
    if (damper.rate == 0.0) continue;
    energy_.take(damper.pair, damper.rate * hand_.mass.dot((z_ - lasting_).cwiseProduct(z_)));
  }
}

}  // namespace haptic::solids
