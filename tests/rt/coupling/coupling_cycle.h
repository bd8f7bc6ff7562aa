#pragma once

#include <gtest/gtest.h>

#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/virtual_coupling.h"
#include "tests/rt/coupling/held_points.h"

namespace haptic {

/// A speed limit that never acts.
inline constexpr double kFar = 1e300;

/// One cycle of a held body that meets `contact`; returns the contact.
inline TestContact cycle(const VirtualCoupling& coupling, const Pose& hand,
                         const TestContact& contact, Pose& held, double shortened = 1.0) {
  const CouplingLoad load = coupling.simulated(hand, held);
  EXPECT_EQ(coupling.advance(hand, load, contact.wrench, contact.gradient, held, shortened),
            CouplingStatus::kOk);
  return contact;
}

/// What the hand feels of the coupling's springs.
inline Wrench on_hand(const VirtualCoupling& coupling, const Pose& hand, const Pose& held) {
  HandCoupling law;
  law.stiffness = coupling.settings().force.stiffness;
  law.rotational_stiffness = coupling.settings().torque.stiffness;
  return law.wrench(hand, {}, held, {});
}

}  // namespace haptic
