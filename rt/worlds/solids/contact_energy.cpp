#include "rt/worlds/solids/contact_energy.h"

#include <algorithm>
#include <cmath>

namespace haptic::solids {

ContactEnergy::ContactEnergy(std::span<const ContactSet::Pair> pairs, double dt)
    : pairs_(pairs.size()),
      active_((pairs.size() + BlockPattern::kBits - 1) / BlockPattern::kBits),
      is_close_(pairs.size()),
      dt_(dt) {
  reset();
}

void ContactEnergy::begin() HAPTIC_REALTIME {
  for_each_bit(active_,
               [&](std::uint32_t i) HAPTIC_REALTIME { pairs_[i].stored = pairs_[i].scaled = 0.0; });
}

void ContactEnergy::close(const ContactSet& contacts) HAPTIC_REALTIME {
  for (const std::uint32_t i : contacts.close()) {
    activate(i);
    is_close_[i] = 1;
  }
  for_each_bit(active_, [&](std::uint32_t i) HAPTIC_REALTIME {
    Account& pair = pairs_[i];
    const ContactPair& contact = contacts.pairs()[i].contact;
    const double k = contact.stiffness();
    if (pair.account < 0.0) pair.account -= pair.account * std::min(dt_ / kMemory_s, 1.0);
    const double scale = pair.stored > 0.0 ? pair.scaled / pair.stored : 1.0;
    if (contact.level() == pair.level) {
      // With the stiffness of the last step: a change of it is none of the contacts' doing.
      const double stored = k > 0.0 ? pair.stored * pair.stiffness / k : 0.0;
      pair.account += pair.work + pair.scale * (stored - pair.last_stored);
      pair.rescaled += (scale - pair.scale) * stored;
    }
    pair.last_stored = pair.stored;
    pair.scale = scale;
    pair.stiffness = k;
    pair.level = contact.level();
    work_ += std::abs(pair.work);
    pair.work = 0.0;
    if (is_close_[i] == 0 && pair.account == 0.0 && pair.rescaled == 0.0 && pair.stored == 0.0) {
      active_[i / BlockPattern::kBits] &= ~(std::uint64_t{1} << (i % BlockPattern::kBits));
    }
  });
  for (const std::uint32_t i : contacts.close()) is_close_[i] = 0;
}

double ContactEnergy::created() const HAPTIC_REALTIME {
  double sum = 0.0;
  for_each_bit(active_, [&](std::uint32_t i) HAPTIC_REALTIME {
    sum += std::max(pairs_[i].account, 0.0) + std::max(pairs_[i].rescaled, 0.0);
  });
  return sum;
}

void ContactEnergy::reset() HAPTIC_REALTIME {
  std::ranges::fill(pairs_, Account{});
  work_ = 0.0;
  // Levels and stiffness of all pairs are read once.
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) activate(i);
}

}  // namespace haptic::solids
