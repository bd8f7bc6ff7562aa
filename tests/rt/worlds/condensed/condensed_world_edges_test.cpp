// A tool with sharp edges on the edges of a body: between its points, where they are far apart.
#include <algorithm>
#include <cmath>
#include <string>

#include "rt/geometry/analytic_field.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

/// A bar of 10 x 10 x 40 mm, one edge of which lies across the upper edge of the block at x = 50
/// mm, half of a right angle to both faces. It is pressed along the diagonal.
class EdgesTest : public PressedBlock {
 protected:
  static constexpr std::array<double, 3> kBar = {0.01, 0.01, 0.04};
  static inline const Vector3 kOut = Vector3(1.0, 1.0, 0.0).normalized();

  static void SetUpTestSuite() {
    PressedBlock::SetUpTestSuite();
    bake_condensed_box(folder_ / "block.h5", {.damping_ratios = {0.4, 0.4}});
  }

  /// The bar touches the block's edge at height z along it while the hand is at the origin.
  static std::string text(double z, const std::string& contact, double rate_hz) {
    const Vector3 centre = Vector3(kTop, kTop, z) + 0.5 * std::sqrt(2.0) * kBar[0] * kOut;
    // Its axis z along the diagonal (1, -1, 0), its edge (-1, -1) towards the block.
    Matrix3 axes;
    axes.col(2) = Vector3(1.0, -1.0, 0.0).normalized();
    axes.col(0) = (kOut + Vector3::UnitZ()).normalized();
    axes.col(1) = axes.col(2).cross(axes.col(0));
    const Eigen::Quaterniond q(axes);
    const auto list = [](std::initializer_list<double> values) {
      std::string s;
      for (const double v : values) s += (s.empty() ? "[" : ", ") + std::to_string(v);
      return s + "]";
    };
    return "world = \"condensed\"\nrate_hz = " + std::to_string(rate_hz) +
           "\n[[body]]\nname = \"block\"\nmodel = \"block.h5\"\nrole = \"anchored\"\n[[body]]\n"
           "name = \"tool\"\nshape = \"box\"\nx = 0.01\ny = 0.01\nz = 0.04\nrole = \"held\"\n"
           "position = " +
           list({centre.x(), centre.y(), centre.z()}) +
           "\norientation = " + list({q.w(), q.x(), q.y(), q.z()}) + "\n[contact]\n" + contact +
           "\n[coupling]\nstiffness = 2000.0\n[limits]\nforce = 100.0\n";
  }

  /// How deep any point of an edge of the displayed body is in the bar.
  static double deepest(const CondensedWorld& world, const Pose& held) {
    const AnalyticField bar({ShapeKind::kBox, kBar});
    const CondensedSurface& surface = world.surface();
    const std::span<const double> u = world.node_displacements();
    double depth = 0.0;
    for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
      const auto v = surface.corners(t);
      for (std::size_t k = 0; k < 3; ++k) {
        const Vector3 a = held.to_material(surface.position(v[k], u));
        const Vector3 b = held.to_material(surface.position(v[(k + 1) % 3], u));
        if (std::min(bar.distance(a), bar.distance(b)) > (b - a).norm()) continue;
        for (int i = 0; i <= 500; ++i) {
          depth = std::max(depth, -bar.distance(a + (b - a) * (i / 500.0)));
        }
      }
    }
    return depth;
  }
};

// Wherever the bar lies between the points of the block's edge, it does not cut into the edge, and
// the force of a still hand is still, at any rate.
TEST_F(EdgesTest, no_edge_cuts_into_an_edge_and_the_force_is_still) {
  for (const double hz : {100.0, 1000.0, 8000.0}) {
    for (const bool rough : {false, true}) {
      for (int i = 0; i < 5; ++i) {
        const double z = 0.1 / 12.0 * 0.2 * i;
        SCOPED_TRACE("rate " + std::to_string(hz) + ", z " + std::to_string(z) +
                     (rough ? " rough" : ""));
        CondensedWorld world(scene(text(z, rough ? "friction = 0.5" : "friction = 0.0", hz)),
                             nullptr);
        const Vector3 up = 0.005 * kOut, down = -0.006 * kOut;
        move(world, up, down, int(0.2 * hz));
        WorldOutput output = hold(world, down, int(hz));
        const Vector3 force = output.contact_wrench.force;
        EXPECT_GT(force.dot(kOut), 0.3);
        EXPECT_LT(deepest(world, output.held_pose), 2e-5);
        // With friction, one more contact may begin to slide, and the others take over its force.
        for (int k = 0; k < 50; ++k) {
          output = hold(world, down, 1);
          EXPECT_LT((output.contact_wrench.force - force).norm(),
                    (rough ? 3e-3 : 1e-3) * force.norm());
        }
      }
    }
  }
}

// The force does not jump where the bar slides over the samples of the edge, which is straight
// there. At a vertex the dent has a corner: 0.06 N are left of 0.8 N with points alone.
TEST_F(EdgesTest, sliding_along_an_edge_is_smooth_and_allocates_nothing) {
  for (const double hz : {250.0, 1000.0, 4000.0}) {
    CondensedWorld world(scene(text(0.0, "friction = 0.0", hz)), nullptr);
    const Vector3 down = -0.006 * kOut;
    move(world, 0.005 * kOut, down, int(0.2 * hz));
    WorldOutput output = hold(world, down, int(0.5 * hz));
    Vector3 last = output.contact_wrench.force;
    double largest = 0.0, depth = 0.0;
    const int cycles = static_cast<int>(hz);
    for (int i = 1; i <= cycles; ++i) {
      const Vector3 hand = down + 0.02 * i / cycles * Vector3::UnitZ();
      {
        NoAllocation guard;
        if (world.step(hand_at(hand.x(), hand.y(), hand.z()), output) != WorldStatus::kOk) break;
      }
      largest = std::max(largest, (output.contact_wrench.force - last).norm());
      last = output.contact_wrench.force;
      if (i % 20 == 0) depth = std::max(depth, deepest(world, output.held_pose));
    }
    EXPECT_GT(last.dot(kOut), 0.3) << hz;
    EXPECT_LT(largest, 0.1 * last.norm()) << hz;
    EXPECT_LT(depth, 1e-4) << hz;
  }
}

}  // namespace
}  // namespace haptic::condensed
