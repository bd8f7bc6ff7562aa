#include "rt/worlds/solids/contact_energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "tests/rt/worlds/solids/solids_world_fixture.h"

namespace haptic::solids {
namespace {

/// A box on a point of springs, one pair.
class ContactEnergyTest : public SolidsWorldTest {
 protected:
  static constexpr double kStep = 1e-3;        // s
  static constexpr double kStiffness = 200.0;  // N/m

  ContactEnergyTest() : scene_(ball_over("soft.h5")) {
    for (const auto& body : scene_.bodies) {
      models_.push_back(std::make_unique<BodyModel>(body.model));
    }
    contacts_.emplace(scene_, models_);
    energy_.emplace(contacts_->pairs(), kStep);
    step(0.0, 0.0);  // the level of the pair is known from here on
  }

  /// A step that begins at a depth and does some work.
  void step(double depth, double work, double scale = 1.0) {
    energy_->begin();
    Contact contact;
    contact.depth = depth;
    contact.scale = scale;
    const double k = contacts_->pairs()[0].contact.stiffness();
    if (depth > 0.0) energy_->add_stored(0, contact, scale * k);
    energy_->close(*contacts_);
    energy_->add_work(0, work);
  }
  double account() const { return energy_->account(0); }
  static double stored(double depth) { return 0.5 * kStiffness * depth * depth; }

  Scene scene_;
  std::vector<std::unique_ptr<BodyModel>> models_;
  std::optional<ContactSet> contacts_;
  std::optional<ContactEnergy> energy_;
};

TEST_F(ContactEnergyTest, a_force_with_a_potential_creates_nothing) {
  step(1e-3, stored(1e-3) - stored(2e-3));
  step(2e-3, stored(2e-3) - stored(0.5e-3));
  step(0.5e-3, stored(0.5e-3));
  step(0.0, 0.0);
  // The first step begins with a depth that no work has made.
  EXPECT_NEAR(account(), stored(1e-3), 1e-18);
}

TEST_F(ContactEnergyTest, work_without_a_change_of_depth_is_created_and_damping_takes_it) {
  step(1e-3, 0.0);
  energy_->take(0, account());
  step(1e-3, 3e-6);
  EXPECT_EQ(account(), 0.0);
  step(1e-3, 0.0);
  EXPECT_NEAR(account(), 3e-6, 1e-18);
  EXPECT_EQ(energy_->created(), account());
  energy_->take(0, 1e-6);
  EXPECT_NEAR(energy_->created(), 2e-6, 1e-18);
  energy_->reset();
  EXPECT_EQ(energy_->created(), 0.0);
}

TEST_F(ContactEnergyTest, a_change_of_stiffness_is_not_counted_and_one_of_scale_is_apart) {
  step(1e-3, 0.0, 0.5);
  energy_->take(0, account());
  step(1e-3, 0.0, 0.25);
  step(2e-3, 0.0);
  // Deeper with the scale of the step, a quarter.
  EXPECT_NEAR(account(), 0.25 * (stored(2e-3) - stored(1e-3)), 1e-18);
  energy_->take(0, account());
  // From 1 to 1/2 and 1/4 at 1 mm, and back to 1 at 2 mm.
  const double rescaled = 0.75 * (stored(2e-3) - stored(1e-3));
  EXPECT_NEAR(energy_->created(), rescaled, 1e-18);
  contacts_->set_stiffness(900.0, 0.0);
  contacts_->advance_stiffness(kStep);
  step(2e-3, 0.0);
  EXPECT_NEAR(account(), 0.0, 1e-18);
  EXPECT_NEAR(energy_->created(), rescaled, 1e-18);
}

TEST_F(ContactEnergyTest, a_way_back_gives_back_what_its_changes_of_scale_created) {
  const auto press = [&](double back) {
    energy_->reset();
    step(0.0, 0.0);
    step(1e-3, 0.0, 0.5);
    step(2e-3, 0.0, 0.25);
    step(1e-3, 0.0, back);
    step(0.0, 0.0);
    return energy_->created() - std::max(account(), 0.0);
  };
  // Down: -1/2 V(1 mm) - 1/4 V(2 mm); up: the change of the scale at V(1 mm).
  EXPECT_NEAR(press(0.5), 0.0, 1e-18);
  EXPECT_NEAR(press(4.0), 3.75 * stored(1e-3) - 0.5 * stored(1e-3) - 0.25 * stored(2e-3), 1e-18);
}

TEST_F(ContactEnergyTest, what_contacts_took_long_ago_does_not_pay) {
  step(0.0, -1e-3);
  step(0.0, 0.0);
  EXPECT_EQ(account(), -1e-3);
  EXPECT_EQ(energy_->created(), 0.0);
  for (int i = 0; i < 1000; ++i) step(0.0, 0.0);
  // After kMemory_s it is (1 - 1e-3)^1000 of it.
  EXPECT_NEAR(account(), -1e-3 * std::pow(1.0 - kStep / ContactEnergy::kMemory_s, 1000), 1e-15);
}

/// A point on springs whose mode x lifts it, under a box that leans: its force along its own normal
/// couples both modes such that they swing on for ever.
class DrivenRound : public SolidsWorldTest {
 protected:
  static constexpr double kLean = 0.7;  // of the box [rad]

  static void SetUpTestSuite() {
    SolidsWorldTest::SetUpTestSuite();
    write_sprung_plane(folder_ / "leaning.h5",
                       {.side = 1, .alpha = 1.0, .lift = 0.35, .stiffer_x = 4.59});
    write_box(folder_ / "block.h5", {20e-3, 20e-3, 20e-3});
  }
  static Scene scene_with(ContactNormals normals) {
    Scene scene = ball_over("leaning.h5");
    scene.bodies[1].model = folder_ / "block.h5";
    Pose& pose = scene.bodies[1].pose;
    pose.orientation = rotation_exponential({0.0, -kLean, 0.0});
    pose.position = pose.orientation * Vector3(0.0, 0.0, 20e-3);
    scene.coupling.stiffness = 1e5;
    scene.coupling.rotational_stiffness = 100.0;
    scene.coupling.permitted_depth = 0.1;
    SceneContact& contact = edit_solids(scene).contacts[0];
    contact.normals = normals;
    contact.settings.stiffness = 800.0;
    contact.settings.scaling = ContactScaling::kNone;
    return scene;
  }
  struct Run {
    double mean = 0.0, deviation = 0.0, created = 0.0;  // force in the last second; N, N, J
  };
  static Run press(ContactNormals normals) {
    SolidsWorld world(scene_with(normals), nullptr);
    Run run;
    double squares = 0.0;
    for (int i = 0; i < 14'000; ++i) {
      const WorldOutput output = hold(world, hand_at(0.0, 0.0, std::max(-3e-3, -6e-6 * i)), 1);
      run.created = std::max(run.created, state_value(world, "contact/created_energy"));
      if (i < 13'000) continue;
      const double force = output.contact_wrench.force.norm();
      run.mean += 1e-3 * force;
      squares += 1e-3 * force * force;
    }
    run.deviation = std::sqrt(std::max(0.0, squares - run.mean * run.mean));
    return run;
  }
};

TEST_F(DrivenRound, a_body_comes_to_rest_under_a_hand_that_is_still) {
  const Run run = press(ContactNormals::kShell);
  // Without damping of what is created, it is thrown off and comes back for ever. Its own damping
  // leaves exp(-0.5 * 12) of a swing.
  EXPECT_GT(run.mean, 0.1);
  EXPECT_GT(run.created, 1e-8);
  EXPECT_LE(run.deviation, 0.01 * run.mean);
}

TEST_F(DrivenRound, forces_with_a_potential_create_nothing) {
  const Run run = press(ContactNormals::kField);
  EXPECT_GT(run.mean, 0.1);
  // Rounding, of about 1e-4 J.
  EXPECT_LE(run.created, 1e-18);
  EXPECT_LE(run.deviation, 0.01 * run.mean);
}

/// A ball in a hand, with a mass, on two points at 45 degrees on both sides. Their normals are
/// turned by the same angle against the ball's: two springs whose forces have no potential.
class DrivenHand : public SolidsWorldTest {
 protected:
  static constexpr double kTurned = 0.7;      // rad
  static constexpr double kStiffness = 2e4;   // of a point [N/m]
  static constexpr double kCoupling = 120.0;  // N/m
  static constexpr double kRate = 4000.0;     // Hz
  static constexpr double kDepth = 5e-3;      // of the hand [m]

  static Scene scene_with(ContactNormals normals) {
    Scene scene = ball_over("point.h5");
    scene.rate_hz = kRate;
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies.back().name = "other";
    scene.bodies[1].pose.position.setZero();
    for (const std::size_t i : {0u, 2u}) {
      const double lean = i == 0 ? 0.25 * std::numbers::pi : -0.25 * std::numbers::pi;
      Pose& pose = scene.bodies[i].pose;
      pose.position = rotation_exponential({0.0, lean, 0.0}) * Vector3(0.0, 0.0, -kRadius);
      pose.orientation = rotation_exponential({0.0, lean + kTurned, 0.0});
    }
    scene.coupling.mode = CouplingMode::kDynamic;
    scene.coupling.stiffness = kCoupling;
    auto& contacts = edit_solids(scene).contacts;
    contacts.push_back({2, 1, {}});
    for (SceneContact& contact : contacts) {
      contact.normals = normals;
      contact.settings.stiffness = kStiffness;
      contact.settings.scaling = ContactScaling::kNone;
    }
    return scene;
  }
  struct Run {
    double mean = 0.0, spread = 0.0;   // of the force on the body in the last second [N]
    double largest = 0.0, work = 0.0;  // created energy, and work of the contacts [J]
  };
  static Run press(ContactNormals normals) {
    SolidsWorld world(scene_with(normals), nullptr);
    Run run;
    std::vector<Vector3> forces;
    const int last = static_cast<int>(kRate);
    for (int i = 0; i < 3 * last; ++i) {
      const double z = -std::min(kDepth, 20e-3 * i / kRate);
      const WorldOutput output = hold(world, hand_at(0.0, 0.0, z), 1);
      run.largest = std::max(run.largest, state_value(world, "contact/created_energy"));
      if (i >= 2 * last) forces.push_back(output.contact_wrench.force);
    }
    run.work = state_value(world, "contact/work");
    Vector3 mean = Vector3::Zero();
    for (const Vector3& force : forces) mean += force / static_cast<double>(forces.size());
    for (const Vector3& force : forces) run.spread = std::max(run.spread, (force - mean).norm());
    run.mean = mean.norm();
    return run;
  }
};

TEST_F(DrivenHand, a_hand_with_a_mass_comes_to_rest) {
  const Run run = press(ContactNormals::kShell);
  EXPECT_NEAR(run.mean, kCoupling * kDepth, 0.2 * kCoupling * kDepth);
  EXPECT_LE(run.spread, 1e-3 * run.mean);
  EXPECT_GT(run.largest, 0.0);
}

TEST_F(DrivenHand, forces_with_a_potential_create_nothing) {
  const Run run = press(ContactNormals::kField);
  // Both springs give way by 0.6 %, and the sampled ball is smaller by 0.04 mm.
  EXPECT_NEAR(run.mean, kCoupling * kDepth, 0.02 * kCoupling * kDepth);
  EXPECT_LE(run.spread, 1e-6 * run.mean);
  EXPECT_LE(run.largest, 1e-6 * run.work);
}

}  // namespace
}  // namespace haptic::solids
