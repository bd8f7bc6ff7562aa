// Flat tools, under which more points of the body lie than the capacity holds.
#include "rt/worlds/condensed/field_contacts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/state_value.h"

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

  /// How deep the deepest vertex of the body lies in the box, whatever the world took as contact.
  static double deepest_vertex(const CondensedWorld& world, const Pose& held, double side) {
    double deepest = 0.0;
    for (std::uint32_t v = 0; v < world.surface().vertex_count(); ++v) {
      const Vector3 p = held.to_material(world.surface().position(v, world.node_displacements()));
      const Vector3 inside = Vector3(0.5 * side, 0.5 * kThickness, 0.5 * side) - p.cwiseAbs();
      deepest = std::max(deepest, inside.minCoeff());
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
      // Points without friction go where they are needed. With friction all may hold a part of the
      // force, so that none makes room; what is left out is then below a hundredth of the press.
      const double deepest = rough ? 1.2e-4 : 1e-5;
      for (const double side : {0.02, 0.04}) {
        CondensedWorld world(scene(text(side, friction, hz)), nullptr);
        const Vector3 down(0.0, -0.012, 0.0);
        double dropped = 0.0;
        for (int part = 0; part < 10; ++part) {
          move(world, 0.1 * part * down, 0.1 * (part + 1) * down, int(0.02 * hz));
          dropped = std::max(dropped, state_value(world, "contact/dropped"));
        }
        WorldOutput output = hold(world, down, int(0.6 * hz));
        EXPECT_LT(state_value(world, "contact/dropped_depth"), deepest) << hz << ' ' << side;
        EXPECT_LT(deepest_vertex(world, output.held_pose, side), deepest) << hz << ' ' << side;
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
  EXPECT_NEAR(told, deepest_vertex(world, output.held_pose, 0.06), 0.5 * told);
}

}  // namespace
}  // namespace haptic::condensed
