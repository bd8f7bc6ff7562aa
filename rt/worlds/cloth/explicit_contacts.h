#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/contact/cloth_contact.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Contact forces of the start of a step, for methods that take forces explicitly: what the text
/// does with the reaction to the hand. Stable only below a stiffness (`largest_stiffness`).
/// Source: docs/methods/cloth.md, "Contact in the step".
class ExplicitContacts {
 public:
  explicit ExplicitContacts(std::size_t capacity) : contacts_(capacity), forces_(capacity) {}

  void clear() HAPTIC_REALTIME;
  /// @returns false if all places are taken
  [[nodiscard]] bool add(const ClothContact& contact) HAPTIC_REALTIME;
  std::size_t size() const HAPTIC_REALTIME { return contacts_.size(); }

  /// Adds the forces to `applied` [N], 3n values.
  /// @param x, v  particles [m], [m/s] @param dt  of the step [s]
  void apply(std::span<const double> v, double dt, std::span<double> applied) HAPTIC_REALTIME;
  const ClothContact& contact(std::size_t k) const HAPTIC_REALTIME { return contacts_.items()[k]; }
  ContactForce force(std::size_t contact) const HAPTIC_REALTIME { return forces_.items()[contact]; }

  /// k h^2 = m, a quarter of the limit of a Verlet method for a particle of mass m that nothing
  /// else holds [N/m].
  static double largest_stiffness(double mass, double dt) { return mass / (dt * dt); }

 private:
  BoundedList<ClothContact> contacts_;
  BoundedList<ContactForce> forces_;
};

}  // namespace haptic::cloth
