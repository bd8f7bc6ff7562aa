#include "rt/worlds/condensed/stylus_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/rt/worlds/condensed/condensed_world_fixture.h"

namespace haptic::condensed {
namespace {

class StylusContactsTest : public PressedBlock {
 protected:
  StylusContactsTest()
      : file_(folder_ / "block.h5"),
        model_(read_condensed_model(file_)),
        surface_(model_, "block.h5"),
        near_(surface_),
        rest_(model_.dof(), 0.0) {
    near_.update(Vector3::Zero(), 1.0, rest_);
  }

  static Pose at(double x, double y, double z) {
    Pose pose;
    pose.position = {x, y, z};
    return pose;
  }
  CondensedContact only(const StylusContacts& stylus, const Pose& tool,
                        std::span<const double> u) const {
    std::array<CondensedContact, 4> contacts;
    EXPECT_EQ(stylus.collect(tool, {u, rest_}, contacts), 1U);
    return contacts[0];
  }

  ModelFile file_;
  CondensedModel model_;
  CondensedSurface surface_;
  NearSurface near_;
  std::vector<double> rest_;
  std::array<Vector3, 1> tip_{Vector3::Zero()};
};

// 10 elements of 25 mm in one step, through the whole block.
TEST_F(StylusContactsTest, a_stylus_that_crosses_ten_cells_in_a_step_is_in_contact) {
  StylusContacts stylus(model_, surface_, tip_);
  stylus.meet(near_, {at(0.011, 0.15, 0.007), at(0.011, -0.1, 0.007), rest_, rest_});
  ASSERT_EQ(stylus.touching(), 1U);
  const Pose tool = at(0.011, 0.04, 0.007);
  const CondensedContact contact = only(stylus, tool, rest_);
  EXPECT_NEAR((contact.push + Vector3::UnitY()).norm(), 0.0, 1e-12);
  // The body's point is where the stylus crossed the upper face, and has to move to the tool.
  EXPECT_NEAR((contact.target - (Vector3(0.011, 0.04, 0.007) - Vector3(0.011, kTop, 0.007))).norm(),
              0.0, 1e-12);
  EXPECT_NEAR(contact.gap, -0.01, 1e-12);
  EXPECT_NEAR(contact.row.free_share(), 1.0, 1e-12);
}

TEST_F(StylusContactsTest, a_body_that_springs_back_through_a_resting_stylus_is_in_contact) {
  StylusContacts stylus(model_, surface_, tip_);
  std::vector<double> pressed = rest_;
  for (std::size_t i = 1; i < pressed.size(); i += 3) pressed[i] = -0.01;
  const Pose tool = at(0.0, 0.045, 0.0);
  stylus.meet(near_, {tool, tool, pressed, rest_});
  EXPECT_EQ(stylus.touching(), 1U);
}

TEST_F(StylusContactsTest, nothing_is_met_from_inside_or_outside) {
  StylusContacts stylus(model_, surface_, tip_);
  stylus.meet(near_, {at(0.0, 0.04, 0.0), at(0.0, 0.06, 0.0), rest_, rest_});
  stylus.meet(near_, {at(0.0, 0.06, 0.0), at(0.03, 0.051, 0.0), rest_, rest_});
  EXPECT_EQ(stylus.touching(), 0U);
}

// Of the two faces that the path crosses from outside, that of a gap cut by the tilted path: the
// first one in time.
TEST_F(StylusContactsTest, the_earliest_crossing_counts) {
  StylusContacts stylus(model_, surface_, tip_);
  // Through the corner: the upper face first, then the side.
  stylus.meet(near_, {at(0.045, 0.055, 0.0), at(0.052, -0.05, 0.0), rest_, rest_});
  ASSERT_EQ(stylus.touching(), 1U);
  const CondensedContact contact = only(stylus, at(0.045, 0.055, 0.0), rest_);
  EXPECT_NEAR(contact.push.y(), -1.0, 1e-12);
}

TEST_F(StylusContactsTest, a_contact_without_pressure_ends_outside_and_stays_inside) {
  StylusContacts stylus(model_, surface_, tip_);
  stylus.meet(near_, {at(0.0, 0.06, 0.0), at(0.0, 0.045, 0.0), rest_, rest_});
  const std::uint32_t key = only(stylus, at(0.0, 0.045, 0.0), rest_).key;
  stylus.follow({key, true, false}, at(0.0, 0.045, 0.0), {rest_, rest_});
  EXPECT_EQ(stylus.touching(), 1U);
  stylus.follow({key, false, false}, at(0.0, 0.045, 0.0), {rest_, rest_});
  EXPECT_EQ(stylus.touching(), 1U) << "the point is still inside the body";
  stylus.follow({key, false, false}, at(0.0, 0.0501, 0.0), {rest_, rest_});
  EXPECT_EQ(stylus.touching(), 0U);
}

TEST_F(StylusContactsTest, a_contact_that_slides_follows_the_tool_along_the_surface) {
  StylusContacts stylus(model_, surface_, tip_);
  stylus.meet(near_, {at(0.0, 0.06, 0.0), at(0.0, 0.045, 0.0), rest_, rest_});
  const std::uint32_t key = only(stylus, at(0.0, 0.05, 0.0), rest_).key;
  for (int i = 1; i <= 40; ++i) {
    const double x = 1e-3 * i;
    stylus.follow({key, true, true}, at(x, 0.05, 0.5 * x), {rest_, rest_});
    const CondensedContact contact = only(stylus, at(x, 0.05, 0.5 * x), rest_);
    EXPECT_NEAR(contact.target.norm(), 0.0, 1e-12) << "step " << i;
  }
  // Without sliding the material point stays.
  stylus.follow({key, true, false}, at(0.0, 0.05, 0.0), {rest_, rest_});
  EXPECT_NEAR(only(stylus, at(0.0, 0.05, 0.0), rest_).target.x(), -0.04, 1e-12);
}

// Beyond an edge the face behind it takes over: its push is that of the side, from the same point
// of the edge, and the contact ends there when nothing presses.
TEST_F(StylusContactsTest, a_contact_that_slides_beyond_an_edge_goes_to_the_face_behind_it) {
  StylusContacts stylus(model_, surface_, tip_);
  stylus.meet(near_, {at(0.045, 0.06, 0.001), at(0.045, 0.045, 0.001), rest_, rest_});
  const std::uint32_t key = only(stylus, at(0.045, 0.05, 0.001), rest_).key;
  // At the edge itself either face is right.
  const Pose before = at(0.05 - 1e-9, 0.05, 0.001);
  stylus.follow({key, true, true}, before, {rest_, rest_});
  EXPECT_NEAR(only(stylus, before, rest_).push.y(), -1.0, 1e-12);
  stylus.follow({key, true, true}, at(0.0501, 0.05, 0.001), {rest_, rest_});
  const CondensedContact beyond = only(stylus, at(0.0501, 0.05, 0.001), rest_);
  EXPECT_NEAR(beyond.push.x(), -1.0, 1e-12);
  EXPECT_NEAR(beyond.gap, 1e-4, 1e-12);
  EXPECT_NEAR((beyond.point - beyond.target - Vector3(0.05, 0.05, 0.001)).norm(), 0.0, 1e-12);
  stylus.follow({key, false, false}, at(0.0501, 0.05, 0.001), {rest_, rest_});
  EXPECT_EQ(stylus.touching(), 0U);
}

// A dent turns no push: that remains the smooth shape's normal. Friction is at least the slope.
TEST_F(StylusContactsTest, a_dent_turns_no_push_and_has_the_friction_of_its_slope) {
  StylusContacts stylus(model_, surface_, tip_);
  stylus.meet(near_, {at(0.011, 0.06, 0.007), at(0.011, 0.045, 0.007), rest_, rest_});
  EXPECT_EQ(only(stylus, at(0.011, 0.045, 0.007), rest_).least_friction, 0.0);
  // Every node sinks by 0.4 of its x.
  const std::span<const double> mesh = file_.doubles("/mesh/vertices");
  const std::span<const std::uint32_t> nodes = file_.indices("/condensed/nodes");
  std::vector<double> sloped = rest_;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sloped[3 * i + 1] = -0.4 * mesh[3 * std::size_t{nodes[i]}];
  }
  std::array<CondensedContact, 1> contact;
  const Pose tool = at(0.011, 0.045, 0.007);
  ASSERT_EQ(stylus.collect(tool, {sloped, rest_}, contact), 1U);
  EXPECT_NEAR((contact[0].push + Vector3::UnitY()).norm(), 0.0, 1e-12);
  EXPECT_NEAR(contact[0].least_friction, 0.4, 1e-6);
  // The same slope of the whole body turns the push and adds no friction.
  ASSERT_EQ(stylus.collect(tool, {sloped, sloped}, contact), 1U);
  EXPECT_NEAR(contact[0].push.x(), -0.4 / std::sqrt(1.16), 1e-6);
  EXPECT_NEAR(contact[0].least_friction, 0.0, 1e-12);
}

TEST_F(StylusContactsTest, points_of_a_stylus_touch_one_by_one) {
  const std::array<Vector3, 3> points{Vector3(0.0, 0.0, 0.0), Vector3(0.01, 0.0, 0.0),
                                      Vector3(0.0, 0.02, 0.0)};
  StylusContacts stylus(model_, surface_, points);
  EXPECT_NEAR(stylus.reach(), 0.02, 1e-15);
  stylus.meet(near_, {at(0.0, 0.06, 0.0), at(0.0, 0.045, 0.0), rest_, rest_});
  EXPECT_EQ(stylus.touching(), 2U);
  std::array<CondensedContact, 1> room;
  EXPECT_EQ(stylus.collect(at(0.0, 0.045, 0.0), {rest_, rest_}, room), 1U)
      << "no more than there is room";
  stylus.clear();
  EXPECT_EQ(stylus.touching(), 0U);
}

}  // namespace
}  // namespace haptic::condensed
