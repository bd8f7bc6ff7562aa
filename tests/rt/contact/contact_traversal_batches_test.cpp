// A virtual call to the field is spread over as many points as a batch holds.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/rt/contact/plane_field.h"
#include "tests/rt/contact/traversal_scene.h"

namespace haptic::oracle {
namespace {

/// Everything with z below a height; remembers how many points each call asked for.
class CountingField final : public SignedField {
 public:
  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    if (calls_ < asked_.size()) asked_[calls_++] = count;
    plane_.evaluate(points, count, culling, samples);
  }
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    return plane_.distance_and_gradient(p);
  }
  double edge() const HAPTIC_REALTIME override { return plane_.edge(); }
  double reach() const HAPTIC_REALTIME override { return plane_.reach(); }

  /// Of the calls since the last time.
  std::vector<std::uint32_t> take() const {
    const std::vector<std::uint32_t> asked(asked_.begin(), asked_.begin() + calls_);
    calls_ = 0;
    return asked;
  }

 private:
  PlaneField plane_;
  mutable std::array<std::uint32_t, 1024> asked_{};
  mutable std::uint32_t calls_ = 0;
};

/// Full batches, and what is left over, for each level's own points.
std::vector<std::uint32_t> full_batches(const std::vector<std::uint32_t>& points_of_level) {
  std::vector<std::uint32_t> batches;
  for (std::uint32_t points : points_of_level) {
    for (; points >= kFieldBatch; points -= kFieldBatch) batches.push_back(kFieldBatch);
    if (points != 0) batches.push_back(points);
  }
  return batches;
}

TEST(FieldBatches, every_batch_of_a_traversal_but_a_levels_last_is_full) {
  Random random(21);
  // Levels of less than a batch, of whole batches, of one more and of one less.
  const std::vector<std::uint32_t> sizes = {10, 10 + 32, 42 + 129, 171 + 415};
  const ShellData shell = in_tree_order(random_beam(random, 1.0, 0.05, sizes.back()), sizes);
  const TreeData tree = nested_tree(shell, sizes);
  const CountingField field;
  for (const bool coherent : {false, true}) {
    ContactTraversal traversal(shell.view(), tree.view(), field, {.temporal_coherence = coherent});
    // Everything inside: every node is looked at, a point of several levels once.
    const Pose inside{Vector3(0.0, 0.0, -5.0), Quaternion::Identity()};
    const ModalCoordinates rigid(0);
    for (int cycle = 0; cycle < 3; ++cycle) {
      ASSERT_EQ(traversal.run(inside, Pose(), rigid).size(), sizes.back());
      EXPECT_EQ(field.take(), full_batches({10, 32, 129, 415}));
    }
    ASSERT_EQ(traversal.run_all(inside, Pose(), rigid).size(), sizes.back());
    EXPECT_EQ(field.take(), full_batches({10, 32, 129, 415}));
  }
}

}  // namespace
}  // namespace haptic::oracle
