// The keys of [[contact]].

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "rt/worlds/solids/solids_settings.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::solids {
namespace {

class SceneContactKeys : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "cow.h5") << "model";
    std::ofstream(folder_ / "tool.h5") << "model";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Scene load(const std::string& keys, const std::string& root = "") {
    std::ofstream(folder_ / "scene.toml") << root << R"(
[[body]]
name = "cow"
model = "cow.h5"
role = "anchored"
[[body]]
name = "wall"
model = "cow.h5"
role = "anchored"
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
[[contact]]
points = "cow"
field = "tool"
)" << keys;
    return load_scene(folder_ / "scene.toml");
  }
  std::vector<SceneContact> contacts(const std::string& keys, const std::string& root = "") {
    return solids_settings(load(keys, root)).contacts;
  }
  void expect_refusal(const std::string& keys, const std::string& part) {
    expect_scene_refusal([&] { load(keys); }, part);
  }

  std::filesystem::path folder_ = model_folder("scene_contact");
};

TEST_F(SceneContactKeys, by_default_give_the_published_law) {
  const SceneContact contact = contacts("")[0];
  const ContactSettings& s = contact.settings;
  EXPECT_EQ(s.stiffness, 200.0);
  EXPECT_EQ(s.scaling, ContactScaling::kPublished);
  EXPECT_EQ(s.scaling_count, 10U);
  EXPECT_EQ(s.damping, 0.0);
  EXPECT_EQ(s.friction.static_coefficient, 0.0);
  EXPECT_EQ(s.traversal.culling, Culling::kSafe);
  EXPECT_TRUE(s.traversal.temporal_coherence);
  EXPECT_EQ(s.traversal.degradation.warm_nodes, 0U);
  EXPECT_FALSE(contact.area_weights);
  EXPECT_FALSE(contact.gradient);
  EXPECT_FALSE(contact.restitution);
  EXPECT_EQ(contact.rolling_friction, 0.0);
  EXPECT_EQ(contact.spinning_friction, 0.0);
}

TEST_F(SceneContactKeys, among_free_is_every_pair_with_a_free_body_that_no_contact_names) {
  const auto read = [&](const std::string& tables) {
    std::ofstream(folder_ / "scene.toml") << R"(
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "floor"
model = "cow.h5"
role = "anchored"
[[body]]
name = "a"
model = "cow.h5"
role = "free"
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
[[body]]
name = "b"
model = "cow.h5"
role = "free"
)" << tables;
    return solids_settings(load_scene(folder_ / "scene.toml")).contacts;
  };
  const std::string among = "[[contact]]\namong = \"free\"\nstiffness = 700\ndamping = 3\n";
  const std::string named = "[[contact]]\npoints = \"tool\"\nfield = \"b\"\n";
  // Wherever it stands among the tables, it leaves out the named pair, in either direction.
  for (const std::string& tables : {among + named, named + among}) {
    const std::vector<SceneContact> contacts = read(tables);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const SceneContact& contact : contacts) pairs.emplace_back(contact.points, contact.field);
    const std::vector<std::pair<std::size_t, std::size_t>> expected = {
        {2, 3}, {1, 0}, {1, 2}, {3, 0}, {3, 1}};
    EXPECT_EQ(pairs, expected);
    EXPECT_EQ(contacts[0].settings.stiffness, 200.0);
    for (std::size_t i = 1; i < contacts.size(); ++i) {
      EXPECT_EQ(contacts[i].settings.stiffness, 700.0);
      EXPECT_EQ(contacts[i].settings.damping, 3.0);
    }
  }
  EXPECT_EQ(read(among).size(), 5u);
  // The other direction of two free bodies only: others need not have points.
  const std::vector<SceneContact> both = read(among + "two_way = true\n");
  ASSERT_EQ(both.size(), 6u);
  const auto reversed = [](const SceneContact& c) { return c.points == 1 && c.field == 3; };
  EXPECT_EQ(std::ranges::count_if(both, reversed), 1);
  for (const SceneContact& contact : both) EXPECT_EQ(contact.settings.stiffness, 700.0);
  EXPECT_EQ(read(among + "two_way = false\n").size(), 5u);
  expect_scene_refusal([&] { read(named + "two_way = true\n"); }, "points and field exchanged");
  EXPECT_EQ(read(among + "[[joint]]\nname = \"pin\"\ntype = \"ball\"\nbodies = [\"a\", \"b\"]\n"
                         "point = [0.0, 0.0, 0.0]\n")
                .size(),
            4u);
  // Without the pair of the held body, which has no mass to bounce with.
  for (const SceneContact& contact :
       read("[[contact]]\namong = \"free\"\nrestitution = 0.5\nrolling_friction = 0.001\n")) {
    const bool held = contact.points == 2 || contact.field == 2;
    EXPECT_EQ(contact.restitution, held ? std::nullopt : std::optional(0.5));
    EXPECT_EQ(contact.rolling_friction, 0.001);
    EXPECT_EQ(contact.spinning_friction, 0.0);
  }
  expect_scene_refusal([&] { read(among + among); }, "contact[1].among: found a second time");
  expect_scene_refusal([&] { read(among + "points = \"a\"\n"); }, "contact[0].points");
  expect_scene_refusal([&] { read(among + "continuous = true\n"); }, "contact[0].continuous");
  expect_scene_refusal([&] { read("[[contact]]\namong = \"fre\"\n"); }, "\"free\"");
  expect_scene_refusal([&] { load("[[contact]]\namong = \"free\"\n"); }, "with a free one");
  // 200 more free bodies: 202 x 201 / 2 pairs of them, and 404 with the others.
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many +=
        "[[body]]\nname = \"m" + std::to_string(i) + "\"\nmodel = \"cow.h5\"\nrole = \"free\"\n";
  }
  expect_scene_refusal([&] { read(many + among); },
                       "found 20705 pairs of bodies, expected at most 20000, or "
                       "dynamics.pair_capacity");
  EXPECT_EQ(read(many + among + "[dynamics]\npair_capacity = 100\n").size(), 20705u);
}

TEST_F(SceneContactKeys, are_all_read) {
  const SceneContact contact = contacts(R"(
stiffness = 50
scaling = "smooth"
scaling_count = 20
scaling_depth = 1e-5
damping = 8
friction = { static = 0.6, dynamic = 0.4, stiffness = 70 }
culling = "published"
gradient = "direct"
area_weights = true
temporal_coherence = false
node_budget = 2500
degradation = { rule = "published", cold_ratio = 0.7, contact_nodes = 1.5, fade_s = 0.05 }
)",
                                        "rate_hz = 2000\n")[0];
  const ContactSettings& s = contact.settings;
  EXPECT_EQ(s.stiffness, 50.0);
  EXPECT_EQ(contact.scaling, ContactScaling::kSmooth);
  EXPECT_EQ(s.scaling_count, 20U);
  EXPECT_EQ(s.scaling_depth, 1e-5);
  EXPECT_EQ(s.damping, 8.0);
  EXPECT_EQ(s.friction.static_coefficient, 0.6);
  EXPECT_EQ(s.friction.dynamic_coefficient, 0.4);
  EXPECT_EQ(s.friction.stiffness, 70.0);
  EXPECT_EQ(s.traversal.culling, Culling::kPublished);
  EXPECT_FALSE(s.traversal.temporal_coherence);
  EXPECT_EQ(s.traversal.degradation.warm_nodes, 2500U);
  EXPECT_EQ(s.traversal.degradation.rule, DegradationSettings::Rule::kPublished);
  EXPECT_EQ(s.traversal.degradation.cold_ratio, 0.7);
  EXPECT_EQ(s.traversal.degradation.contact_nodes, 1.5);
  EXPECT_EQ(s.traversal.degradation.fade_cycles, 100U);
  EXPECT_EQ(contact.gradient, ContactGradient::kDirect);
  EXPECT_TRUE(contact.area_weights);
  EXPECT_EQ(contacts("scaling = \"per-site\"\n")[0].scaling, ContactScaling::kPerSite);
  EXPECT_EQ(contacts("scaling = \"none\"\n")[0].scaling, ContactScaling::kNone);
  EXPECT_EQ(contacts("scaling_count = 5\n")[0].scaling, ContactScaling::kPublished);
  EXPECT_FALSE(contacts("")[0].scaling);
  // The finest level fades over 20 ms at any rate.
  EXPECT_EQ(contacts("node_budget = 100\n", "rate_hz = 4000\n")[0]
                .settings.traversal.degradation.fade_cycles,
            80U);
  const SceneContact timed =
      contacts("budget_us = 150\ndegradation = { rule = \"published\" }\n")[0];
  EXPECT_EQ(timed.budget_us, 150.0);
  EXPECT_EQ(timed.settings.traversal.degradation.fade_cycles, 20U);
  EXPECT_EQ(timed.settings.traversal.degradation.rule, DegradationSettings::Rule::kPublished);
  // Dynamic friction is static friction without further word.
  EXPECT_EQ(contacts("friction = { static = 0.5 }\n")[0].settings.friction.dynamic_coefficient,
            0.5);
}

TEST_F(SceneContactKeys, choose_the_normals) {
  EXPECT_FALSE(contacts("")[0].normals);
  EXPECT_EQ(contacts("normals = \"shell\"\n")[0].normals, ContactNormals::kShell);
  EXPECT_EQ(contacts("normals = \"field\"\n")[0].normals, ContactNormals::kField);
  expect_refusal("normals = \"points\"\n",
                 "contact[0].normals: found \"points\", expected one of \"shell\" \"field\"");
}

TEST_F(SceneContactKeys, take_two_bodies_neither_of_them_held) {
  // Whether one of the two deforms, only the world can tell.
  const std::vector<SceneContact> both =
      contacts("[[contact]]\npoints = \"cow\"\nfield = \"wall\"\n");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].field, 1U);
}

TEST_F(SceneContactKeys, are_refused_out_of_range) {
  expect_refusal("scaling = \"smoth\"\n", "did you mean \"smooth\"");
  expect_refusal("scaling = \"text\"\n",
                 "found \"text\", expected one of \"published\" \"smooth\" \"per-site\" \"none\"");
  expect_refusal("scaling_count = 0\n", "contact[0].scaling_count: found 0");
  expect_refusal("scaling = \"smooth\"\nscaling_depth = 0\n", "contact[0].scaling_depth: found 0");
  expect_refusal("damping = -1\n", "contact[0].damping: found -1");
  expect_refusal("restitution = 1.1\n", "contact[0].restitution: found 1.1");
  expect_refusal("restitution = 0.5\ndamping = 1\n", "contact[0].damping: found together");
  expect_refusal("rolling_friction = -1\n", "contact[0].rolling_friction: found -1");
  expect_refusal("spinning_friction = 2\n", "contact[0].spinning_friction: found 2");
  expect_refusal("friction = { static = -0.1 }\n", "friction.static: found -0.1");
  expect_refusal("friction = { static = 0.3, dynamic = 0.4 }\n", "friction.dynamic: found 0.4");
  expect_refusal("friction = { static = 0.3, stiffness = 0 }\n", "friction.stiffness: found 0");
  expect_refusal("friction = { dynamic = 0.4 }\n", "friction.static: missing");
  expect_refusal("friction = { static = 0.3, stiffnes = 2 }\n", "did you mean \"stiffness\"");
  expect_refusal("culling = \"none\"\n", "contact[0].culling");
  expect_refusal("gradient = \"mirrored\"\n", "contact[0].gradient");
  expect_refusal("node_budget = 0\n", "contact[0].node_budget: found 0");
  expect_refusal("budget_us = 0\n", "contact[0].budget_us: found 0");
  expect_refusal("node_budget = 9\ndegradation = { cold_ratio = 0 }\n", "cold_ratio: found 0");
  expect_refusal("node_budget = 9\ndegradation = { rule = \"soft\" }\n", "degradation.rule");
}

TEST_F(SceneContactKeys, without_effect_are_refused) {
  expect_refusal("scaling = \"none\"\nscaling_count = 3\n",
                 "found together with scaling = \"none\"");
  expect_refusal("scaling_depth = 1e-4\n", "scaling = \"smooth\" with it");
  expect_refusal("degradation = { cold_ratio = 0.5 }\n", "node_budget or budget_us with it");
  expect_refusal("budget_us = 100\nnode_budget = 1000\n",
                 "contact[0].node_budget: found together with");
  expect_refusal("budget_us = 100\ndegradation = { contact_nodes = 1 }\n", "which measures it");
}

}  // namespace
}  // namespace haptic::solids
