// Flat tools, under which more points of the body lie than the capacity holds.
#include "rt/worlds/condensed/field_contacts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/samples/state_value.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"

namespace haptic::condensed {
namespace {

class FlatTool : public PressedBlock {
 protected:
  /// A block whose ringing ends soon.
  static void SetUpTestSuite() {
    PressedBlock::SetUpTestSuite();
    bake_condensed_box(folder_ / "block.h5", {.damping_ratios = {0.4, 0.4}});
  }
  static constexpr double kThickness = 0.01;

  /// A box that lies flat on the block, `side` wide.
  static std::string text(double side, const std::string& contact, double rate_hz) {
    std::string s = ball_text("", contact, rate_hz);
    const auto replace = [&](const std::string& what, const std::string& by) {
      const std::size_t at = s.find(what);
      EXPECT_NE(at, std::string::npos) << what;
      s.replace(at, what.size(), by);
    };
    replace("shape = \"sphere\"", "shape = \"box\"");
    replace("radius = 0.02", "x = " + std::to_string(side) + "\ny = " + std::to_string(kThickness) +
                                 "\nz = " + std::to_string(side));
    replace("position = [0.0, " + std::to_string(kTop + kGap + 0.02),
            "position = [0.0, " + std::to_string(kTop + kGap + 0.5 * kThickness));
    return s;
  }

  /// How deep the deepest vertex or point of an edge of the body lies in the box, whatever the
  /// world took as contact.
  static double deepest(const CondensedWorld& world, const Pose& held, double side) {
    const CondensedSurface& surface = world.surface();
    double deepest = 0.0;
    for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
      const auto v = surface.corners(t);
      for (std::size_t k = 0; k < 3; ++k) {
        const Vector3 a = surface.position(v[k], world.node_displacements());
        const Vector3 b = surface.position(v[(k + 1) % 3], world.node_displacements());
        for (int i = 0; i < 50; ++i) {
          const Vector3 p = held.to_material(a + (b - a) * (i / 50.0));
          const Vector3 inside = Vector3(0.5 * side, 0.5 * kThickness, 0.5 * side) - p.cwiseAbs();
          deepest = std::max(deepest, inside.minCoeff());
        }
      }
    }
    return deepest;
  }
};

// Contact without friction is a convex problem: where no point that was left out lies in the tool,
// the solution with the points that were kept is that with all of them. The hand is still, and so
// is the force.
TEST_F(FlatTool, presses_as_with_all_points_and_is_still) {
  for (const double hz : {250.0, 1000.0, 4000.0}) {
    for (const bool rough : {false, true}) {
      const char* const friction = rough ? "friction = 0.5" : "friction = 0.0";
      // Without friction, contacts that do not press make room for others, until as many press as
      // the capacity allows. With friction all may carry a part of the force, so that none makes
      // room; what is left out is then less deep than a hundredth of the press.
      const double most = rough ? 1.2e-4 : 2e-5;
      for (const double side : {0.02, 0.04}) {
        CondensedWorld world(scene(text(side, friction, hz)), nullptr);
        const Vector3 down(0.0, -0.012, 0.0);
        double dropped = 0.0;
        for (int part = 0; part < 10; ++part) {
          move(world, 0.1 * part * down, 0.1 * (part + 1) * down, int(0.02 * hz));
          dropped = std::max(dropped, state_value(world, "contact/dropped"));
        }
        WorldOutput output = hold(world, down, int(1.2 * hz));
        EXPECT_LT(state_value(world, "contact/dropped_depth"), most) << hz << ' ' << side;
        EXPECT_LT(deepest(world, output.held_pose, side), most) << hz << ' ' << side;
        EXPECT_GT(dropped, 0.0);
        const Vector3 force = output.contact_wrench.force;
        EXPECT_GT(force.y(), 0.5);
        // The triangles that bulge beside the box's edges are not symmetric.
        EXPECT_LT(std::hypot(force.x(), force.z()), 0.02 * force.y()) << hz << ' ' << side;
        for (int i = 0; i < 20; ++i) {
          output = hold(world, down, 1);
          EXPECT_LT((output.contact_wrench.force - force).norm(), 1e-3 * force.norm())
              << hz << ' ' << side;
        }
      }
    }
  }
}

// With too little room for the tool's face, points are left out that lie in it: the state says so.
TEST_F(FlatTool, contacts_that_are_left_out_inside_the_tool_are_told) {
  CondensedWorld world(scene(text(0.06, "capacity = 6\nfriction = 0.0", 1000.0)), nullptr);
  const Vector3 down(0.0, -0.012, 0.0);
  move(world, Vector3::Zero(), down, 300);
  const WorldOutput output = hold(world, down, 300);
  const double told = state_value(world, "contact/dropped_depth");
  EXPECT_GT(told, 1e-5);
  // The depth of a contact on an edge is measured along its push: up to 1.4 times the distance.
  EXPECT_NEAR(told, deepest(world, output.held_pose, 0.06), 0.5 * told);
}

}  // namespace
}  // namespace haptic::condensed
