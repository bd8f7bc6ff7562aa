// Tools that are small, fast or thin against a cloth.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "rt/bodies/held_body.h"
#include "tests/rt/worlds/cloth/contact/cloth_on_field.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A held tool is pressed into a pinned cloth; it is smaller than a triangle, so that only sites
/// inside the triangles meet it.
TEST(FieldContactsTools, a_small_held_tool_meets_the_cloth_between_its_particles) {
  SampleCloth cloth = square_cloth(9, 0.05, cloth_materials(200.0, 0.05));
  for (const auto border :
       {GridBorder::kBottom, GridBorder::kTop, GridBorder::kLeft, GridBorder::kRight}) {
    for (const std::uint32_t i : grid_border(cloth.mesh, border)) {
      cloth.system.constraints().pin(i, at(cloth.state.x, i));
    }
  }
  cloth.system.surroundings().air.drag = 20.0 * cloth.system.masses()[0];
  ClothOnField on(std::move(cloth), {ShapeKind::kSphere, {0.012}}, {.stiffness = 1e3}, 0.012);
  HeldBodySettings settings;
  settings.max_speed = 10.0;
  Pose home;
  home.position = Vector3(0.21, 0.23, -0.05);
  HeldBody held(settings, home, 1.0, 0.012, kStep);
  ASSERT_TRUE(held.set_plateau(1e3));
  DeviceState hand;
  const auto cycle = [&] {
    NoAllocation guard;
    hand.pose.position.z() = std::min(0.1, hand.pose.position.z() + 0.2 * kStep);
    held.follow(hand);
    const HeldBody::StepSystem system = held.prepare(held.couple());
    on.step.set_partner(0, {system.matrix.data(), 36}, {system.load.data(), 6});
    on.body.pose = held.pose();
    // As far as the coupling would move it if nothing were in the way.
    const Vector6 free = system.matrix.llt().solve(system.load) / kStep;
    on.body.twist = {free.head<3>(), free.tail<3>()};
    on.advance({FieldContacts::Partner::Kind::kRigid, 0, held.grasp_position()});
    held.accept(held.moved(Eigen::Map<const Vector6>(on.step.partner_motion(0).data())));
  };
  for (int n = 0; n < 4000; ++n) ASSERT_NO_FATAL_FAILURE(cycle());
  const Wrench on_tool = on.contacts.wrench_about(held.grasp_position());
  const CouplingLoad load = held.couple();
  EXPECT_GT(load.wrench.force.z(), 0.5);
  // Within what is left of the waves of the cloth; the ball rolls on without friction.
  EXPECT_LT((load.wrench.force + on_tool.force).norm(), 1e-6 * load.wrench.force.norm());
}

/// A plate of 1 cm that goes through the plane of a pinned cloth at 5 m/s takes the cloth along, 10
/// cm far.
TEST(FieldContactsTools, a_fast_thin_tool_does_not_pass) {
  const AnalyticShape plate{ShapeKind::kBox, {0.1, 0.1, 0.01}},
      rod{ShapeKind::kCapsule, {0.005, 0.1}};
  for (const AnalyticShape& shape : {plate, rod}) {
    SampleCloth cloth = square_cloth(15, 0.02, cloth_materials(300.0, 0.05));
    for (const auto border : {GridBorder::kBottom, GridBorder::kTop}) {
      for (const std::uint32_t i : grid_border(cloth.mesh, border)) {
        cloth.system.constraints().pin(i, at(cloth.state.x, i));
      }
    }
    ClothOnField on(std::move(cloth), shape, {.stiffness = 1e4}, 0.005);
    on.body.pose.position = Vector3(0.14, 0.147, -0.0311);
    on.body.twist.linear = Vector3(0.0, 0.0, 5.0);
    if (shape == rod) {
      on.body.pose.orientation = Quaternion(Eigen::AngleAxisd(0.5 * M_PI, Vector3::UnitY()));
    }
    for (int n = 0; n < 26; ++n) {
      ASSERT_NO_FATAL_FAILURE(on.advance());
      on.body.pose.position += kStep * on.body.twist.linear;
    }
    std::size_t over = 0;
    for (std::size_t k = 0; k < on.sites.size(); ++k) {
      const Vector3 p = on.body.pose.to_material(on.sites.at_site(k, on.cloth.state.x));
      // Over the tool, off its border.
      const bool in_reach = shape == rod ? std::abs(p.z()) < 0.04 && std::abs(p.y()) < 0.002
                                         : std::abs(p.x()) < 0.045 && std::abs(p.y()) < 0.045;
      if (!in_reach) continue;
      ++over;
      const double ahead = (on.sites.at_site(k, on.cloth.state.x) - on.body.pose.position).z();
      EXPECT_GT(ahead, 0.0) << int(shape.kind) << ", site " << k;
    }
    EXPECT_GT(over, shape == rod ? 3u : 100u);
  }
}

/// A soft contact lets the cloth through the middle of a plate; it stays on its side.
TEST(FieldContactsTools, a_site_beyond_the_middle_is_pushed_back_to_its_side) {
  SampleCloth one = square_cloth(2, 0.02, cloth_materials(100.0), weightless());
  ClothOnField on(std::move(one), {ShapeKind::kBox, {0.2, 0.2, 0.01}}, {.stiffness = 2.0});
  for (std::size_t i = 0; i < 4; ++i) {
    on.cloth.state.x[3 * i + 2] = 0.02;
    on.cloth.state.v[3 * i + 2] = -7.0;
  }
  double lowest = 1.0;
  for (int n = 0; n < 200; ++n) {
    ASSERT_NO_FATAL_FAILURE(on.advance());
    lowest = std::min(lowest, on.cloth.state.x[2]);
  }
  EXPECT_LT(lowest, -0.0051);  // it was out on the other side
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GT(on.cloth.state.x[3 * i + 2], 0.005);
}

}  // namespace
}  // namespace haptic::cloth
