// Condensed worlds as an attacker would set them up: values at both ends of every range, and a hand
// that drags the tool over the body's edges, off its side and through its fixed part.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lab/samples/state_value.h"
#include "shared/error.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

/// What differs from a plain scene: lines of its tables.
struct CondensedAttack {
  std::string tool = "shape = \"sphere\"\nradius = 0.004", contact = "points = [0.0, 0.0, 0.0]";
  std::string condensed{}, coupling{}, body{}, model = "block.h5";
  double rate_hz = 1000.0, length = 0.1, speed = 0.6;
};

struct AttackOutcome {
  long cycles = 0;
  double force = 0.0, energy = 0.0;  // the largest [N, J]
  double pressed = 0.0;              // share of the cycles with contact
};

class CondensedAttackTest : public PressedBlock {
 protected:
  static CondensedAttack ball() {
    return {.tool = "shape = \"sphere\"\nradius = 0.02", .contact = ""};
  }

  static Scene scene_of(const CondensedAttack& a) {
    return scene("world = \"condensed\"\nrate_hz = " + std::to_string(a.rate_hz) +
                 "\n[[body]]\nname = \"block\"\nmodel = \"" + a.model +
                 "\"\nrole = \"anchored\"\n" + a.body + "\n[[body]]\nname = \"tool\"\n" + a.tool +
                 "\nrole = \"held\"\n[condensed]\n" + a.condensed + "\n[contact]\n" + a.contact +
                 "\n[coupling]\n" + a.coupling + "\n");
  }

  /// Steps of the world at a point of the body's frame; what holds for every one of them.
  static void step(CondensedWorld& world, const Pose& body, const Vector3& at,
                   const Vector3& velocity, AttackOutcome& outcome) {
    DeviceState hand;
    hand.pose.position = body.to_world(at);
    hand.twist.linear = body.orientation * velocity;
    WorldOutput output;
    WorldStatus status;
    {
      const NoAllocation guard;
      status = world.step(hand, output);
    }
    ASSERT_EQ(status, WorldStatus::kOk) << "cycle " << outcome.cycles;
    ++outcome.cycles;
    ASSERT_TRUE(is_finite(output.contact_wrench) && is_finite(output.device_wrench));
    ASSERT_TRUE(is_finite(output.held_pose));
    const std::span<const double> f = world.tool_contact().forces();
    for (std::size_t i = 0; i < world.contacts().size(); ++i) {
      const Vector3 force(f[3 * i], f[3 * i + 1], f[3 * i + 2]);
      // Never pulls: rounding of the solution.
      ASSERT_GE(force.dot(world.contacts()[i].push), -1e-9 * force.norm());
    }
    for (const double u : world.node_displacements()) ASSERT_TRUE(std::isfinite(u));
    const double energy = state_value(world, "condensed/energy");
    ASSERT_GE(energy, -1e-9 * outcome.energy);
    outcome.energy = std::max(outcome.energy, energy);
    outcome.force = std::max(outcome.force, output.contact_wrench.force.norm());
    outcome.pressed += state_value(world, "contact/points") > 0.0 ? 1.0 : 0.0;
  }

  static void drag(CondensedWorld& world, const Pose& body, const CondensedAttack& a,
                   const std::vector<Vector3>& way, AttackOutcome& outcome) {
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      const Vector3 d = a.length * (way[i + 1] - way[i]);
      const int steps = std::clamp(static_cast<int>(d.norm() / a.speed * a.rate_hz), 1, 4000);
      for (int k = 1; k <= steps; ++k) {
        ASSERT_NO_FATAL_FAILURE(step(world, body, a.length * way[i] + d * (double(k) / steps),
                                     d * (a.rate_hz / steps), outcome));
      }
    }
  }

  /// Presses, drags over an edge and off the side, comes back against the side, through the fixed
  /// layer, and rests on top.
  static AttackOutcome attack(const CondensedAttack& a) {
    const Scene s = scene_of(a);
    const Pose body = s.bodies[0].pose;
    CondensedWorld world(s, nullptr);
    AttackOutcome outcome;
    std::vector<Vector3> way;
    for (const double angle : {0.0, 2.3, 5.2}) {
      const Vector3 d(1.2 * std::cos(angle), 0.0, 1.2 * std::sin(angle));
      way.insert(way.end(), {{0.0, 0.6, 0.0},
                             {0.0, 0.35, 0.0},
                             d + 0.35 * Vector3::UnitY(),
                             d,
                             -0.2 * d,
                             d,
                             d - 0.45 * Vector3::UnitY(),
                             -0.45 * Vector3::UnitY(),
                             d - 0.6 * Vector3::UnitY(),
                             d + 0.6 * Vector3::UnitY()});
    }
    way.insert(way.end(), {{0.0, 0.6, 0.0}, {0.1, 0.4, 0.07}, {0.1, 0.4, 0.07}});
    drag(world, body, a, way, outcome);
    outcome.pressed /= static_cast<double>(outcome.cycles);
    return outcome;
  }

  static void expect_holds(const CondensedAttack& a) {
    SCOPED_TRACE(a.tool + "\n" + a.contact + "\n" + a.condensed + "\n" + a.coupling + "\n" +
                 a.model);
    const AttackOutcome outcome = attack(a);
    if (HasFatalFailure()) return;
    EXPECT_GT(outcome.pressed, 0.02);
  }
};

TEST_F(CondensedAttackTest, every_stiffness_of_the_coupling) {
  for (const CondensedAttack& tool : {CondensedAttack{}, ball()}) {
    for (const char* mode : {"static", "dynamic"}) {
      for (const char* stiffness : {"1.0", "1e5"}) {
        CondensedAttack a = tool;
        a.coupling = std::string("mode = \"") + mode + "\"\nstiffness = " + stiffness;
        expect_holds(a);
      }
    }
  }
}

TEST_F(CondensedAttackTest, every_law_of_sliding) {
  for (const CondensedAttack& tool : {CondensedAttack{}, ball()}) {
    for (const char* law :
         {"friction = 0.0", "friction = 100.0", "stick = true", "viscosity = 1e-9",
          "viscosity = 1e6", "friction = 0.3\ncapacity = 1"}) {
      CondensedAttack a = tool;
      a.contact += "\n" + std::string(law);
      expect_holds(a);
    }
  }
}

TEST_F(CondensedAttackTest, every_coupling_of_modes_and_statics) {
  for (const CondensedAttack& tool : {CondensedAttack{}, ball()}) {
    for (const char* coupling :
         {"modes = 0", "modes = 0\nrelease_s = 10.0", "modes = 1\nrelease_s = 0.001",
          "coupling = \"statics\"",
          "coupling = \"statics\"\nmodes = 3\nintegrator = \"symplectic\""}) {
      CondensedAttack a = tool;
      a.condensed = coupling;
      // Several contacts can be beyond the limit of "statics", which is a fault with its name.
      if (a.contact.empty() && a.condensed.starts_with("coupling")) continue;
      expect_holds(a);
    }
  }
}

TEST_F(CondensedAttackTest, every_rate) {
  for (CondensedAttack a : {CondensedAttack{}, ball()}) {
    a.rate_hz = 10.0;
    expect_holds(a);
    a.rate_hz = 20000.0;
    a.speed = 6.0;
    a.coupling = "max_speed = 10.0";
    expect_holds(a);
  }
  CondensedAttack a;
  a.rate_hz = 10.0;
  a.condensed = "coupling = \"statics\"";
  EXPECT_THROW(attack(a), InputError);
}

TEST_F(CondensedAttackTest, a_hand_of_any_speed) {
  for (CondensedAttack a : {CondensedAttack{}, ball()}) {
    a.speed = 50.0;
    for (const char* stiffness : {"400.0", "1e5"}) {
      a.coupling =
          std::string("max_speed = 1e6\nmax_angular_speed = 1e6\nstiffness = ") + stiffness;
      // So fast that some drags are one step: less of the way has contact.
      const AttackOutcome outcome = attack(a);
      if (HasFatalFailure()) return;
      EXPECT_GT(outcome.pressed, 0.0);
    }
  }
}

// A speed limit was once enforced by holding the tool where it still was inside the body: 5.6 kN
// and 20 MN on a body of 1e12 Pa. Now the coupling's plateau, 8.5 N, is all that presses; a ball is
// pushed out of a corner by at most its damper (measured 8.9 N).
TEST_F(CondensedAttackTest, a_tool_at_its_speed_limit_presses_with_the_force_of_the_coupling) {
  bake_condensed_box(folder_ / "hard.h5", {.youngs_modulus = 1e12});
  for (CondensedAttack a : {CondensedAttack{}, ball()}) {
    a.model = "hard.h5";
    for (const char* speed : {"0.6", "0.01"}) {
      a.coupling = std::string("max_speed = ") + speed;
      const AttackOutcome outcome = attack(a);
      if (HasFatalFailure()) return;
      EXPECT_GT(outcome.force, 1.0) << a.tool << speed;
      EXPECT_LT(outcome.force, 12.0) << a.tool << speed;
    }
  }
}

TEST_F(CondensedAttackTest, bodies_of_any_stiffness_size_and_pose) {
  bake_condensed_box(folder_ / "soft.h5", {.youngs_modulus = 1.0});
  bake_condensed_box(folder_ / "tiny.h5", {.size = {1e-3, 1e-3, 1e-3}});
  bake_condensed_box(folder_ / "huge.h5", {.size = {10.0, 10.0, 10.0}});
  for (CondensedAttack a : {CondensedAttack{}, ball()}) {
    a.model = "soft.h5";
    expect_holds(a);
    a.model = "block.h5";
    a.body = "position = [0.3, -2.0, 5.0]\norientation = [0.5, 0.5, -0.5, 0.5]";
    expect_holds(a);
  }
  expect_holds({.model = "tiny.h5", .length = 1e-3, .speed = 0.006});
  expect_holds({.coupling = "max_speed = 60.0", .model = "huge.h5", .length = 10.0, .speed = 60.0});
}

TEST_F(CondensedAttackTest, a_tool_of_64_points) {
  CondensedAttack a;
  a.contact = "points = [";
  for (int i = 0; i < 64; ++i) {
    a.contact += (i > 0 ? ", " : "") + std::to_string(0.012 * std::sin(1.7 * i)) + ", " +
                 std::to_string(0.003 * std::cos(0.9 * i)) + ", " +
                 std::to_string(0.012 * std::cos(1.7 * i));
  }
  a.contact += "]";
  expect_holds(a);
}

// Placed inside, a ball is pushed out in a step; a point meets the surface when it has been
// outside.
TEST_F(CondensedAttackTest, a_tool_that_starts_inside_the_body) {
  for (const CondensedAttack& a : {CondensedAttack{}, ball()}) {
    CondensedWorld world(scene_of(a), nullptr);
    AttackOutcome outcome;
    ASSERT_NO_FATAL_FAILURE(drag(world, {}, a, {{0.1, 0.2, 0.0}, {0.1, 0.3, 0.0}}, outcome));
    EXPECT_LT(outcome.force, 40.0);
    ASSERT_NO_FATAL_FAILURE(drag(
        world, {}, a,
        {{0.1, 0.3, 0.0}, {0.1, 1.0, 0.0}, {0.1, 1.0, 0.01}, {0.1, 0.4, 0.0}, {0.1, 0.38, 0.0}},
        outcome));
    EXPECT_GT(state_value(world, "contact/points"), 0.0) << a.tool;
  }
}

// Under a still hand body and coupling together lose energy. A point that slides without friction
// is pushed along normals that are interpolated, not those of the flat triangles on which it moves:
// 1 % for what that does.
TEST_F(CondensedAttackTest, under_a_still_hand_energy_does_not_grow) {
  for (CondensedAttack a : {CondensedAttack{}, ball()}) {
    for (const char* friction : {"friction = 0.0", "friction = 0.5"}) {
      const std::string before = a.contact;
      a.contact += "\n" + std::string(friction);
      CondensedWorld world(scene_of(a), nullptr);
      a.contact = before;
      AttackOutcome outcome;
      ASSERT_NO_FATAL_FAILURE(
          drag(world, {}, a, {{0.0, 0.8, 0.0}, {0.1, 0.8, 0.0}, {0.11, 0.4, 0.07}}, outcome));
      double begin = 0.0, most = 0.0, last = 0.0;
      WorldOutput output;
      for (int i = 0; i < 3000; ++i) {
        ASSERT_EQ(world.step(hand_at(0.011, 0.04, 0.007), output), WorldStatus::kOk);
        last = state_value(world, "condensed/energy") + output.stored_energy_J;
        if (i == 500) begin = last;
        if (i > 500) most = std::max(most, last);
      }
      EXPECT_LT(most, 1.01 * begin) << a.tool << friction;
      EXPECT_LT(last, begin) << a.tool << friction;
      EXPECT_GT(last, 0.0);
    }
  }
}

}  // namespace
}  // namespace haptic::condensed
