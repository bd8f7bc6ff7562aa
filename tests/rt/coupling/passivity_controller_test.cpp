#include "rt/coupling/passivity_controller.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <limits>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kServoPeriod = 1e-3;

PassivitySettings enabled(PassivityReference reference) {
  PassivitySettings settings;
  settings.enabled = true;
  settings.reference = reference;
  settings.max_damping = 20.0;  // six cycles late, the spring wants about 6 ms * 800 N/m
  return settings;
}

/// A free handle of mass m and damping b, moved exactly under a wrench that is held for a step;
/// one translation (x) and one rotation (z) of the same mass and damping at 5 cm.
struct Handle {
  double mass = 0.2, damping = 0.0;
  double x = 0.0, v = 0.0, angle = 0.0, rate = 0.0;

  Pose pose() const {
    Pose pose;
    pose.position.x() = x;
    pose.orientation = rotation_exponential({0.0, 0.0, angle});
    return pose;
  }
  void move(const Wrench& held) {
    step(x, v, held.force.x() / mass);
    step(angle, rate, held.torque.z() / (mass * 0.05 * 0.05));
  }
  void step(double& position, double& speed, double acceleration) const {
    const double c = damping / mass;
    if (c == 0.0) {
      position += kServoPeriod * speed + 0.5 * kServoPeriod * kServoPeriod * acceleration;
      speed += kServoPeriod * acceleration;
      return;
    }
    const double end = acceleration / c, decay = std::exp(-c * kServoPeriod);
    position += end * kServoPeriod + (speed - end) * (1.0 - decay) / c;
    speed = end + (speed - end) * decay;
  }
};

/// A spring on x and on the rotation whose answer comes `kDelay` cycles late: an active
/// environment.
class DelayedSpring {
 public:
  static constexpr std::size_t kDelay = 6;
  double stiffness = 800.0, rotational = 2.0;

  Wrench wrench(const Pose& hand) {
    Wrench now;
    now.force.x() = -stiffness * hand.position.x();
    now.torque = -rotational * rotation_logarithm(hand.orientation);
    const Wrench late = queue_[next_];
    queue_[next_] = now;
    next_ = (next_ + 1) % kDelay;
    return late;
  }
  double stored(const Pose& hand) const {
    return 0.5 * stiffness * hand.position.squaredNorm() +
           0.5 * rotational * rotation_logarithm(hand.orientation).squaredNorm();
  }

 private:
  std::array<Wrench, kDelay> queue_{};
  std::size_t next_ = 0;
};

struct Outcome {
  double energy;     // given by the hand at the end [J]
  double lowest;     // its smallest value
  double amplitude;  // of x over the last 0.2 s [m]
  double largest;    // damping [N·s/m]
};

Outcome play(const PassivitySettings& settings, DelayedSpring spring, Handle handle,
             int cycles = 4000) {
  PassivityController port(settings, kServoPeriod, true);
  port.begin(handle.pose());
  Outcome out{0.0, 0.0, 0.0, 0.0};
  for (int k = 0; k < cycles; ++k) {
    const Pose hand = handle.pose();
    port.observe(hand);
    Wrench wrench = spring.wrench(hand);
    const Wrench added = port.control(wrench, spring.stored(hand), 0.0);
    wrench.force += added.force;
    wrench.torque += added.torque;
    port.sent(wrench);
    handle.move(wrench);
    out.lowest = std::min(out.lowest, port.energy());
    out.largest = std::max(out.largest, port.damping());
    if (k >= cycles - 200) out.amplitude = std::max(out.amplitude, std::abs(handle.x));
    if (std::abs(handle.x) > 1e3) {
      out.amplitude = std::abs(handle.x);
      break;
    }
  }
  out.energy = port.energy();
  return out;
}

TEST(PassivityController, the_observer_is_the_energy_of_the_held_wrench) {
  // The hand is moved along a known path; its work is the sum of held force times distance.
  // Compared with a continuous spring it lacks the leak K/2 sum (dx)^2 of sample and hold.
  PassivityController port({}, kServoPeriod, true);
  const double k = 500.0;
  Pose hand;
  port.begin(hand);
  double expected = 0.0, leak = 0.0;
  Wrench held;
  for (int i = 1; i <= 1000; ++i) {
    Pose next = hand;
    next.position.x() = 0.01 * std::sin(0.02 * i);
    const double moved = next.position.x() - hand.position.x();
    expected -= held.force.x() * moved;
    leak += 0.5 * k * moved * moved;
    hand = next;
    port.observe(hand);
    held.force.x() = -k * hand.position.x();
    port.sent(held);
  }
  const double x = hand.position.x();
  EXPECT_NEAR(port.energy(), expected, 1e-15);
  EXPECT_NEAR(port.energy(), 0.5 * k * x * x - leak, 1e-12);
}

TEST(PassivityController, a_delayed_spring_adds_energy_to_a_free_handle_unless_controlled) {
  const Handle handle{.mass = 0.2, .damping = 0.0, .v = 0.05, .rate = 1.0};
  PassivitySettings settings;
  const Outcome wild = play(settings, {}, handle);
  EXPECT_LT(wild.energy, -1.0);  // more than a joule fed into a hand that had 0.75 mJ
  EXPECT_GT(wild.amplitude, 0.05);
  EXPECT_EQ(wild.largest, 0.0);

  for (const auto reference : {PassivityReference::kZero, PassivityReference::kStored}) {
    const Outcome calm = play(enabled(reference), {}, handle);
    // Beyond the present step, which the controller foresees only as a step like the last, nothing
    // leaves the port: of the energies at play (half a millijoule) a small part.
    EXPECT_GT(calm.lowest, -5e-5) << static_cast<int>(reference);
    // A handle without damping on a port that is just passive swings on; it does not grow. The
    // first swing reaches v0 sqrt(m/k) = 0.79 mm.
    EXPECT_LT(calm.amplitude, 2.0 * 0.05 * std::sqrt(0.2 / 800.0));
    EXPECT_GT(calm.largest, 0.1);
  }
}

TEST(PassivityController, the_reference_pays_while_the_spring_is_made) {
  const Handle handle{.mass = 0.2, .damping = 0.0, .v = 0.05, .rate = 0.0};
  const Outcome zero = play(enabled(PassivityReference::kZero), {}, handle);
  const Outcome stored = play(enabled(PassivityReference::kStored), {}, handle);
  // Without it the spring gets too much energy until it is released: the swing is larger before it
  // is cut.
  EXPECT_LT(stored.amplitude, 0.9 * zero.amplitude);
}

TEST(PassivityController, the_rotational_port_alone_is_kept_passive) {
  const Handle handle{.mass = 0.2, .damping = 0.0, .v = 0.0, .rate = 1.0};
  DelayedSpring spring;
  EXPECT_LT(play({}, spring, handle).energy, -0.01);
  EXPECT_GT(play(enabled(PassivityReference::kStored), spring, handle).lowest, -5e-5);
}

TEST(PassivityController, a_passive_port_is_not_affected) {
  // A sampled spring with damper F = -K x - B dx/dt, B > K T / 2: never active, whatever the path
  // (the damper's backward difference dissipates B/T (dx)^2 a step against the leak K/2 (dx)^2, up
  // to the change of dx between two steps: at the start of these paths at most K/2 (18 um)^2 =
  // 0.16 uJ, inside the tolerance).
  const double k = 1000.0, b = 2.0 * k * kServoPeriod / 2.0;
  EXPECT_TRUE(rc::check([&] {
    const double w = *rc::gen::inRange(1, 60), amplitude = 1e-4 * *rc::gen::inRange(1, 100);
    for (const auto reference : {PassivityReference::kZero, PassivityReference::kStored}) {
      PassivityController port(enabled(reference), kServoPeriod, true);
      Pose hand;
      port.begin(hand);
      for (int i = 1; i < 2000; ++i) {
        const double before = hand.position.x();
        hand.position.x() = amplitude * (1.0 - std::cos(w * kServoPeriod * i));
        port.observe(hand);
        Wrench wrench;
        wrench.force.x() = -k * hand.position.x() - b / kServoPeriod * (hand.position.x() - before);
        const Wrench added = port.control(wrench, 0.5 * k * hand.position.squaredNorm(), 0.0);
        RC_ASSERT(added.force == Vector3::Zero());
        RC_ASSERT(port.damping() == 0.0);
        port.sent(wrench);
      }
    }
  }));
}

TEST(PassivityController, damping_of_the_device_pays_for_the_spring_below_the_bound) {
  // b > K T / 2: the device's own damping dissipates more than the sampled spring leaks.
  for (const double ratio : {1.01, 0.8}) {
    PassivitySettings settings = enabled(PassivityReference::kStored);
    const double k = 1000.0;
    settings.device_damping = ratio * k * kServoPeriod / 2.0;
    PassivityController port(settings, kServoPeriod, true);
    Pose hand;
    port.begin(hand);
    double largest = 0.0;
    for (int i = 1; i < 2000; ++i) {
      hand.position.x() = 0.005 * (1.0 - std::cos(20.0 * kServoPeriod * i));
      port.observe(hand);
      Wrench wrench;
      wrench.force.x() = -k * hand.position.x();
      const Wrench added = port.control(wrench, 0.5 * k * hand.position.squaredNorm(), 0.0);
      wrench.force += added.force;
      largest = std::max(largest, port.damping());
      port.sent(wrench);
    }
    EXPECT_EQ(largest > 0.0, ratio < 1.0) << largest;
  }
}

TEST(PassivityController, a_ramp_adds_no_energy_deficit) {
  PassivityController port(enabled(PassivityReference::kStored), kServoPeriod, true);
  Pose hand;
  hand.position.x() = 0.004;
  port.begin(hand);
  for (int i = 1; i <= 100; ++i) {
    port.observe(hand);
    hand.position.x() += 1e-9;  // some motion, so that a debt could be collected
    EXPECT_EQ(port.control({}, 1e-5 * i, 1e-5).force, Vector3(Vector3::Zero()));
    port.sent({});
  }
}

TEST(PassivityController, damping_is_bounded_and_finite) {
  PassivitySettings settings = enabled(PassivityReference::kZero);
  settings.max_damping = 3.0;
  settings.max_deficit = 10.0;
  PassivityController port(settings, kServoPeriod, true);
  Pose hand;
  port.begin(hand);
  port.observe(hand);
  port.sent({{100.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  hand.position.x() = 0.01;  // the hand got 1 J
  port.observe(hand);
  EXPECT_NEAR(port.energy(), -1.0, 1e-12);
  EXPECT_NEAR(port.control({}, 0.0, 0.0).force.x(), -3.0 * 10.0, 1e-9);
  EXPECT_EQ(port.damping(), 3.0);
  EXPECT_EQ(port.rotational_damping(), 3.0 * 0.05 * 0.05);
  port.observe(hand);  // no motion: nothing to take energy from
  EXPECT_EQ(port.control({}, 0.0, 0.0).force, Vector3(Vector3::Zero()));
  hand.position.x() += 1e-200;
  port.observe(hand);
  EXPECT_TRUE(port.control({}, 0.0, 0.0).force.allFinite());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(port.control({}, nan, 0.0).force.allFinite());
  hand.position.x() = nan;
  port.observe(hand);
  EXPECT_TRUE(std::isfinite(port.energy()));
}

TEST(PassivityController, a_device_without_torque_has_three_freedoms) {
  PassivityController port(enabled(PassivityReference::kZero), kServoPeriod, false);
  Pose hand;
  port.begin(hand);
  port.sent({{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}});
  hand.orientation = rotation_exponential({0.0, 0.0, 0.1});
  port.observe(hand);
  EXPECT_EQ(port.energy(), 0.0);
  EXPECT_EQ(port.rotational_damping(), 0.0);
}

TEST(PassivityController, settings_out_of_range_are_refused) {
  const auto refused = [](auto change) {
    PassivitySettings settings;
    change(settings);
    EXPECT_THROW(PassivityController(settings, kServoPeriod, true), InputError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([&](PassivitySettings& s) { s.max_damping = nan; });
  refused([&](PassivitySettings& s) { s.length = 0.0; });
  refused([&](PassivitySettings& s) { s.max_surplus = -1.0; });
  refused([&](PassivitySettings& s) { s.max_deficit = nan; });
  refused([&](PassivitySettings& s) { s.device_damping = -0.1; });
  EXPECT_THROW(PassivityController({}, 0.0, true), InputError);
}

TEST(PassivityController, does_not_allocate) {
  PassivityController port(enabled(PassivityReference::kStored), kServoPeriod, true);
  Pose hand;
  port.begin(hand);
  const NoAllocation guard;
  for (int i = 0; i < 100; ++i) {
    hand.position.x() = 1e-3 * std::sin(0.1 * i);
    port.observe(hand);
    port.sent(port.control({{1.0, 0.0, 0.0}, Vector3::Zero()}, 1e-3, 0.0));
  }
}

}  // namespace
}  // namespace haptic
