#include "rt/worlds/cloth/cloth_world.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "lab/samples/state_value.h"
#include "shared/clock.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

using ClothWorldTest = SheetWorld;

// The coupling and the cloth are springs in series: what the hand feels is k times the way from it
// to the point on the cloth, and at rest the cloth feels the same.
TEST_F(ClothWorldTest, a_press_at_rest_has_one_force_on_hand_and_cloth) {
  ClothWorld world(scene(text(point() + pinned())), nullptr);
  const Vector3 deep(0.003, -0.08, 0.002);
  move(world, Vector3::Zero(), deep, 300);
  const WorldOutput output = move(world, deep, deep, 4000);
  const Vector3 device = Vector3(0.0, kAbove, 0.0) + deep;
  const Vector3 spring = 400.0 * (output.held_pose.position - device);
  EXPECT_LT((output.device_wrench.force - spring).norm(), 1e-9);
  EXPECT_GT(spring.y(), 0.5);
  // Of the end of the step, when the cloth is at rest: the same to the rest of its motion.
  EXPECT_LT((output.contact_wrench.force - spring).norm(), 1e-3 * spring.norm());
  EXPECT_EQ(output.device_wrench.torque.norm(), 0.0);
}

// The coupling is linear up to limits.force: no plateau of its own takes from the hand what the
// cloth gets.
TEST_F(ClothWorldTest, up_to_the_limit_the_hand_feels_what_the_cloth_gets) {
  for (const char* held : {"point", "tool"}) {
    ClothWorld world(scene(text("[limits]\nforce = 3.0\n[touch]\nhand = \"" + std::string(held) +
                                "\"\n[coupling]\nstiffness = 400.0\n" + pinned())),
                     nullptr);
    for (const double depth : {0.07, 0.09, 0.1}) {
      const Vector3 deep(0.003, -depth, 0.002);
      move(world, Vector3::Zero(), deep, 500);
      const WorldOutput output = move(world, deep, deep, 4000);
      const double felt = output.device_wrench.force.norm();
      EXPECT_GT(felt, 0.4);
      if (felt > 3.0) continue;
      EXPECT_LT((output.contact_wrench.force - output.device_wrench.force).norm(), 5e-3 * felt)
          << held << ", " << felt << " N";
    }
  }
}

TEST_F(ClothWorldTest, the_point_never_passes_the_cloth_however_deep_and_fast) {
  for (const char* method : {"implicit-euler", "velocity-verlet"}) {
    SCOPED_TRACE(method);
    const std::string table =
        std::string("[cloth]\nintegrator = \"") + method + "\"\nsubsteps = 4\n";
    ClothWorld world(scene(text(table + point() + pinned())), nullptr);
    WorldOutput output;
    for (int i = 0; i < 4000; ++i) {
      const double t = 1e-3 * i;
      const Vector3 p(0.03 * std::sin(7.0 * t), -0.05 + 0.05 * std::cos(9.0 * t),
                      0.03 * std::cos(5.0 * t));
      ASSERT_EQ(world.step(hand_at(p), output), WorldStatus::kOk);
      // Above its nearest particle, or at most the sag of a triangle below it.
      const Vector3 at_hand = output.held_pose.position;
      double nearest = 1.0, height = 0.0;
      for (std::size_t k = 0; k < world.sheet().x().size(); k += 3) {
        const Vector3 x(world.sheet().x()[k], world.sheet().x()[k + 1], world.sheet().x()[k + 2]);
        if ((x - at_hand).norm() > nearest) continue;
        nearest = (x - at_hand).norm();
        height = at_hand.y() - x.y();
      }
      ASSERT_GT(height, -0.02) << i;
    }
  }
}

TEST_F(ClothWorldTest, a_press_and_a_release_never_pull) {
  ClothWorld world(scene(text(point("friction = 0.0\n") + pinned())), nullptr);
  WorldOutput output;
  double most = 0.0;
  for (int i = 0; i < 6000; ++i) {
    const double t = 1e-3 * i;
    ASSERT_EQ(world.step(hand_at({0.0, -0.04 + 0.05 * std::cos(6.0 * t), 0.0}), output),
              WorldStatus::kOk);
    EXPECT_GT(output.contact_wrench.force.y(), -1e-9);
    most = std::max(most, output.contact_wrench.force.y());
  }
  EXPECT_GT(most, 0.5);
}

TEST_F(ClothWorldTest, a_grabbed_particle_comes_along_and_falls_when_it_is_let_go) {
  ClothWorld world(scene(text(point("grab_button = 0\ngrab_reach = 0.03\n") +
                              "[[constraint]]\nset = \"left\"\n")),
                   nullptr);
  const Vector3 up(0.0, 0.05, 0.0);
  move(world, Vector3::Zero(), Vector3::Zero(), 2, 1);
  ASSERT_TRUE(world.point_hand()->grabbed());
  const std::uint32_t particle = *world.point_hand()->grabbed();
  WorldOutput output = move(world, Vector3::Zero(), up, 400, 1);
  output = move(world, up, up, 2000, 1);
  const Vector3 x = at(world.sheet().x(), particle);
  EXPECT_GT(x.y(), 0.03);
  // The hand carries the cloth: the force is down, and that of the spring to the particle.
  EXPECT_LT(output.device_wrench.force.y(), -0.01);
  EXPECT_LT((output.device_wrench.force - 400.0 * (x - Vector3(0.0, kAbove, 0.0) - up)).norm(),
            1e-6);
  output = move(world, up, up, 1000, 0);
  EXPECT_FALSE(world.point_hand()->grabbed());
  EXPECT_LT(at(world.sheet().x(), particle).y(), x.y() - 0.02);
}

TEST_F(ClothWorldTest, pressing_long_enough_grabs_and_a_strong_pull_slips) {
  ClothWorld world(scene(text(point("grab_force = 0.3\ngrab_s = 0.2\nslip_force = 4.0\n"
                                    "grab_reach = 0.03\n") +
                              pinned())),
                   nullptr);
  const Vector3 deep(0.0, -0.08, 0.0), up(0.0, 0.1, 0.0);
  move(world, Vector3::Zero(), deep, 200);
  move(world, deep, deep, 500);
  EXPECT_TRUE(world.point_hand()->grabbed());
  WorldOutput output;
  bool slipped = false;
  for (int i = 0; i < 3000 && !slipped; ++i) {
    ASSERT_EQ(world.step(hand_at(deep + (up - deep) * (i / 3000.0)), output), WorldStatus::kOk);
    slipped = !world.point_hand()->grabbed();
    EXPECT_LT(output.device_wrench.force.norm(), 4.0 + 0.05);
  }
  EXPECT_TRUE(slipped);
}

TEST_F(ClothWorldTest, two_runs_have_the_same_bits_and_a_reset_starts_again) {
  const std::string of = text(point("grab_button = 0\n") + pinned());
  ClothWorld a(scene(of), nullptr), b(scene(of), nullptr);
  const auto run = [](World& world) {
    WorldOutput output;
    for (int i = 0; i < 500; ++i) {
      const double t = 1e-3 * i;
      EXPECT_EQ(world.step(hand_at({0.02 * t, -0.04 * std::sin(5.0 * t), 0.0}, i > 300), output),
                WorldStatus::kOk);
    }
    return output;
  };
  const WorldOutput first = run(a), second = run(b);
  EXPECT_EQ(std::memcmp(a.sheet().x().data(), b.sheet().x().data(), a.sheet().x().size_bytes()), 0);
  EXPECT_EQ(first.device_wrench.force, second.device_wrench.force);
  a.reset();
  const WorldOutput again = run(a);
  EXPECT_EQ(first.device_wrench.force, again.device_wrench.force);
  EXPECT_EQ(std::memcmp(a.sheet().x().data(), b.sheet().x().data(), a.sheet().x().size_bytes()), 0);
}

TEST_F(ClothWorldTest, a_step_allocates_nothing) {
  ClothWorld world(scene(text(point("grab_button = 0\n") + pinned())), nullptr);
  WorldOutput output;
  EXPECT_EQ(world.step(hand_at(Vector3::Zero()), output), WorldStatus::kOk);
  {
    NoAllocation guard;
    for (int i = 0; i < 300; ++i) {
      (void)world.step(hand_at({0.0, -1e-4 * i, 0.0}, i > 200), output);
      (void)world.held_response();
    }
    world.reset();
  }
}

TEST_F(ClothWorldTest, a_hand_that_is_not_finite_is_a_fault_and_changes_nothing) {
  ClothWorld world(scene(text(point() + pinned())), nullptr);
  move(world, Vector3::Zero(), {0.0, -0.02, 0.0}, 100);
  const std::vector<double> before(world.sheet().x().begin(), world.sheet().x().end());
  WorldOutput output;
  EXPECT_EQ(world.step(hand_at({0.0, std::numeric_limits<double>::quiet_NaN(), 0.0}), output),
            WorldStatus::kNotFinite);
  EXPECT_EQ(output.device_wrench.force.norm(), 0.0);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), world.sheet().x().begin()));
}

// The wind from below lifts the sheet: 0.6 kg/m^3 (5 m/s)^2 on 0.2 kg/m^2 is 7.6 times its weight.
// In the lee of a ball it hangs.
TEST_F(ClothWorldTest, wind_blows_but_in_the_lee_of_a_body) {
  const std::string ball =
      "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.2\nrole = \"anchored\"\n"
      "position = [0.0, -1.0, 0.0]\n[cloth]\nwind = [0.0, 5.0, 0.0]\n";
  const auto height = [&](const std::string& shadow) {
    ClothWorld world(scene(text(ball + point() + pinned() + shadow)), nullptr);
    const Vector3 away(0.0, 0.5, 0.0);
    move(world, away, away, 300);
    return at(world.sheet().x(), 55).y();  // in the middle
  };
  EXPECT_GT(height(""), 0.01);
  EXPECT_LT(height("[[wind_shadow]]\nbody = \"ball\"\n"), -0.01);
}

// haptic pull: a spring of 100 N/m from the particle that is nearest to a place of the rest shape,
// with at most 2 N, lifts the sheet of 0.08 N; with 0.01 N it does not.
TEST_F(ClothWorldTest, a_pull_lifts_the_nearest_particle_with_at_most_its_limit) {
  ClothWorld world(scene(text(point() + pinned())), nullptr);
  const Vector3 away(0.0, 0.5, 0.0);
  move(world, away, away, 1000);
  Pull pull;
  pull.at_rest = {0.11, 0.12, 0.0};  // particle (5, 5) is at 0.1111
  pull.target = {0.0, 0.05, 0.0};
  pull.is_relative = true;
  pull.stiffness = 100.0;
  pull.limit = 2.0;
  EXPECT_NE(world.prepare_pull("hand", pull), "");
  Pull bad = pull;
  bad.limit = 0.0;
  EXPECT_NE(world.prepare_pull("sheet", bad), "");
  ASSERT_EQ(world.prepare_pull("sheet", pull), "");
  EXPECT_EQ(pull.corners[0], 55U);
  const double sagged = at(world.sheet().x(), 55).y();
  const auto risen = [&](double limit) {
    pull.limit = limit;
    EXPECT_TRUE(world.pull(pull));
    move(world, away, away, 1500);
    return at(world.sheet().x(), 55).y() - sagged;
  };
  EXPECT_LT(risen(0.01), 0.02);
  EXPECT_GT(risen(2.0), 0.045);
  pull.body = Pull::kNoBody;
  EXPECT_TRUE(world.pull(pull));
  move(world, away, away, 3000);
  EXPECT_NEAR(at(world.sheet().x(), 55).y(), sagged, 2e-3);
}

/// A clock of which every look takes 10 ns.
class TickingClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now_ += 10; }
  void sleep_until(std::int64_t) HAPTIC_REALTIME override {}

 private:
  mutable std::int64_t now_ = 0;
};

TEST_F(ClothWorldTest, the_stages_of_every_substep_are_timed) {
  const TickingClock clock;
  ClothWorld world(scene(text("[cloth]\nsubsteps = 3\n" + point() + pinned())), &clock);
  WorldOutput output;
  ASSERT_EQ(world.step(hand_at(Vector3::Zero()), output), WorldStatus::kOk);
  EXPECT_EQ(output.times.couple_ns, 30);
  EXPECT_EQ(output.times.touch_ns, 30);
  EXPECT_EQ(output.times.move_ns, 30);
}

TEST_F(ClothWorldTest, any_stiffness_of_the_coupling_comes_to_rest) {
  for (const double k : {1.0, 400.0, 1e5}) {
    SCOPED_TRACE(k);
    const std::string coupling = "[coupling]\nstiffness = " + std::to_string(k) + "\n";
    ClothWorld world(scene(text(coupling + point() + pinned())), nullptr);
    const Vector3 deep(0.0, -0.02, 0.0);
    move(world, Vector3::Zero(), deep, 200);
    const WorldOutput last = move(world, deep, deep, 5000);
    const WorldOutput next = move(world, deep, deep, 1);
    EXPECT_LT((next.device_wrench.force - last.device_wrench.force).norm(),
              1e-4 * std::max(0.01, last.device_wrench.force.norm()));
  }
}

TEST_F(ClothWorldTest, a_wind_above_its_limit_is_named_with_the_substeps_that_bear_it) {
  const auto warnings_in = [](double wind, int substeps) {
    const ClothWorld world(
        scene(text("[cloth]\nwind = [0.0, " + std::to_string(wind) +
                       ", 0.0]\nsubsteps = " + std::to_string(substeps) + "\n" + point(),
                   100.0)),
        nullptr);
    std::string all;
    for (const std::string& line : world.warnings()) all += line + "\n";
    return all;
  };
  EXPECT_EQ(warnings_in(1.0, 1), "");
  const std::string above = warnings_in(30.0, 1);
  EXPECT_NE(above.find("a wind of 30 m/s is above its limit"), std::string::npos) << above;
  const std::size_t named = above.find("cloth.substeps = ");
  ASSERT_NE(named, std::string::npos) << above;
  const int enough = std::stoi(above.substr(named + 17));
  EXPECT_GT(enough, 1);
  EXPECT_EQ(warnings_in(30.0, enough), "");
  EXPECT_NE(warnings_in(30.0, enough - 1), "");
}

}  // namespace
}  // namespace haptic::cloth
