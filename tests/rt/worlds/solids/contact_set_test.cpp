#include "rt/worlds/solids/contact_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic::solids {
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

/// Balls of points at random places about a ball in the hand.
class ManyBalls : public ContactSetTest {
 protected:
  static constexpr double kRadius = 0.01;
  static constexpr std::size_t kBalls = 12;

  ManyBalls() {
    write_solid_ball(files_ / "marble.h5", kRadius, 2500.0);
    scene_.bodies.clear();
    models_.clear();
    for (std::size_t i = 0; i <= kBalls; ++i) {
      scene_.bodies.push_back(
          {"marble", files_ / "marble.h5", i == 0 ? BodyRole::kHeld : BodyRole::kFree, Pose{}});
      models_.push_back(std::make_unique<BodyModel>(files_ / "marble.h5"));
    }
    bodies_.assign(kBalls + 1, {});
    for (std::size_t i = 0; i <= kBalls; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        edit_solids(scene_).contacts.push_back({i, k, {200.0}});
      }
    }
  }
  void scatter(double side) {
    std::uniform_real_distribution<double> uniform(-0.5 * side, 0.5 * side);
    for (BodyMotion& body : bodies_) {
      body.pose.position = {uniform(random_), uniform(random_), uniform(random_)};
      body.pose.orientation =
          rotation_exponential({100.0 * uniform(random_), 100.0 * uniform(random_), 0.0});
    }
  }
  double distance(const ContactSet::Pair& pair) const {
    return (bodies_[pair.points].pose.position - bodies_[pair.field].pose.position).norm();
  }

  std::mt19937 random_{3};
};

TEST_F(ManyBalls, pairs_that_are_not_close_have_no_contact) {
  ContactSet set(scene_, models_), all(scene_, models_);
  const double edge = models_[0]->field->edge();
  std::size_t skipped = 0, touching = 0;
  for (int round = 0; round < 200; ++round) {
    scatter(0.08);
    const ContactSet::Sum sum = set.touch(bodies_);
    const ContactSet::Sum every = all.touch(bodies_, ContactSet::Search::kEveryPoint);
    EXPECT_EQ(sum.contacts, every.contacts);
    EXPECT_EQ(sum.wrench.force, every.wrench.force);
    EXPECT_EQ(sum.wrench.torque, every.wrench.torque);
    std::vector<char> is_close(set.pairs().size(), 0);
    for (const std::uint32_t i : set.close()) is_close[i] = 1;
    for (std::size_t i = 0; i < set.pairs().size(); ++i) {
      const ContactSet::Pair& pair = set.pairs()[i];
      // The bound is that of the spheres and no larger; the file has points in single precision,
      // and the reach of the sampled field is up to a voxel larger than the ball.
      const double spheres = 2.0 * kRadius + ContactSet::kMaxMargin * edge;
      if (distance(pair) < spheres) {
        EXPECT_TRUE(is_close[i]);
      }
      if (distance(pair) > spheres + 2.0 * edge) {
        EXPECT_FALSE(is_close[i]);
      }
      if (is_close[i]) continue;
      ++skipped;
      EXPECT_TRUE(pair.contact.contacts().empty());
      EXPECT_TRUE(pair.contact.near().empty());
    }
    touching += every.contacts;
  }
  EXPECT_GT(skipped, 1000u);
  EXPECT_GT(touching, 1000u);
}

TEST_F(ManyBalls, a_pair_that_comes_back_is_as_new) {
  for (SceneContact& contact : edit_solids(scene_).contacts) {
    contact.settings.friction = {0.5, 0.3, {}};
    contact.settings.traversal.temporal_coherence = true;
  }
  ContactSet set(scene_, models_);
  scatter(0.02);
  set.touch(bodies_);
  scatter(10.0);
  const ContactSet::Sum apart = set.touch(bodies_);
  EXPECT_EQ(apart.contacts, 0u);
  EXPECT_EQ(apart.wrench.force, Vector3(0.0, 0.0, 0.0));
  EXPECT_EQ(apart.visited_nodes, 0u);
  EXPECT_EQ(apart.level, 0u);
  scatter(0.02);
  ContactSet fresh(scene_, models_);
  const ContactSet::Sum again = set.touch(bodies_), first = fresh.touch(bodies_);
  ASSERT_GT(first.contacts, 0u);
  EXPECT_EQ(again.contacts, first.contacts);
  EXPECT_EQ(again.wrench.force, first.wrench.force);
  EXPECT_EQ(again.wrench.torque, first.wrench.torque);
  EXPECT_EQ(again.visited_nodes, first.visited_nodes);
}

TEST_F(ManyBalls, pairs_that_share_workspaces_have_the_contacts_of_those_with_their_own) {
  for (SceneContact& contact : edit_solids(scene_).contacts) {
    contact.settings.friction = {0.5, 0.3, {}};
    contact.settings.traversal.temporal_coherence = true;
  }
  ContactSet own(scene_, models_);
  // All balls start far from each other.
  scatter(10.0);
  for (std::size_t i = 0; i <= kBalls; ++i) scene_.bodies[i].pose = bodies_[i].pose;
  constexpr std::uint32_t kCapacity =
      30;  // of 66 pairs of free balls; 12 with the hand have their own
  edit_solids(scene_).dynamics.pair_capacity = kCapacity;
  ContactSet shared(scene_, models_);
  std::size_t touching = 0, borrowed = 0;
  for (int round = 0; round < 300; ++round) {
    // Every third time the balls only move a little, so that history counts.
    if (round % 3 == 0) {
      scatter(0.08);
    } else {
      for (BodyMotion& body : bodies_) body.pose.position.x() *= 0.999;
    }
    const ContactSet::Sum a = own.touch(bodies_), b = shared.touch(bodies_);
    ASSERT_EQ(shared.without_workspace(), ContactSet::kNone);
    EXPECT_EQ(a.contacts, b.contacts);
    EXPECT_EQ(a.visited_nodes, b.visited_nodes);
    EXPECT_EQ(a.wrench.force, b.wrench.force);
    EXPECT_EQ(a.wrench.torque, b.wrench.torque);
    for (std::size_t i = 0; i < own.pairs().size(); ++i) {
      const ContactPair &one = own.pairs()[i].contact, &other = shared.pairs()[i].contact;
      ASSERT_EQ(one.contacts().size(), other.contacts().size());
      EXPECT_EQ(one.level(), other.level());
      for (std::size_t k = 0; k < one.contacts().size(); ++k) {
        EXPECT_EQ(one.contacts()[k].force, other.contacts()[k].force);
      }
      if (shared.pairs()[i].pool != ContactSet::kNoPool) borrowed += other.has_workspace() ? 1 : 0;
    }
    touching += a.contacts;
  }
  EXPECT_GT(touching, 1000u);
  EXPECT_GT(borrowed, 1000u);
}

TEST_F(ManyBalls, a_pool_that_is_too_small_is_refused_at_the_start_and_named_later) {
  edit_solids(scene_).dynamics.pair_capacity = 5;
  try {
    const ContactSet set(scene_, models_);  // all balls are at one place
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(
        std::string(error.what())
            .find("dynamics.pair_capacity: found 5, and 66 pairs of one kind are close at the "
                  "start, expected at least 66"),
        std::string::npos)
        << error.what();
  }
  scatter(10.0);
  for (std::size_t i = 0; i <= kBalls; ++i) scene_.bodies[i].pose = bodies_[i].pose;
  ContactSet set(scene_, models_);
  set.touch(bodies_);
  EXPECT_EQ(set.without_workspace(), ContactSet::kNone);
  const std::vector<BodyMotion> apart = bodies_;
  // Four balls in one place are six pairs, of which five have a workspace.
  for (std::size_t i = 1; i < 4; ++i) bodies_[i].pose = bodies_[4].pose;
  set.touch(bodies_);
  const std::size_t pair = set.without_workspace();
  ASSERT_NE(pair, ContactSet::kNone);
  EXPECT_FALSE(set.pairs()[pair].contact.has_workspace());
  EXPECT_TRUE(set.pairs()[pair].contact.contacts().empty());
  EXPECT_LE(std::max(set.pairs()[pair].points, set.pairs()[pair].field), 4u);
  // Every workspace returns.
  bodies_ = apart;
  set.touch(bodies_);
  EXPECT_EQ(set.without_workspace(), ContactSet::kNone);
  bodies_[5].pose = bodies_[6].pose;
  EXPECT_GT(set.touch(bodies_).visited_nodes, 0u);
  EXPECT_EQ(set.without_workspace(), ContactSet::kNone);
}

TEST_F(ManyBalls, a_body_without_a_finite_pose_is_close_and_touches_nothing) {
  ContactSet set(scene_, models_);
  scatter(10.0);
  bodies_[3].pose.position.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(set.touch(bodies_).contacts, 0u);
  for (const std::uint32_t i : set.close()) {
    EXPECT_TRUE(set.pairs()[i].points == 3 || set.pairs()[i].field == 3);
  }
  EXPECT_EQ(set.close().size(), kBalls);
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
}  // namespace haptic::solids
