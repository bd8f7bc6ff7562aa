// The default of `normals`, and a press with it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/samples/state_value.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_world.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic::solids {
namespace {

/// A body whose surface leans everywhere, and tools that are pressed on it from above.
class ContactSetNormals : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<BakingFolder>("normals");
    write_obj(folder_->file("heart.obj"), make_shape("heart", {{"resolution", 40}}));
    write_obj(folder_->file("plate.obj"),
              make_shape("plate", {{"size_x", 0.04}, {"size_y", 0.003}, {"size_z", 0.04}}));
    struct Model {
      const char* name;
      double length;  // m
      int points;
    };
    write_obj(folder_->file("sphere.obj"), make_shape("sphere", {}));
    write_obj(folder_->file("box.obj"), make_shape("box", {}));
    for (const auto& [name, length, points] : {Model{"heart", 0.1, 400},
                                               {"plate", 0.04, 100},
                                               {"sphere", 0.1, 2000},
                                               {"box", 0.1, 400}}) {
      folder_->write("rigid.toml",
                     fmt::format("[source]\nmesh = \"{}.obj\"\norigin = \"centre\"\nlength = {}\n"
                                 "[material]\ndensity = 1000.0\n[shell]\npoints = {}\n[field]\n"
                                 "resolution = 64\n",
                                 name, length, points));
      folder_->bake("rigid.toml", fmt::format("{}.h5", name));
    }
    folder_->write("soft.toml", R"([source]
mesh = "box.obj"
origin = "centre"
length = 0.1
[mesh]
resolution = 8
cells = "full"
elements = "full"
[material]
youngs_modulus = 1e5
poisson_ratio = 0.3
density = 1000.0
damping_ratios = [0.03, 0.06]
[constraints]
planes = [{ axis = "y", below = 0.001 }]
[reduction]
linear_modes = 4
dimension = 6
[shell]
points = 400
)");
    folder_->bake("soft.toml", "soft_box.h5");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static constexpr const char* kBlock = "shape = \"box\"\nx = 0.02\ny = 0.02\nz = 0.02\n";
  static constexpr const char* kPlate = "model = \"plate.h5\"\n";

  /// A tool over the body, whose points it presses. @param law  of the contact
  static Scene scene(const std::string& body, const std::string& tool, const std::string& law,
                     double rate = 1000.0) {
    folder_->write("scene.toml",
                   fmt::format("rate_hz = {}\n[limits]\nforce = 20.0\n[[body]]\nname = \"body\"\n"
                               "model = \"{}.h5\"\nrole = \"anchored\"\n[[body]]\n"
                               "name = \"tool\"\n{}role = \"held\"\nposition = [0.02, 0.12, 0.0]\n"
                               "[[contact]]\npoints = \"body\"\nfield = \"tool\"\n{}\n",
                               rate, body, tool, law));
    return load_scene(folder_->file("scene.toml"));
  }
  static ContactNormals default_of(const std::string& body, const std::string& tool,
                                   const std::string& law) {
    const SolidsWorld world(scene(body, tool, law), nullptr);
    EXPECT_TRUE(world.warnings().empty()) << body << " " << law << ": " << world.warnings()[0];
    return world.pairs()[0].contact.settings().normals;
  }

  struct Press {
    double force = 0.0, spread = 0.0;  // of the last half second [N]
    double created = 0.0, work = 0.0;  // J
  };
  /// 90 mm down in 0.6 s, and 1.4 s still.
  static Press press(World& world, double rate) {
    Press press;
    WorldOutput output;
    Vector3 still = Vector3::Zero();
    for (int i = 0; i < static_cast<int>(2.0 * rate); ++i) {
      const double t = i / rate;
      DeviceState hand;
      hand.pose.position.y() = -0.15 * std::min(t, 0.6);
      EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
      press.created = std::max(press.created, state_value(world, "contact/created_energy"));
      const Vector3& force = output.device_wrench.force;
      if (t < 1.5) {
        still = force;
      } else {
        press.spread = std::max(press.spread, (force - still).norm());
      }
    }
    press.force = still.norm();
    press.work = state_value(world, "contact/work");
    return press;
  }

  inline static std::unique_ptr<BakingFolder> folder_;
};

TEST_F(ContactSetNormals, an_edge_in_the_hand_presses_a_body_with_edges_along_its_field) {
  EXPECT_EQ(default_of("box", kBlock, "stiffness = 2e4"), ContactNormals::kField);
  EXPECT_EQ(default_of("box", kBlock, "wall = 2e4"), ContactNormals::kField);
  EXPECT_EQ(default_of("soft_box", kBlock, "stiffness = 2e4"), ContactNormals::kField);
  // 20 N press a point in by more than the block's half-thickness.
  EXPECT_EQ(default_of("box", kBlock, "stiffness = 100.0"), ContactNormals::kShell);
  // It would catch on the points of a smooth body.
  for (const char* const law : {"stiffness = 2e4", "wall = 2e4"}) {
    EXPECT_EQ(default_of("heart", kBlock, law), ContactNormals::kShell) << law;
    EXPECT_EQ(default_of("sphere", kBlock, law), ContactNormals::kShell) << law;
  }
  EXPECT_EQ(default_of("sphere", "shape = \"sphere\"\nradius = 0.01\n", "stiffness = 2e4"),
            ContactNormals::kField);
}

TEST_F(ContactSetNormals,
       a_thin_tool_is_pushed_along_its_field_where_points_stay_near_its_surface) {
  // 20 N are 0.2 mm in 3 mm; with 5e3 N/m they are 4 mm, beyond the middle.
  EXPECT_EQ(default_of("box", kPlate, "stiffness = 1e5"), ContactNormals::kField);
  EXPECT_EQ(default_of("box", kPlate, "stiffness = 5e3\nscaling = \"none\""),
            ContactNormals::kShell);
}

TEST_F(ContactSetNormals, a_press_along_the_field_creates_nothing_and_comes_to_rest) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const char* const tool : {kBlock, kPlate}) {
      for (const char* const law : {"stiffness = 1e5\nnormals = \"field\"",
                                    "stiffness = 1e5\nnormals = \"field\"\n"
                                    "friction = { static = 0.5, dynamic = 0.4 }"}) {
        SolidsWorld world(scene("heart", tool, law, rate), nullptr);
        const Press field = press(world, rate);
        EXPECT_GT(field.force, 1.0) << rate << " " << law;
        EXPECT_LT(field.spread, 1e-3 * field.force) << rate << " " << law;
        EXPECT_LE(field.created, 1e-6 * field.work) << rate << " " << tool << law;
      }
    }
    // The default creates energy and is still, too.
    SolidsWorld world(scene("heart", kBlock, "stiffness = 1e5", rate), nullptr);
    const Press shell = press(world, rate);
    EXPECT_GT(shell.created, 0.01 * shell.work) << rate;
    EXPECT_LT(shell.spread, 1e-3 * shell.force) << rate;
  }
}

// Where the points of the body are farther apart than the tool is thick, the field is typed.
TEST_F(ContactSetNormals, a_tool_on_a_soft_body_creates_nothing_and_comes_to_rest) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const auto& [tool, normals] :
         {std::pair(kBlock, ""), std::pair(kPlate, "normals = \"field\"")}) {
      for (const double stiffness : {2e4, 1e6}) {
        const auto what = fmt::format("{}\nstiffness = {}", normals, stiffness);
        SolidsWorld world(scene("soft_box", tool, what, rate), nullptr);
        const Press along = press(world, rate);
        EXPECT_GT(along.force, 0.5) << rate << " " << tool << what;
        EXPECT_LT(along.spread, 1e-3 * along.force) << rate << " " << tool << what;
        EXPECT_LE(along.created, 1e-6 * along.work) << rate << " " << tool << what;
      }
    }
  }
}

TEST_F(ContactSetNormals, a_block_slides_over_a_smooth_body) {
  // Without friction the force is along the radius. The points are 4 mm apart on a radius of 50 mm.
  const auto lateral = [](World& world, const ContactPair& contact, double rate) {
    WorldOutput output;
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < static_cast<int>(3.0 * rate); ++i) {
      const double t = i / rate;
      DeviceState hand;
      hand.pose.position.y() = -0.07 * std::min(1.0, 2.0 * t);
      hand.pose.position.x() = -0.02 * std::clamp(t - 1.0, 0.0, 2.0);
      EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
      Vector3 place = Vector3::Zero();
      for (const Contact& c : contact.contacts()) place += c.force.norm() * c.position;
      if (t < 1.2 || place.isZero(0.0)) continue;
      const Vector3 radial = place.normalized(), &force = output.contact_wrench.force;
      const double normal = force.dot(radial);
      sum += (force - normal * radial).norm() / normal;
      count += 1.0;
    }
    EXPECT_GT(count, 1.5 * rate);
    return sum / count;
  };
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const char* const law : {"stiffness = 1e4", "stiffness = 1e5", "wall = 2e4"}) {
      SolidsWorld world(scene("sphere", kBlock, law, rate), nullptr);
      EXPECT_LT(lateral(world, world.pairs()[0].contact, rate), 0.03) << rate << " " << law;
      SolidsWorld field(scene("sphere", kBlock, fmt::format("{}\nnormals = \"field\"", law), rate),
                        nullptr);
      EXPECT_GT(lateral(field, field.pairs()[0].contact, rate), 0.5) << rate << " " << law;
    }
  }
}

}  // namespace
}  // namespace haptic::solids
