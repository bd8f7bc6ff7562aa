#include "rt/worlds/cloth/scene_constraints.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::cloth {
namespace {

constexpr const char* kSource = "scene.toml";

/// A grid of 4 x 3 particles, 0.3 x 0.2 m.
ClothMesh mesh() {
  return make_grid({4, 3}, 0.3, 0.2);
}

SceneClothConstraint named(std::vector<std::uint32_t> particles, std::size_t index = 0) {
  SceneClothConstraint c;
  c.particles = std::move(particles);
  c.key = "constraint[" + std::to_string(index) + "]";
  return c;
}

SceneClothConstraint of_set(const std::string& set) {
  SceneClothConstraint c = named({});
  c.set = set;
  return c;
}

SceneClothConstraint in_box(const Vector3& low, const Vector3& high) {
  SceneClothConstraint c = named({});
  c.within = {low, high};
  return c;
}

std::vector<std::uint32_t> particles(const SceneClothConstraint& c) {
  return constrained_particles(c, mesh(), kSource);
}

using Numbers = std::vector<std::uint32_t>;

TEST(SceneConstraints, sets_of_a_grid_are_its_borders) {
  EXPECT_EQ(particles(of_set("corners")), (Numbers{0, 3, 8, 11}));
  EXPECT_EQ(particles(of_set("bottom")), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(particles(of_set("top")), (Numbers{8, 9, 10, 11}));
  EXPECT_EQ(particles(of_set("left")), (Numbers{0, 4, 8}));
  EXPECT_EQ(particles(of_set("right")), (Numbers{3, 7, 11}));
  EXPECT_EQ(particles(of_set("bottom-corners")), (Numbers{0, 3}));
  EXPECT_EQ(particles(of_set("top-corners")), (Numbers{8, 11}));
  EXPECT_EQ(particles(of_set("left-corners")), (Numbers{0, 8}));
  EXPECT_EQ(particles(of_set("right-corners")), (Numbers{3, 11}));
}

TEST(SceneConstraints, numbers_and_boxes_name_particles_once_each) {
  EXPECT_EQ(particles(named({7, 2, 7})), (Numbers{2, 7}));
  EXPECT_EQ(particles(in_box({0.05, 0.05, -0.1}, {0.25, 0.15, 0.1})), (Numbers{5, 6}));
  // Bounds belong to the box.
  EXPECT_EQ(particles(in_box(Vector3::Zero(), Vector3::Zero())), (Numbers{0}));
}

TEST(SceneConstraints, particles_that_do_not_exist_are_refused) {
  expect_scene_refusal([] { particles(named({3, 12}, 2)); }, "constraint[2].particles: found 12");
  expect_scene_refusal([] { particles(named({12})); }, "below 12");
  expect_scene_refusal(
      [] {
        particles(in_box({1.0, 1.0, 1.0}, {2.0, 2.0, 2.0}));
      },
      "found no particle in the box");
  // Empty where low is above high.
  expect_scene_refusal(
      [] {
        particles(in_box({0.3, 0.0, 0.0}, {0.0, 0.0, 0.0}));
      },
      "constraint[0].low");
  ClothMesh no_grid = mesh();
  no_grid.grid.reset();
  expect_scene_refusal([&] { constrained_particles(of_set("left"), no_grid, kSource); },
                       "constraint[0].set: found \"left\" of a cloth that is no grid");
}

class Applied : public ::testing::Test {
 protected:
  Applied() : cloth_(square_cloth(4, 0.1, cloth_materials(100.0))) {}
  void apply(const std::vector<SceneClothConstraint>& constraints, bool is_explicit = false) {
    apply_constraints(constraints, cloth_.mesh, kSource, cloth_.state, is_explicit, cloth_.system);
  }
  ParticleConstraints::Hold hold(std::size_t i) { return cloth_.system.constraints().hold(i); }
  SampleCloth cloth_;
};

TEST_F(Applied, each_kind_holds_its_particles_where_they_are) {
  using Hold = ParticleConstraints::Hold;
  SceneClothConstraint plane = named({1}), line = named({2});
  plane.kind = SceneClothConstraint::Kind::kPlane;
  line.kind = SceneClothConstraint::Kind::kLine;
  line.direction = Vector3::UnitX();
  SceneClothConstraint sphere = named({4});
  sphere.kind = SceneClothConstraint::Kind::kSphere;
  sphere.centre = Vector3(0.0, 0.0, 5.0);
  apply({named({0}), plane, line, sphere});
  EXPECT_EQ(hold(4), Hold::kSphere);
  EXPECT_TRUE(cloth_.system.tethers().spheres().empty());
  EXPECT_EQ(hold(0), Hold::kPinned);
  EXPECT_EQ(hold(1), Hold::kPlane);
  EXPECT_EQ(hold(2), Hold::kLine);
  EXPECT_EQ(hold(3), Hold::kFree);
  ParticleVectors moved = cloth_.state.v;
  std::ranges::fill(moved, 1.0);
  cloth_.system.constraints().filter(moved);
  EXPECT_EQ(Vector3(at(moved, 0)), Vector3::Zero());
  EXPECT_EQ(Vector3(at(moved, 1)), Vector3(1.0, 0.0, 1.0));
  EXPECT_EQ(Vector3(at(moved, 2)), Vector3(1.0, 0.0, 0.0));
}

TEST_F(Applied, explicit_methods_have_the_force_of_a_sphere) {
  SceneClothConstraint sphere = named({4});
  sphere.kind = SceneClothConstraint::Kind::kSphere;
  sphere.centre = Vector3(0.0, 0.0, 5.0);
  apply({sphere}, true);
  EXPECT_EQ(hold(4), ParticleConstraints::Hold::kFree);
  EXPECT_EQ(cloth_.system.tethers().spheres().size(), 1U);
}

TEST_F(Applied, a_particle_has_one_constraint) {
  const std::vector<SceneClothConstraint> twice = {named({1, 2}, 0), named({2, 3}, 1)};
  expect_scene_refusal([&] { apply(twice); },
                       "constraint[1]: found particle 2, which constraint[0] has too");
}

TEST_F(Applied, a_sphere_needs_a_distance_from_its_centre) {
  SceneClothConstraint sphere = named({0});
  sphere.kind = SceneClothConstraint::Kind::kSphere;
  sphere.centre = at(cloth_.state.x, 0);
  EXPECT_EQ(tethers_needed(std::vector{sphere, named({5})}, cloth_.mesh, kSource), 1U);
  expect_scene_refusal([&] { apply({sphere}); }, "found particle 0 at its centre");
}

}  // namespace
}  // namespace haptic::cloth
