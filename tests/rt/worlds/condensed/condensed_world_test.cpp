#include "rt/worlds/condensed/condensed_world.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "lab/samples/state_value.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

class CondensedWorldTest : public PressedBlock {
 protected:
  static constexpr double kHandStiffness = 400.0;  // of the coupling [N/m]

  /// Compliance of the only contact of a world, by the model's matrix alone: H C H^T.
  static Matrix3 compliance(const CondensedWorld& world) {
    const CondensedModel& model = world.dynamics().contacts().model();
    const ContactRow& row = world.dynamics().contacts().row(0);
    Matrix3 S = Matrix3::Zero();
    for (std::size_t i = 0; i < row.count; ++i) {
      for (std::size_t j = 0; j < row.count; ++j) {
        for (Eigen::Index a = 0; a < 3; ++a) {
          for (Eigen::Index b = 0; b < 3; ++b) {
            const std::size_t at = (3 * row.nodes[i] + static_cast<std::size_t>(a)) * model.dof() +
                                   3 * row.nodes[j] + static_cast<std::size_t>(b);
            S(a, b) += row.weights[i] * row.weights[j] * model.compliance.full[at];
          }
        }
      }
    }
    return S;
  }
  static Vector3 force_on_body(const CondensedWorld& world, std::size_t contact) {
    const std::span<const double> f = world.tool_contact().forces();
    return {f[3 * contact], f[3 * contact + 1], f[3 * contact + 2]};
  }
};

// After the tool has left, three successive values of a mode follow the recurrence of a damped
// oscillator of the baked frequency and damping, at any rate: to rounding. (Backward Euler leaves
// w h / 2 in the damping ratio.)
TEST_F(CondensedWorldTest, a_body_rings_as_baked_at_any_rate) {
  for (const double hz : {100.0, 250.0, 1000.0, 4000.0, 8000.0}) {
    CondensedWorld world(scene(stylus_text("", "stick = true", hz)), nullptr);
    const Vector3 up(0.011, 0.02, 0.007), down(0.011, -0.015, 0.007);
    move(world, up, down, int(0.3 * hz));
    WorldOutput output = move(world, down, up, int(0.1 * hz));
    while (output.contact_wrench.force.norm() > 0.0) output = hold(world, up, 1);
    const CondensedModel& model = world.dynamics().contacts().model();
    const double k = model.eigenvalues[0], d = model.damping.alpha + model.damping.beta * k;
    const double decay = std::exp(-0.5 * d / hz), angle = std::sqrt(k - 0.25 * d * d) / hz;
    double before = 0.0, now = 0.0, largest = 0.0;
    for (int i = 0; i < int(hz); ++i) {
      hold(world, up, 1);
      const double next = world.dynamics().q()[0];
      largest = std::max(largest, std::abs(next));
      if (i > 2) {
        EXPECT_NEAR(next, decay * (2.0 * std::cos(angle) * now - decay * before), 1e-12 * largest);
      }
      before = now;
      now = next;
    }
    EXPECT_GT(largest, 0.0);
  }
}

// A hand in free air feels no lag of the tool by default, however fast; with a typed limit it does.
TEST_F(CondensedWorldTest, free_air_has_no_force_at_any_speed) {
  for (const double hz : {250.0, 1000.0, 4000.0}) {
    for (const double speed : {0.3, 0.8, 3.0}) {
      const std::string text = ball_text("", "", hz) + "[coupling]\nstatic_damping = 0.0\n";
      const auto force = [&](const std::string& more) {
        CondensedWorld world(scene(text + more), nullptr);
        hold(world, {0.0, 0.1, 0.0}, 2);
        double largest = 0.0;
        for (int part = 0; part < 10; ++part) {
          const Vector3 from(0.1 * speed * 0.1 * part, 0.1, 0.0);
          const Vector3 to = from + Vector3(0.1 * speed * 0.1, 0.0, 0.0);
          const WorldOutput output = move(world, from, to, int(0.01 * hz));
          largest = std::max(largest, output.device_wrench.force.norm());
        }
        return largest;
      };
      EXPECT_LT(force(""), 1e-9) << hz << ' ' << speed;
      if (speed > 0.6) {
        EXPECT_GT(force("max_speed = 0.6\n"), 1.0) << hz << ' ' << speed;
      }
    }
  }
}

// At rest the hand's way d beyond the surface is shared by the coupling and the body: the force is
// (1 / k + H C H^T)^-1 d. The block rings at 8 Hz with 2 %; after 6 s it has come to rest to 1e-3
// of its first swing, and the modes' share of the force is a few hundredths.
TEST_F(CondensedWorldTest, a_press_at_rest_has_the_force_of_coupling_and_full_statics) {
  for (const char* coupling : {"coupling = \"multipliers\"", "coupling = \"statics\""}) {
    CondensedWorld world(scene(stylus_text(coupling, "stick = true")), nullptr);
    const Vector3 from(0.011, 0.0, 0.007), to(0.011, -0.015, 0.007);
    move(world, from, to, 300);
    const WorldOutput output = hold(world, to, 12000);
    ASSERT_EQ(world.contacts().size(), 1U);
    const Matrix3 series = compliance(world) + Matrix3::Identity() / kHandStiffness;
    const Vector3 expected = series.ldlt().solve(Vector3(0.0, -0.015 + kGap, 0.0));
    EXPECT_LT((force_on_body(world, 0) - expected).norm(), 1e-5 * expected.norm()) << coupling;
    EXPECT_LT((output.contact_wrench.force + expected).norm(), 1e-5 * expected.norm());
    EXPECT_GT(expected.norm(), 0.1);
    // The displayed body touches the tool.
    const CondensedContact& contact = world.contacts()[0];
    const Vector3 tool = output.held_pose.position;
    EXPECT_LT((contact.point - tool).norm(), 1e-9);
    EXPECT_LT(std::abs(contact.gap), 1e-9);
  }
}

TEST_F(CondensedWorldTest, the_tool_is_pushed_and_never_pulled) {
  CondensedWorld world(scene(stylus_text("", "friction = 0.5")), nullptr);
  WorldOutput output;
  double most = 0.0;
  int touching = 0;
  for (int i = 0; i < 8000; ++i) {
    // Presses, drags and leaves four times, the fastest at 0.25 m/s.
    const double t = 1e-3 * i;
    const double y = -0.006 + 0.012 * std::cos(2.0 * M_PI * (0.5 + 0.8 * t) * t);
    ASSERT_EQ(world.step(hand_at(0.01 * std::sin(3.0 * t), y, 0.01 * std::sin(2.3 * t)), output),
              WorldStatus::kOk);
    for (std::size_t c = 0; c < world.contacts().size(); ++c) {
      ++touching;
      const double pressure = force_on_body(world, c).dot(world.contacts()[c].push);
      ASSERT_GE(pressure, -1e-12) << "cycle " << i;
      most = std::max(most, pressure);
    }
  }
  EXPECT_GT(touching, 1000);
  EXPECT_GT(most, 0.3);
}

// |f_t| <= mu f_n in every cycle, on the limit while it slides; a hand that drags with less than
// the limit does not move the contact.
TEST_F(CondensedWorldTest, friction_stays_in_its_cone_and_sticks_inside) {
  constexpr double kMu = 0.4;
  CondensedWorld world(scene(stylus_text("", "friction = 0.4")), nullptr);
  move(world, Vector3::Zero(), {0.0, -0.012, 0.0}, 300);
  hold(world, {0.0, -0.012, 0.0}, 3000);
  ASSERT_EQ(world.contacts().size(), 1U);
  const ContactRow row = world.contacts()[0].row;
  // The normal force is about 0.9 N by now: 0.5 mm of drag is 0.1 N.
  move(world, {0.0, -0.012, 0.0}, {0.0005, -0.012, 0.0}, 100);
  hold(world, {0.0005, -0.012, 0.0}, 200);
  EXPECT_TRUE(world.contacts()[0].row == row) << "it slid inside the cone";
  int limit = 0;
  WorldOutput output;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(world.step(hand_at(0.0005 + 2e-5 * i, -0.012, 0.0), output), WorldStatus::kOk);
    ASSERT_EQ(world.contacts().size(), 1U);
    const Vector3 f = force_on_body(world, 0), push = world.contacts()[0].push;
    const double pressure = f.dot(push), across = (f - pressure * push).norm();
    ASSERT_LE(across, kMu * pressure * (1.0 + 1e-6)) << "cycle " << i;
    limit += across >= kMu * pressure * (1.0 - 1e-6);
  }
  EXPECT_GT(limit, 500);
  EXPECT_FALSE(world.contacts()[0].row == row);
  // The contact has followed the tool along the surface.
  EXPECT_NEAR(world.contacts()[0].point.x(), 0.015, 0.005);
}

// Viscosity b: a contact that is dragged with the speed v resists with b v.
TEST_F(CondensedWorldTest, viscous_sliding_resists_with_its_speed) {
  const auto mean_force = [](const std::string& contact) {
    CondensedWorld world(scene(stylus_text("", contact)), nullptr);
    move(world, {-0.03, 0.0, 0.0}, {-0.03, -0.012, 0.0}, 300);
    hold(world, {-0.03, -0.012, 0.0}, 3000);
    WorldOutput output;
    double sum = 0.0;
    for (int i = 0; i < 2500; ++i) {
      EXPECT_EQ(world.step(hand_at(-0.03 + 2e-5 * i, -0.012, 0.0), output), WorldStatus::kOk);
      // Over one element of 25 mm, with which the compliance repeats.
      if (i >= 1250) sum += output.contact_wrench.force.x() / 1250;
    }
    return sum;
  };
  // 20 mm/s with 5 N s/m more: 0.1 N. What the normals of the dent add is in both.
  EXPECT_NEAR(mean_force("friction = 100.0\nviscosity = 10.0") -
                  mean_force("friction = 100.0\nviscosity = 5.0"),
              -0.1, 0.01);
}

TEST_F(CondensedWorldTest, after_a_release_the_body_rings_and_comes_to_rest) {
  CondensedWorld world(scene(stylus_text("", "stick = true")), nullptr);
  move(world, Vector3::Zero(), {0.0, -0.015, 0.0}, 300);
  hold(world, {0.0, -0.015, 0.0}, 500);
  const auto largest = [&] {
    double most = 0.0;
    for (const double u : world.node_displacements()) most = std::max(most, std::abs(u));
    return most;
  };
  const double pressed = largest();
  EXPECT_GT(pressed, 1e-3);
  move(world, {0.0, -0.015, 0.0}, {0.0, 0.02, 0.0}, 100);
  EXPECT_TRUE(world.contacts().empty());
  double swing = 0.0, last = state_value(world, "condensed/energy");
  for (int i = 0; i < 6000; ++i) {
    hold(world, {0.0, 0.02, 0.0}, 1);
    if (i < 200) swing = std::max(swing, largest());
    // Backward Euler and damping: the free body's energy falls in every step.
    const double energy = state_value(world, "condensed/energy");
    ASSERT_LE(energy, last * (1.0 + 1e-12));
    last = energy;
  }
  EXPECT_GT(swing, 0.05 * pressed);
  EXPECT_LT(largest(), 1e-2 * swing);
}

TEST_F(CondensedWorldTest, two_runs_have_the_same_bits) {
  for (const bool ball : {false, true}) {
    const auto run = [&](CondensedWorld& world) {
      std::vector<double> all;
      WorldOutput output;
      for (int i = 0; i < 1500; ++i) {
        const double t = 1e-3 * i;
        EXPECT_EQ(world.step(hand_at(0.01 * std::sin(5.0 * t), 0.012 * std::cos(9.0 * t) - 0.01,
                                     0.01 * std::sin(7.0 * t)),
                             output),
                  WorldStatus::kOk);
        for (const double f : {output.device_wrench.force.x(), output.device_wrench.force.y(),
                               output.device_wrench.force.z(), output.contact_wrench.force.y()}) {
          all.push_back(f);
        }
      }
      const std::span<const double> u = world.node_displacements();
      all.insert(all.end(), u.begin(), u.end());
      return all;
    };
    const Scene text = scene(ball ? ball_text() : stylus_text());
    CondensedWorld first(text, nullptr), second(text, nullptr);
    const std::vector<double> one = run(first);
    EXPECT_EQ(one, run(second));
    EXPECT_GT(*std::ranges::max_element(one), 0.1);
    // And after a reset, in the same world.
    first.reset();
    EXPECT_EQ(one, run(first));
  }
}

// No vertex is inside the ball by more than the residual of the solver, and where a vertex is
// pressed it is on the ball: complementarity at rest.
TEST_F(CondensedWorldTest, a_ball_at_rest_touches_where_it_presses_and_is_nowhere_inside) {
  CondensedWorld world(scene(ball_text("", "friction = 0.0\ncapacity = 96")), nullptr);
  move(world, Vector3::Zero(), {0.0, -0.02, 0.0}, 500);
  const WorldOutput output = hold(world, {0.0, -0.02, 0.0}, 8000);
  std::size_t pressing = 0;
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < world.contacts().size(); ++i) {
    const CondensedContact& contact = world.contacts()[i];
    const double pressure = force_on_body(world, i).dot(contact.push);
    EXPECT_GE(contact.gap, -1e-7) << "vertex " << contact.key;
    if (pressure > 1e-6) {
      ++pressing;
      EXPECT_LT(contact.gap, 1e-7) << "vertex " << contact.key;
    }
    sum += force_on_body(world, i);
  }
  EXPECT_GT(pressing, 3U);
  EXPECT_EQ(state_value(world, "contact/dropped"), 0.0);
  EXPECT_GT(output.contact_wrench.force.y(), 0.5);
  EXPECT_LT((output.contact_wrench.force + sum).norm(), 1e-12);
  // Every vertex, not those of the contact set alone.
  const Vector3 centre = output.held_pose.position;
  double deepest = 1.0;
  for (std::uint32_t v = 0; v < world.surface().vertex_count(); ++v) {
    const Vector3 p = world.surface().position(v, world.node_displacements());
    deepest = std::min(deepest, (p - centre).norm() - 0.02);
  }
  EXPECT_GE(deepest, -1e-7);
}

// Stiff and soft hands, both tools, both couplings and rates, friction or none: at rest the force
// is still, contact begins and ends once, and no cycle changes it by more than 0.5 N.
TEST_F(CondensedWorldTest, contact_is_calm_with_any_stiffness_of_the_hand) {
  for (const bool ball : {false, true}) {
    for (const char* coupling : {"", "coupling = \"statics\""}) {
      for (const char* friction : {"friction = 0.0", "friction = 0.6"}) {
        for (const double stiffness : {20.0, 1000.0, 1e5}) {
          const std::string text =
              (ball ? ball_text(coupling, friction) : stylus_text(coupling, friction)) +
              "[coupling]\nstiffness = " + std::to_string(stiffness) + "\n";
          CondensedWorld world(scene(text), nullptr);
          WorldOutput output;
          int switches = 0;
          double change = 0.0, least = 1e9, most = 0.0;
          Vector3 last = Vector3::Zero();
          for (int i = 0; i < 9000; ++i) {
            const double t = 1e-3 * i;
            // 50 mm/s down, still for 7 s, up again.
            const double y = -std::min({0.012, 0.05 * t, std::max(-0.02, 0.05 * (8.0 - t))});
            ASSERT_EQ(world.step(hand_at(0.0, y, 0.0), output), WorldStatus::kOk);
            const Vector3 force = output.contact_wrench.force;
            change = std::max(change, (force - last).norm());
            switches += (force.norm() > 0.0) != (last.norm() > 0.0);
            last = force;
            if (t > 7.0 && t < 7.7) {
              least = std::min(least, force.norm());
              most = std::max(most, force.norm());
            }
          }
          const std::string what = (ball ? "ball " : "point ") + std::string(coupling) + " " +
                                   friction + " " + std::to_string(stiffness);
          EXPECT_LE(switches, 2) << what;
          EXPECT_LT(change, 0.5) << what;
          EXPECT_GT(least, 0.02) << what;
          EXPECT_LT(most - least, 0.01 * most) << what;
        }
      }
    }
  }
}

TEST_F(CondensedWorldTest, a_step_never_allocates) {
  for (const bool ball : {false, true}) {
    CondensedWorld world(scene(ball ? ball_text("release_s = 0.01") : stylus_text()), nullptr);
    WorldOutput output;
    NoAllocation guard;
    for (int i = 0; i < 400; ++i) {
      const double t = 1e-3 * i;
      ASSERT_EQ(
          world.step(hand_at(0.01 * std::sin(20.0 * t), 0.02 * std::cos(40.0 * t) - 0.015, 0.0),
                     output),
          WorldStatus::kOk);
    }
    world.reset();
    EXPECT_TRUE(world.set_parameter(kContactFriction, 0.1));
  }
}

// Contacts beyond the capacity: those that are deepest are solved, the number of the others is
// published, and nothing diverges.
TEST_F(CondensedWorldTest, more_contacts_than_the_capacity_are_counted) {
  CondensedWorld world(scene(ball_text("", "capacity = 3\nfriction = 0.3")), nullptr);
  move(world, Vector3::Zero(), {0.0, -0.02, 0.0}, 500);
  const WorldOutput output = hold(world, {0.0, -0.02, 0.0}, 3000);
  EXPECT_GT(state_value(world, "contact/dropped"), 0.0);
  EXPECT_LE(state_value(world, "contact/rows"), 3.0);
  EXPECT_GT(output.contact_wrench.force.y(), 0.1);
}

TEST_F(CondensedWorldTest, a_pose_that_is_not_finite_is_a_fault_and_changes_nothing) {
  CondensedWorld world(scene(stylus_text()), nullptr);
  move(world, Vector3::Zero(), {0.0, -0.01, 0.0}, 200);
  const std::vector<double> before(world.node_displacements().begin(),
                                   world.node_displacements().end());
  WorldOutput output;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(world.step(hand_at(nan, 0.0, 0.0), output), WorldStatus::kNotFinite);
  EXPECT_EQ(output.device_wrench.force.norm(), 0.0);
  EXPECT_TRUE(std::ranges::equal(before, world.node_displacements()));
  EXPECT_EQ(world.step(hand_at(0.0, -0.01, 0.0), output), WorldStatus::kOk);
}

TEST_F(CondensedWorldTest, the_surface_for_display_is_that_of_one_cycle) {
  CondensedWorld world(scene(stylus_text()), nullptr);
  const std::size_t block = world.state_layout().find("bodies/surface/0").value();
  EXPECT_EQ(world.state_layout().blocks()[block].display, StateDisplay::kSurface);
  move(world, Vector3::Zero(), {0.0, -0.012, 0.0}, 300);
  // 17 cycles complete a snapshot; the body is at rest by then.
  hold(world, {0.0, -0.012, 0.0}, 12000);
  const std::span<const double> shown = world.state(block);
  ASSERT_EQ(shown.size(), 3 * world.surface().vertex_count());
  for (std::uint32_t v = 0; v < world.surface().vertex_count(); ++v) {
    const Vector3 p = world.surface().position(v, world.node_displacements());
    EXPECT_NEAR((Vector3(shown[3 * v], shown[3 * v + 1], shown[3 * v + 2]) - p).norm(), 0.0, 1e-7);
  }
}

}  // namespace
}  // namespace haptic::condensed
