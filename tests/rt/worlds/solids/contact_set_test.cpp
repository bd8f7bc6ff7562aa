#include "rt/worlds/solids/contact_set.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "rt/worlds/solids/solids_settings.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic {
namespace {

constexpr double kHeldRadius = 0.008;  // m

/// A ball in the hand that touches two planes of points at different depths, off its middle.
class ContactSetTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = model_folder("contact_set");
    write_ball(files_ / "ball.h5", kHeldRadius);
    write_plane(files_ / "plane.h5", 9, 1e-3);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(files_); }

  ContactSetTest() {
    scene_.file = files_ / "scene.toml";
    scene_.bodies.push_back({"low", files_ / "plane.h5", BodyRole::kAnchored, Pose{}});
    scene_.bodies.push_back({"high", files_ / "plane.h5", BodyRole::kAnchored, Pose{}});
    scene_.bodies.push_back({"ball", files_ / "ball.h5", BodyRole::kHeld, Pose{}});
    for (const auto& body : scene_.bodies) {
      models_.push_back(std::make_unique<BodyModel>(body.model));
      bodies_.emplace_back();
    }
    bodies_[0].pose.position = {-3e-3, 0.0, 0.0};
    bodies_[1].pose.position = {2e-3, 1e-3, 0.2e-3};
    bodies_[2].pose.position = {0.0, 0.0, kHeldRadius - 0.9e-3};
    bodies_[2].twist = {{0.02, -0.03, -0.1}, {0.5, 0.2, -0.4}};
  }

  SceneContact contact_with(std::size_t plane, double stiffness, std::uint32_t nodes) const {
    SceneContact contact{plane, 2, {stiffness}};
    contact.settings.damping = 5.0;
    contact.settings.traversal.degradation.warm_nodes = nodes;
    return contact;
  }

  ContactSet::Sum touch(const std::vector<SceneContact>& contacts) {
    edit_solids(scene_).contacts = contacts;
    return ContactSet(scene_, models_).touch(bodies_);
  }

  inline static std::filesystem::path files_;
  Scene scene_;
  std::vector<std::unique_ptr<BodyModel>> models_;
  std::vector<BodyMotion> bodies_;
};

TEST_F(ContactSetTest, the_held_body_feels_the_sum_of_its_pairs) {
  const SceneContact low = contact_with(0, 200.0, 900), high = contact_with(1, 350.0, 500);
  const ContactSet::Sum a = touch({low}), b = touch({high});
  ASSERT_GT(a.contacts, 0u);
  ASSERT_GT(b.contacts, 0u);
  ASSERT_NE(a.contacts, b.contacts);
  for (const auto& contacts : {std::vector{low, high}, std::vector{high, low}}) {
    const ContactSet::Sum both = touch(contacts);
    // Rounding only: the order of two additions differs.
    const auto expect_sum = [](const auto& sum, const auto& one, const auto& other) {
      ASSERT_GT(one.norm(), 0.0);
      ASSERT_GT(other.norm(), 0.0);
      EXPECT_LE((sum - (one + other)).norm(), 1e-13 * sum.norm());
    };
    expect_sum(both.wrench.force, a.wrench.force, b.wrench.force);
    expect_sum(both.wrench.torque, a.wrench.torque, b.wrench.torque);
    expect_sum(both.gradient, a.gradient, b.gradient);
    expect_sum(both.damping, a.damping, b.damping);
    EXPECT_EQ(both.contacts, a.contacts + b.contacts);
    EXPECT_EQ(both.visited_nodes, a.visited_nodes + b.visited_nodes);
    EXPECT_EQ(both.node_budget, 500u);
  }
  EXPECT_EQ(touch({low, contact_with(1, 350.0, 0)}).node_budget, 900u);  // 0 is no limit
}

TEST_F(ContactSetTest,
       a_continuous_pair_or_an_implicit_step_lists_near_points_where_culling_is_safe) {
  for (const auto& [continuous, implicit] :
       {std::pair{true, false}, {false, true}, {false, false}}) {
    edit_solids(scene_).dynamics.implicit_contact = implicit;
    for (const Culling culling : {Culling::kSafe, Culling::kPublished}) {
      SceneContact contact = contact_with(0, 200.0, 0);
      contact.continuous = continuous;
      contact.settings.traversal.culling = culling;
      edit_solids(scene_).contacts = {contact};
      const ContactSet set(scene_, models_);
      EXPECT_EQ(set.pairs()[0].contact.settings().traversal.near_points,
                (continuous || implicit) && culling == Culling::kSafe);
    }
  }
}

}  // namespace
}  // namespace haptic
