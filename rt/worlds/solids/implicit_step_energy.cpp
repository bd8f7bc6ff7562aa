// What keeps contacts without a potential from creating energy.

#include <algorithm>

#include "rt/worlds/solids/implicit_step.h"

namespace haptic {
namespace {

/// Largest damping where contacts have created energy, as the part of the velocity that it takes in
/// a step.
constexpr double kMostDamping = 0.05;

double square_of(std::span<const double> values) HAPTIC_REALTIME {
  double sum = 0.0;
  for (const double x : values) sum += x * x;
  return sum;
}

}  // namespace

void ImplicitStep::add_dampers(std::span<const ContactSet::Pair> pairs) {
  for (std::uint32_t p = 0; p < pairs.size(); ++p) {
    const auto touches = [&](std::size_t body) {
      return pairs[p].points == body || pairs[p].field == body;
    };
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (touches(members_[i].body)) dampers_.push_back({p, i});
    }
  }
}

/// Damps the bodies whose contacts have created energy, such that they lose as much in this step if
/// they move as in the last one.
void ImplicitStep::damp_created_energy(const ContactSet& contacts, bool first) HAPTIC_REALTIME {
  if (first) energy_.close(contacts);
  for (Damper& damper : dampers_) {
    damper.rate = 0.0;
    const double account = energy_.account(damper.pair);
    if (!(account > 0.0)) continue;
    const std::span<const double> qdot = members_[damper.member].dynamics->qdot();
    const double square = dt_ * dt_ * square_of(qdot), most = kMostDamping / (dt_ * dt_);
    damper.rate = account < most * square ? account / square : most;
    const Eigen::Index at = shapes_[members_[damper.member].body].first_unknown;
    solver_.matrix().diagonal().segment(at, static_cast<Eigen::Index>(qdot.size())).array() +=
        damper.rate;
  }
}

/// The work of the contacts in the step, and what damp_created_energy() has taken.
void ImplicitStep::settle_energy() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < solver_.contacts(); ++i) {
    energy_.add_work(i < touching_ ? pair_of_[i] : entering_[i - touching_].pair,
                     solver_.normal_work(i));
  }
  for (const Damper& damper : dampers_) {
    if (damper.rate == 0.0) continue;
    energy_.take(damper.pair, damper.rate * square_of(change(damper.member)));
  }
}

}  // namespace haptic
