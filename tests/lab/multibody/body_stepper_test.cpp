// A stack whose bodies touch face to face: the largest stable step of the implicit method over that
// of symplectic Euler.
#include "lab/multibody/body_stepper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "lab/experiments/made_scene.h"
#include "lab/experiments/stack_run.h"
#include "shared/artifact/model_file.h"

namespace haptic {
namespace {

/// Five cubes of 20 mm and 8 g on the ground and on each other. The points of each face touch the
/// field of the body below, all at once.
class ConformingStack : public testing::Test {
 protected:
  static constexpr int kCubes = 5;
  static constexpr double kSide = 0.02, kDensity = 1000.0;  // m, kg/m^3
  static constexpr double kStiffness = 1e4;                 // N/m per point
  static constexpr double kDuration = 0.3;                  // s
  static constexpr std::size_t kLowest = 2;                 // among the bodies

  static void SetUpTestSuite() {
    MadeScene files(folder());
    files.add_file("cube.toml", fmt::format(R"([source]
mesh = "box.obj"
length = {}
[material]
density = {}
[field]
resolution = 32
[shell]
points = 300
)",
                                            kSide, kDensity));
    files.bake({"cube"});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }
  static std::filesystem::path folder() {
    return std::filesystem::path(testing::TempDir()) /
           ("conforming_stack" + std::to_string(getpid()));
  }
  /// Places of the points, frame of the cube [m].
  static std::vector<Vector3> points() {
    const ModelFile file(folder() / "cube.h5");
    const std::span<const float> values = file.floats("/shell/points");
    std::vector<Vector3> points;
    for (std::size_t i = 0; i < values.size(); i += 3) {
      points.emplace_back(values[i], values[i + 1], values[i + 2]);
    }
    return points;
  }
  static double lowest_point() {
    double y = 0.0;
    for (const Vector3& p : points()) y = std::min(y, p.y());
    return y;
  }
  static Scene scene(double dt) {
    std::string text = ground_scene(1.0 / dt);
    for (int i = 0; i < kCubes; ++i) {
      text += fmt::format(
          "[[body]]\nname = \"cube{}\"\nmodel = \"cube.h5\"\nrole = \"free\"\nposition = [0.0, "
          "{:.17g}, 0.0]\n",
          i, kSide * i - lowest_point());
    }
    for (int i = 0; i < kCubes; ++i) {
      text += fmt::format(
          "[[contact]]\npoints = \"cube{}\"\nfield = \"{}\"\nstiffness = {}\nscaling = \"none\"\n",
          i, i == 0 ? "ground" : fmt::format("cube{}", i - 1), kStiffness);
    }
    return parse_scene(text, folder() / "scene.toml");
  }
  template <class Stepper>
  static bool stands(double dt) {
    Stepper bodies(scene(dt));
    const std::vector<Pose> start(bodies.poses().begin(), bodies.poses().end());
    const double energy = bodies.energy();
    for (long i = std::lround(kDuration / dt); i >= 0; --i) {
      if (!bodies.step() || bodies.energy() > (1.0 + StackRun::kGain) * energy) return false;
    }
    for (std::size_t i = kLowest; i < start.size(); ++i) {
      const double moved = (bodies.poses()[i].position - start[i].position).norm();
      if (!(moved < 0.05 * kSide)) return false;
    }
    return true;
  }
};

TEST_F(ConformingStack, stands_with_implicit_steps_more_than_five_times_the_explicit_ones) {
  const auto face = std::ranges::count_if(
      points(), [](const Vector3& p) { return p.y() < lowest_point() + 0.01 * kSide; });
  ASSERT_GT(face, 20);
  constexpr double kMaxLength = 0.1;  // s
  const double symplectic = largest_stable_step(1e-4, kMaxLength, stands<ExplicitStepper>);
  const double implicit = largest_stable_step(1e-3, kMaxLength, stands<ImplicitStepper>);
  RecordProperty("explicit", std::to_string(symplectic));
  RecordProperty("implicit", std::to_string(implicit));
  // The stack as a chain of masses and springs: 2 / w of its fastest motion up and down. Faces that
  // part leave softer springs, and the pressed edges of one that leans are stiffer for its turn.
  const double k = kStiffness * static_cast<double>(face), m = kDensity * std::pow(kSide, 3);
  const double fastest = std::sin((2 * kCubes - 1) * std::numbers::pi / (2 * (2 * kCubes + 1)));
  const double limit = 1.0 / (std::sqrt(k / m) * fastest);
  EXPECT_GT(symplectic, 0.5 * limit);
  EXPECT_LT(symplectic, 2.0 * limit);
  EXPECT_GE(implicit, 5.0 * symplectic);
}

}  // namespace
}  // namespace haptic
