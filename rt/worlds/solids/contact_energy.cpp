#include "rt/worlds/solids/contact_energy.h"

#include <algorithm>

namespace haptic {

ContactEnergy::ContactEnergy(std::span<const ContactSet::Pair> pairs, double dt)
    : pairs_(pairs.size()), dt_(dt) {}

void ContactEnergy::begin() HAPTIC_REALTIME {
  for (Account& pair : pairs_) pair.stored = pair.scaled = 0.0;
}

void ContactEnergy::close(const ContactSet& contacts) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Account& pair = pairs_[i];
    const ContactPair& contact = contacts.pairs()[i].contact;
    const double k = contact.stiffness();
    if (pair.account < 0.0) pair.account -= pair.account * std::min(dt_ / kMemory_s, 1.0);
    if (contact.level() == pair.level) {
      // With the stiffness of the last step: a change of it is none of the contacts' doing.
      const double stored = k > 0.0 ? pair.stored * pair.stiffness / k : 0.0;
      pair.account += pair.work + pair.scale * (stored - pair.last_stored);
    }
    pair.last_stored = pair.stored;
    pair.scale = pair.stored > 0.0 ? pair.scaled / pair.stored : 1.0;
    pair.stiffness = k;
    pair.level = contact.level();
    pair.work = 0.0;
  }
}

double ContactEnergy::created() const HAPTIC_REALTIME {
  double sum = 0.0;
  for (const Account& pair : pairs_) sum += std::max(pair.account, 0.0);
  return sum;
}

void ContactEnergy::reset() HAPTIC_REALTIME {
  std::ranges::fill(pairs_, Account{});
}

}  // namespace haptic
