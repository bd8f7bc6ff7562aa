// Contacts of known stiffness, of models as the bake makes them: force over depth against closed
// forms, at rates and numbers of points.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/samples/state_value.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_parameters.h"
#include "rt/worlds/solids/solids_probe.h"
#include "rt/worlds/solids/solids_world.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic::solids {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kBallRadius = 0.02;                           // m
constexpr double kSideX = 0.04, kSideY = 0.03, kSideZ = 0.02;  // of the box [m]
constexpr double kTolerance = 0.02;                            // of force over depth, as promised

/// Surface of a potato: bumps of 5 % on a ball, so that no two places have the same curvature.
TriangleMesh bumpy_mesh() {
  TriangleMesh mesh = make_shape("sphere", {{"subdivisions", 4}});
  for (Vector3& v : mesh.vertices) {
    const Vector3 u = v.normalized();
    v *= 1.0 + 0.05 * std::sin(7.0 * u.x() + 1.0) * std::sin(5.0 * u.y()) +
         0.05 * std::cos(6.0 * u.z());
  }
  return mesh;
}

TriangleMesh box_of(double x, double y, double z) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back((i & 1) != 0 ? x : 0.0, (i & 2) != 0 ? y : 0.0,
                               (i & 4) != 0 ? z : 0.0);
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (Vector3& v : mesh.vertices) v -= 0.5 * Vector3(x, y, z);
  return mesh;
}

class ContactSetStiffness : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<BakingFolder>("known_stiffness");
    write_obj(folder_->file("ball.obj"), make_shape("sphere", {{"subdivisions", 5}}));
    write_obj(folder_->file("box.obj"), box_of(kSideX, kSideY, kSideZ));
    write_obj(folder_->file("bumpy.obj"), bumpy_mesh());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  /// Model of a mesh of 4 cm with a shell of `points`, baked once.
  static std::string model(const std::string& mesh, int points) {
    const std::string name = fmt::format("{}{}", mesh, points);
    if (!std::filesystem::exists(folder_->file(name + ".h5"))) {
      folder_->write(
          name + ".toml",
          fmt::format("[source]\nmesh = \"{}.obj\"\nlength = 0.04\n[material]\n"
                      "density = 1000.0\n[shell]\npoints = {}\n[field]\nresolution = 32\n",
                      mesh, points));
      folder_->bake(name + ".toml", name + ".h5");
    }
    return name + ".h5";
  }
  /// A tool in the hand over the plane z = 0. @param law  of the contact
  static Scene scene(const std::string& tool, const std::string& law, double rate = 1000.0,
                     const std::string& more = "") {
    folder_->write(
        "scene.toml",
        fmt::format("rate_hz = {}\n[[body]]\nname = \"ground\"\nshape = \"plane\"\nsize = 0.5\n"
                    "role = \"anchored\"\n[[body]]\nname = \"tool\"\nmodel = \"{}\"\n"
                    "role = \"held\"\nposition = [0.0, 0.0, 0.1]\n[[contact]]\n"
                    "points = \"tool\"\nfield = \"ground\"\n{}\n{}",
                    rate, tool, law, more));
    return load_scene(folder_->file("scene.toml"));
  }
  static ProbedContacts touch(ContactProbe& probe, const Pose& tool) {
    return probe.touch(std::vector<ProbedBody>{{Pose{}, {}}, {tool, {}}}, false);
  }
  static double greatest_depth(const ProbedContacts& touched) {
    double depth = 0.0;
    for (const ProbedContact& contact : touched.contacts) depth = std::max(depth, contact.depth);
    return depth;
  }
  static Quaternion any_turn(std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    const double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
    return Quaternion(w, x, y, z).normalized();
  }
  static std::string refusal(const std::string& tool, const std::string& law,
                             const std::string& more = "") {
    try {
      SolidsWorld world(scene(tool, law, 1000.0, more), nullptr);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "accepted";
  }

  inline static std::unique_ptr<BakingFolder> folder_;
};

TEST_F(ContactSetStiffness, every_new_model_has_the_areas_of_its_points) {
  for (const int points : {100, 500, 2000}) {
    const ModelFile file(folder_->file(model("ball", points)));
    const auto areas = file.floats("/shell/areas");
    ASSERT_EQ(areas.size(), static_cast<std::size_t>(points));
    double sum = 0.0;
    for (const float area : areas) sum += double{area};
    // The triangles of the mesh leave 0.2 % of the sphere.
    EXPECT_NEAR(sum, 4.0 * kPi * kBallRadius * kBallRadius, 3e-3 * sum) << points;
    EXPECT_FALSE(file.has("/shell/weights"));
  }
}

// A Winkler foundation of modulus X: the force is X times the volume below the plane. The sum over
// points instead of the integral errs at the rim of the contact, where the cell of a point is
// partly above the plane: measured 1.1 % (rms) and 3.0 % at 20 to 39 points, 0.8 and 1.8 % at 40
// to 79.
TEST_F(ContactSetStiffness, a_foundation_gives_a_sphere_the_force_of_the_volume_below_the_plane) {
  constexpr double kModulus = 1e7;
  struct Errors {
    std::size_t points;  // in contact, at least
    double most_rms, most;
    double square = 0.0, largest = 0.0;
    int count = 0;
  };
  std::vector<Errors> ranges = {{20, 0.015, 0.035}, {40, 0.01, kTolerance}, {80, 0.005, 0.01}};
  for (const int points : {100, 500, 2000}) {
    const auto probe = make_solids_probe(scene(model("ball", points), "foundation = 1e7"));
    std::mt19937_64 random(5);
    for (int i = 0; i < 40; ++i) {
      const Quaternion turn = any_turn(random);
      for (const double depth : {1e-3, 2e-3, 4e-3, 8e-3, 12e-3}) {
        const ProbedContacts touched = touch(*probe, {{0.0, 0.0, kBallRadius - depth}, turn});
        const double force = kModulus * kPi * depth * depth * (kBallRadius - depth / 3.0);
        const double error = touched.wrench.force.z() / force - 1.0;
        for (Errors& range : std::views::reverse(ranges)) {
          if (touched.contacts.size() < range.points) continue;
          range.square += error * error;
          range.largest = std::max(range.largest, std::abs(error));
          ++range.count;
          break;
        }
      }
    }
  }
  for (const Errors& range : ranges) {
    ASSERT_GT(range.count, 30);
    const double rms = std::sqrt(range.square / range.count);
    RecordProperty(fmt::format("from_{}", range.points),
                   fmt::format("rms {:.4f} largest {:.4f}", rms, range.largest));
    EXPECT_LE(rms, range.most_rms) << range.points;
    EXPECT_LE(range.largest, range.most) << range.points;
  }
}

// A flat face of area A: X A d, also where the points of its sides are below the plane.
TEST_F(ContactSetStiffness, a_foundation_gives_a_face_its_area_whatever_its_sides_do) {
  for (const char* const normals : {"shell", "field"}) {
    for (const int points : {100, 500, 2000}) {
      const auto probe = make_solids_probe(
          scene(model("box", points), fmt::format("foundation = 1e6\nnormals = \"{}\"", normals)));
      for (const double depth : {1e-4, 1e-3, 5e-3}) {
        const ProbedContacts touched =
            touch(*probe, {{0.0, 0.0, 0.5 * kSideZ - depth}, Quaternion::Identity()});
        EXPECT_NEAR(touched.wrench.force.z() / depth, 1e6 * kSideX * kSideY,
                    kTolerance * 1e6 * kSideX * kSideY)
            << normals << " " << points << " " << depth;
      }
    }
  }
}

// Held still, a world at any rate has the force of the closed form.
TEST_F(ContactSetStiffness, a_foundation_gives_its_force_at_any_rate) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const int points : {500, 2000}) {
      SolidsWorld world(scene(model("box", points), "foundation = 1e6", rate), nullptr);
      WorldOutput output;
      DeviceState hand;
      hand.pose.position.z() = -0.1 + 0.5 * kSideZ - 2e-3;
      for (int i = 0; i < static_cast<int>(rate); ++i) {
        ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
      }
      const double depth = 0.5 * kSideZ - world.poses()[1].position.z();
      EXPECT_NEAR(output.contact_wrench.force.z() / depth, 1e6 * kSideX * kSideY,
                  kTolerance * 1e6 * kSideX * kSideY)
          << rate << " " << points;
    }
  }
}

TEST_F(ContactSetStiffness, a_model_without_areas_and_keys_that_say_the_same_are_named) {
  write_ball(folder_->file("old.h5"), kBallRadius);
  const std::string old = refusal("old.h5", "foundation = 1e6");
  EXPECT_NE(old.find("old.h5 has no /shell/areas"), std::string::npos) << old;
  EXPECT_NE(old.find("the model baked again"), std::string::npos) << old;
  EXPECT_EQ(refusal("old.h5", "wall = 1e3"), "accepted");  // it needs no areas
  const std::string ball = model("ball", 100);
  for (const char* const key : {"stiffness = 200.0", "scaling = \"none\"", "scaling_count = 4",
                                "area_weights = true", "node_budget = 100", "budget_us = 100.0"}) {
    const std::string name(key, std::string(key).find(' '));
    for (const char* const known : {"foundation = 1e6", "wall = 1e3"}) {
      const std::string line = refusal(ball, fmt::format("{}\n{}", known, key));
      EXPECT_NE(line.find(name + ": found together with"), std::string::npos) << line;
    }
  }
  EXPECT_NE(
      refusal(ball, "foundation = 1e6\nwall = 1e3").find("wall: found together with foundation"),
      std::string::npos);
  EXPECT_NE(refusal(ball, "wall = 1e3\nfriction = { static = 0.5, stiffness = 100.0 }")
                .find("stiffness: found together with"),
            std::string::npos);
  EXPECT_NE(refusal(ball, "wall = 1e3", "[dynamics]\ncontact = \"explicit\"")
                .find("contact.wall: found with contact forces of the start of a step"),
            std::string::npos);
}

// The plate of the points' springs gives way by K D = F: the contact is a spring K in series with
// springs of 100 K a point.
TEST_F(ContactSetStiffness, a_wall_is_its_force_over_the_depth_of_the_tool) {
  constexpr double kWall = 1000.0;
  for (const char* const mesh : {"ball", "box", "bumpy"}) {
    for (const int points : {100, 500, 2000}) {
      const auto probe = make_solids_probe(scene(model(mesh, points), "wall = 1000.0"));
      std::mt19937_64 random(6);
      double largest = 0.0;
      for (int i = 0; i < 20; ++i) {
        const Quaternion turn = i == 0 ? Quaternion::Identity() : any_turn(random);
        Pose pose{{0.0, 0.0, -0.005}, turn};
        // Height of its lowest point over the origin, of which the tool is deep enough here.
        const double lowest = 0.005 - greatest_depth(touch(*probe, pose));
        double last_force = 0.0, last_depth = 0.0;
        for (const double depth : {1e-4, 1e-3, 4e-3}) {
          pose.position.z() = -lowest - depth;
          const ProbedContacts touched = touch(*probe, pose);
          ASSERT_NEAR(greatest_depth(touched), depth, 1e-9);
          const double force = touched.wrench.force.z();
          largest = std::max(largest, std::abs(force / depth / kWall - 1.0));
          if (last_depth > 0.0) {
            EXPECT_NEAR((force - last_force) / (depth - last_depth), kWall, kTolerance * kWall);
          }
          last_force = force;
          last_depth = depth;
          // The derivative, by central differences.
          constexpr double kStep = 1e-7;
          Pose up = pose, down = pose;
          up.position.z() += kStep;
          down.position.z() -= kStep;
          const double slope =
              (touch(*probe, up).wrench.force.z() - touch(*probe, down).wrench.force.z()) /
              (2.0 * kStep);
          EXPECT_NEAR(touched.gradient(2, 2), slope, 0.01 * kWall) << mesh << " " << points;
        }
      }
      EXPECT_LE(largest, kTolerance) << mesh << " " << points;
    }
  }
}

TEST_F(ContactSetStiffness, a_wall_gives_its_force_at_any_rate_and_holds_the_tool_still) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const char* const mesh : {"ball", "box", "bumpy"}) {
      for (const int points : {100, 2000}) {
        for (const char* const law : {"wall = 1000.0", "wall = 1000.0\ndamping = 10.0",
                                      "wall = 1000.0\nfriction = { static = 0.5 }"}) {
          SolidsWorld world(scene(model(mesh, points), law, rate), nullptr);
          WorldOutput output;
          DeviceState hand;
          hand.pose.position.z() = -0.1 + 0.009;
          for (int i = 0; i < static_cast<int>(rate); ++i) {
            ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
          }
          const Pose still = world.poses()[1];
          const auto probe = make_solids_probe(scene(model(mesh, points), law, rate));
          const double depth = greatest_depth(touch(*probe, still));
          ASSERT_GT(depth, 1e-4);
          const auto where = fmt::format("{} Hz {} {} {}", rate, mesh, points, law);
          EXPECT_NEAR(output.contact_wrench.force.z() / depth, 1000.0, kTolerance * 1000.0)
              << where;
          double moved = 0.0;
          for (int i = 0; i < static_cast<int>(0.2 * rate); ++i) {
            ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
            moved = std::max(moved, (world.poses()[1].position - still.position).norm());
          }
          EXPECT_LE(moved, 1e-8) << where;  // m
          EXPECT_LE(state_value(world, "contact/created_energy"), 1e-12) << where;
        }
      }
    }
  }
}

// The set of points changes in every step; the potential does not notice.
TEST_F(ContactSetStiffness, points_that_come_and_go_create_no_energy) {
  for (const char* const law : {"wall = 1000.0", "foundation = 2e6"}) {
    for (const double rate : {250.0, 1000.0, 4000.0}) {
      for (const char* const mesh : {"ball", "bumpy"}) {
        SolidsWorld world(scene(model(mesh, 500), law, rate), nullptr);
        WorldOutput output;
        DeviceState hand;
        double created = 0.0;
        for (int i = 0; i < static_cast<int>(2.0 * rate); ++i) {
          const double t = i / rate;
          hand.pose.position = {0.02 * t, 0.0, -0.1 + 0.018 - 1e-3 * std::sin(3.0 * t)};
          hand.pose.orientation = rotation_exponential({0.0, t, 0.0});
          ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
          created = std::max(created, state_value(world, "contact/created_energy"));
        }
        const double work = state_value(world, "contact/work");
        EXPECT_GT(work, 1e-4);
        EXPECT_LE(created, 1e-9 * work) << law << " " << rate << " " << mesh;
      }
    }
  }
}

// Pulled sideways, the tool slides at the coefficient times the force of the wall.
TEST_F(ContactSetStiffness, a_wall_has_the_friction_of_its_force) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const char* const law : {"wall = 1000.0\nfriction = { static = 0.3 }",
                                  "foundation = 2e6\nfriction = { static = 0.3 }"}) {
      SolidsWorld world(scene(model("box", 500), law, rate), nullptr);
      WorldOutput output;
      DeviceState hand;
      for (int i = 0; i < static_cast<int>(rate); ++i) {
        const double t = i / rate;
        hand.pose.position = {0.02 * std::max(0.0, t - 0.3), 0.0, -0.1 + 0.5 * kSideZ - 3e-3};
        ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
      }
      const Vector3 force = output.contact_wrench.force;
      EXPECT_GT(force.z(), 0.1);
      EXPECT_NEAR(-force.x(), 0.3 * force.z(), 0.01 * force.z()) << rate << " " << law;
    }
  }
}

// A free body sinks in by its weight over the stiffness, and sleeps there.
TEST_F(ContactSetStiffness, a_free_box_sinks_in_by_its_weight_over_the_stiffness) {
  const double weight = 9.81 * 1000.0 * kSideX * kSideY * kSideZ;
  const std::vector<std::pair<std::string, double>> laws = {
      {"wall = 100.0", 100.0}, {"foundation = 1e5", 1e5 * kSideX * kSideY}};
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const auto& [law, stiffness] : laws) {
      folder_->write(
          "free.toml",
          fmt::format("rate_hz = {}\ngravity = [0.0, 0.0, -9.81]\n[[body]]\nname = \"ground\"\n"
                      "shape = \"plane\"\nsize = 0.5\nrole = \"anchored\"\n[[body]]\nname = "
                      "\"tool\"\nmodel = \"{}\"\nrole = \"held\"\nposition = [0.0, 0.0, 1.0]\n"
                      "[[body]]\nname = \"part\"\nmodel = \"{}\"\nrole = \"free\"\nposition = "
                      "[0.0, 0.0, 0.0105]\n[[contact]]\npoints = \"part\"\nfield = \"ground\"\n{}\n"
                      "damping = 20.0\n[dynamics]\nsleep_speed = 1e-3\n",
                      rate, model("ball", 100), model("box", 500), law));
      SolidsWorld world(load_scene(folder_->file("free.toml")), nullptr);
      WorldOutput output;
      for (int i = 0; i < static_cast<int>(4.0 * rate); ++i) {
        ASSERT_EQ(world.step({}, output), WorldStatus::kOk);
      }
      const double depth = 0.5 * kSideZ - world.poses()[2].position.z();
      EXPECT_NEAR(depth, weight / stiffness, kTolerance * weight / stiffness) << rate << " " << law;
      EXPECT_EQ(state_value(world, "contact/asleep"), 1.0) << rate << " " << law;
      EXPECT_LE(state_value(world, "contact/created_energy"), 1e-12);
    }
  }
}

TEST_F(ContactSetStiffness, no_stiffness_per_point_can_be_set_where_there_is_none) {
  SolidsWorld world(scene(model("ball", 100), "wall = 1000.0"), nullptr);
  EXPECT_FALSE(world.set_parameter(kContactStiffness, 200.0));
  EXPECT_EQ(world.parameter(kContactStiffness), 0.0);
  EXPECT_EQ(world.parameters()[kContactStiffness].maximum, 0.0);
}

}  // namespace
}  // namespace haptic::solids
