#include "host/window/picking.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "host/artifact/model_writer.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A square in the plane y = 0 from (0, 0) to (1, 1); its one coordinate lifts x = 1.
class PickingTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-picking-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    constexpr std::array<double, 12> kX = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1};
    constexpr std::array<std::uint32_t, 6> kFaces = {0, 2, 1, 0, 3, 2};
    std::array<float, 12> basis{};
    basis[4] = basis[7] = 1.0F;
    ModelWriter writer(folder_ / "square.h5");
    writer.add("/surface/vertices", std::span<const double>(kX), {4, 3});
    writer.add("/surface/triangles", std::span<const std::uint32_t>(kFaces), {2, 3});
    writer.add("/surface/basis", std::span<const float>(basis), {12, 1});
    writer.commit();
  }
  void TearDown() override { fs::remove_all(folder_); }

  FrameBody square(double y, double q) const {
    Pose pose;
    pose.position = Vector3(0.0, y, 0.0);
    return {"square", folder_ / "square.h5", pose, {q}};
  }

  fs::path folder_;
};

ViewRay down_at(double x, double z) {
  return {Vector3(x, 10.0, z), -Vector3::UnitY()};
}

TEST_F(PickingTest, a_point_of_a_bent_surface_has_its_place_at_rest) {
  const auto picked =
      pick({{square(0.5, 0.2)}, std::nullopt, Vector3::Zero()}, down_at(0.75, 0.25));
  ASSERT_TRUE(picked);
  EXPECT_EQ(picked->body, 0u);
  // y = 0.5 + 0.2 x; float rounding of the surface.
  EXPECT_NEAR((picked->world - Vector3(0.75, 0.65, 0.25)).norm(), 0.0, 1e-6);
  EXPECT_NEAR((picked->rest - Vector3(0.75, 0.0, 0.25)).norm(), 0.0, 1e-6);
}

TEST_F(PickingTest, the_nearest_of_two_bodies_is_picked) {
  const SceneFrame frame{{square(0.0, 0.0), square(1.0, 0.0)}, std::nullopt, Vector3::Zero()};
  EXPECT_EQ(pick(frame, down_at(0.3, 0.3))->body, 1u);
  const ViewRay from_below{Vector3(0.3, -10.0, 0.3), Vector3::UnitY()};
  EXPECT_EQ(pick(frame, from_below)->body, 0u);
}

TEST_F(PickingTest, beside_and_behind_there_is_nothing) {
  const SceneFrame frame{{square(0.0, 0.0)}, std::nullopt, Vector3::Zero()};
  EXPECT_FALSE(pick(frame, down_at(1.01, 0.5)));
  EXPECT_FALSE(pick(frame, {Vector3(0.5, 10.0, 0.5), Vector3::UnitY()}));
  EXPECT_FALSE(pick(frame, {Vector3(-1.0, 0.0, 0.5), Vector3::UnitX()}));  // edge on
  EXPECT_FALSE(pick(SceneFrame{}, down_at(0.5, 0.5)));
}

TEST_F(PickingTest, a_model_that_is_gone_is_told) {
  EXPECT_THROW(pick({{{"no", folder_ / "no.h5", Pose{}, {}}}, std::nullopt, Vector3::Zero()},
                    down_at(0.5, 0.5)),
               InputError);
}

}  // namespace
}  // namespace haptic
