#include "rt/worlds/cloth/explicit_contacts.h"

#include <algorithm>

#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::cloth {

void ExplicitContacts::clear() HAPTIC_REALTIME {
  contacts_.clear();
  forces_.clear();
}

bool ExplicitContacts::add(const ClothContact& contact) HAPTIC_REALTIME {
  return contacts_.push(contact);
}

void ExplicitContacts::apply(std::span<const double> v, double dt,
                             std::span<double> applied) HAPTIC_REALTIME {
  forces_.clear();
  for (const ClothContact& contact : contacts_.items()) {
    ContactForce result;
    result.normal = contact.stiffness * std::max(0.0, -contact.gap);
    Vector3 velocity = -contact.surface_velocity;
    for (std::size_t k = 0; k < contact.count; ++k) {
      velocity += contact.weights[k] * at(v, contact.particles[k]);
    }
    const Vector3 way = dt * velocity;
    result.gap = contact.gap + contact.normal.dot(way);
    // What the anchor is dragged by is the part of the stretch that friction does not hold.
    const Vector3 stretch =
        contact.stretch + contact.part * (way - contact.normal.dot(way) * contact.normal);
    const double pull = contact.stiffness * stretch.norm();
    const double limit = contact.friction * result.normal;
    result.slides = pull > limit;
    result.stretch = result.slides ? Vector3(limit / pull * stretch) : stretch;
    result.slip = stretch - result.stretch;
    result.force = result.normal * contact.normal - contact.stiffness * result.stretch;
    for (std::size_t k = 0; k < contact.count; ++k) {
      at(applied, contact.particles[k]) += contact.weights[k] * result.force;
    }
    [[maybe_unused]] const bool room = forces_.push(result);
  }
}

}  // namespace haptic::cloth
