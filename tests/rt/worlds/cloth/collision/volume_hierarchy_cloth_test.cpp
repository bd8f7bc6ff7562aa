#include <gtest/gtest.h>

#include "lab/cloth/sphere_volume.h"
#include "lab/samples/cloth_samples.h"
#include "lab/samples/moving_cloths.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/verlet.h"

namespace haptic::cloth {
namespace {

constexpr double kMargin = 1e-9;  // of spheres, m

bool is_within(const BoxVolume& part, const BoxVolume& whole) {
  return contains(whole, part.lower) && contains(whole, part.upper);
}
bool is_within(const lab::SphereVolume& part, const lab::SphereVolume& whole) {
  return (part.centre - whole.centre).norm() + part.radius <= whole.radius + kMargin;
}

/// Triangles outside their leaf, and children outside their parent.
template <class Volume>
std::size_t violations(const VolumeHierarchy<Volume>& tree, const ParticleVectors& x) {
  const HierarchyTopology& nodes = tree.topology();
  std::size_t count = 0;
  for (const std::uint32_t leaf : nodes.leaves()) {
    for (const std::uint32_t i : nodes.triangles()[nodes.triangle(leaf)]) {
      count += contains(tree.volume(leaf), at(x, i)) ? 0 : 1;
    }
  }
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    count += is_within(tree.volume(node), tree.volume(nodes.parent(node))) ? 0 : 1;
  }
  return count;
}

template <class Volume>
class CountedTree {
 public:
  CountedTree(const SampleCloth& cloth, std::uint32_t branching)
      : tree_(cloth.mesh.triangles, cloth.state.x, {.branching = branching, .inflation = 0.0}) {}

  void step(const ParticleVectors& x, bool check) {
    ASSERT_EQ(tree_.refit(x), UpdateResult::kDone);
    ASSERT_LE(tree_.updated().size(), tree_.topology().size());
    updates_ += tree_.updated().size();
    if (check) {
      EXPECT_EQ(violations(tree_, x), 0u);
    }
  }
  std::size_t updates() const { return updates_; }
  std::size_t size() const { return tree_.topology().size(); }

 private:
  VolumeHierarchy<Volume> tree_;
  std::size_t updates_ = 0;
};

/// A cloth of 1 m, held at two corners, from the horizontal plane: 2000 steps of its fall, within
/// the limit of the step.
class HangingCloth {
 public:
  explicit HangingCloth(std::uint32_t side)
      : cloth_(square_cloth(side, 1.0 / (side - 1), cloth_materials(200.0, 0.01))),
        verlet_(cloth_.system, 0.01 / side) {
    cloth_.system.constraints().pin(0, at(cloth_.state.x, 0));
    cloth_.system.constraints().pin(side - 1, at(cloth_.state.x, side - 1));
  }
  void step() { ASSERT_EQ(verlet_.step(cloth_.state), ClothStepResult::kOk); }
  const SampleCloth& cloth() const { return cloth_; }

 private:
  SampleCloth cloth_;
  VelocityVerlet verlet_;
};

class HangingCloths : public testing::TestWithParam<std::uint32_t> {};

TEST_P(HangingCloths, refits_stay_conservative_and_spheres_and_four_children_update_less) {
  HangingCloth hanging(GetParam());
  CountedTree<BoxVolume> box2(hanging.cloth(), 2), box4(hanging.cloth(), 4);
  CountedTree<lab::SphereVolume> sphere2(hanging.cloth(), 2), sphere4(hanging.cloth(), 4);
  for (int step = 1; step <= 2000; ++step) {
    hanging.step();
    const ParticleVectors& x = hanging.cloth().state.x;
    const bool check = step % 100 == 0;
    box2.step(x, check);
    box4.step(x, check);
    sphere2.step(x, check);
    sphere4.step(x, check);
  }
  EXPECT_LT(box4.updates(), box2.updates());
  EXPECT_LT(sphere4.updates(), sphere2.updates());
  EXPECT_LE(sphere2.updates(), box2.updates());
  EXPECT_LE(sphere4.updates(), box4.updates());
  RecordProperty("box2", std::to_string(box2.updates() / 2000));
  RecordProperty("box4", std::to_string(box4.updates() / 2000));
  RecordProperty("sphere2", std::to_string(sphere2.updates() / 2000));
  RecordProperty("sphere4", std::to_string(sphere4.updates() / 2000));
}

INSTANTIATE_TEST_SUITE_P(Grids, HangingCloths, testing::ValuesIn(kSides));

}  // namespace
}  // namespace haptic::cloth
