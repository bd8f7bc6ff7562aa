// The keys of [dynamics].

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "rt/worlds/solids/solids_settings.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::solids {
namespace {

class SceneDynamicsKeys : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ / "tool.h5") << "model"; }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  BodyDynamics load(const std::string& keys) {
    std::ofstream(folder_ / "scene.toml")
        << "[[body]]\nname = \"tool\"\nmodel = \"tool.h5\"\nrole = \"held\"\n[dynamics]\n"
        << keys;
    return solids_settings(load_scene(folder_ / "scene.toml")).dynamics;
  }
  void expect_refusal(const std::string& keys, const std::string& part) {
    expect_scene_refusal([&] { load(keys); }, part);
  }

  std::filesystem::path folder_ = model_folder("scene_dynamics");
};

TEST_F(SceneDynamicsKeys, are_read) {
  BodyDynamics dynamics = load("");
  EXPECT_EQ(dynamics.integrator, DynamicsIntegrator::kNewmark);
  EXPECT_EQ(dynamics.newton_iterations, 1U);
  dynamics = load("newton_iterations = 3\nmaterial_ramp_s = 0.5\ndisplacement_limit = 0.25\n");
  EXPECT_EQ(dynamics.newton_iterations, 3U);
  EXPECT_EQ(dynamics.material_ramp_s, 0.5);
  EXPECT_EQ(dynamics.displacement_limit, 0.25);
  EXPECT_FALSE(dynamics.contact_capacity);
  EXPECT_EQ(load("contact_capacity = 100000\n").contact_capacity, 100000U);
  EXPECT_FALSE(dynamics.pair_capacity);
  EXPECT_EQ(load("pair_capacity = 20000\n").pair_capacity, 20000U);
  EXPECT_EQ(load("integrator = \"modal\"\n").integrator, DynamicsIntegrator::kModal);
  EXPECT_EQ(load("").sleep_speed, 0.0);
  dynamics = load("sleep_speed = 0.002\nsleep_s = 0.25\n");
  EXPECT_EQ(dynamics.sleep_speed, 0.002);
  EXPECT_EQ(dynamics.sleep_s, 0.25);
}

TEST_F(SceneDynamicsKeys, are_refused_out_of_range) {
  expect_refusal("newton_iterations = 0\n", "dynamics.newton_iterations");
  expect_refusal("integrator = \"newmarc\"\n", "newmark");
  expect_refusal("integrator = \"modal\"\nnewton_iterations = 2\n", "without a Newton iteration");
  expect_refusal("displacement_limit = 0\n", "displacement_limit");
  expect_refusal("contact_capacity = 15\n", "dynamics.contact_capacity");
  expect_refusal("sleep_speed = 0.2\n", "dynamics.sleep_speed");
  expect_refusal("sleep_speed = -1.0\n", "dynamics.sleep_speed");
  expect_refusal("sleep_s = 1.0\n", "found without sleep_speed");
  expect_refusal("sleep_speed = 0.01\nsleep_s = 0.01\n", "dynamics.sleep_s");
  expect_refusal("contact = \"explicit\"\nsleep_speed = 0.01\n", "dynamics.sleep_speed");
  expect_refusal("pair_capacity = 0\n", "dynamics.pair_capacity");
  expect_refusal("pair_capacity = 20001\n", "dynamics.pair_capacity");
  expect_refusal("contact = \"explicit\"\ncontact_capacity = 1000\n", "dynamics.contact_capacity");
}

TEST_F(SceneDynamicsKeys, an_acceleration_limit_needs_the_implicit_integrator) {
  EXPECT_EQ(load("acceleration_limit = 1e4\n").acceleration_limit, 1e4);
  expect_refusal("integrator = \"modal\"\nacceleration_limit = 1e4\n",
                 "dynamics.acceleration_limit");
}

}  // namespace
}  // namespace haptic::solids
