#include "host/view/scene_renderer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "host/artifact/model_writer.h"
#include "host/view/deformed_surface.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr std::array<double, 24> kCube = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                          0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
constexpr std::array<std::uint32_t, 36> kFaces = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7,
                                                  0, 1, 5, 0, 5, 4, 2, 3, 7, 2, 7, 6,
                                                  0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5};

/// A unit cube whose single coordinate shears the top along x.
class SceneRendererTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-view-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    model_ = folder_ / "cube.h5";
    ModelWriter writer(model_);
    writer.add("/surface/vertices", std::span<const double>(kCube), {8, 3});
    writer.add("/surface/triangles", std::span<const std::uint32_t>(kFaces), {12, 3});
    std::array<float, 24> basis{};
    for (std::size_t v = 0; v < 8; ++v) basis[3 * v] = static_cast<float>(kCube[3 * v + 1]);
    writer.add("/surface/basis", std::span<const float>(basis), {24, 1});
    writer.commit();
  }
  void TearDown() override { fs::remove_all(folder_); }

  FrameBody body(double q) const { return {"cube", model_, Pose{}, {q}}; }

  fs::path folder_, model_;
};

int differing_pixels(const Image& a, const Image& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) {
    count += a.rgb[i] != b.rgb[i] || a.rgb[i + 1] != b.rgb[i + 1] || a.rgb[i + 2] != b.rgb[i + 2];
  }
  return count;
}

TEST_F(SceneRendererTest, surface_is_the_rest_surface_plus_basis_times_coordinates_then_the_pose) {
  FrameBody sheared = body(0.5);
  sheared.pose.position = Vector3(0.0, 0.0, 2.0);
  sheared.pose.orientation =
      Quaternion(std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0);  // 90 deg about y
  const DisplaySurface surface = deformed_surface(ModelFile(model_), sheared);
  // Vertex 6 = (1,1,1) shears to (1.5,1,1), turns to (1,1,-1.5), moves to (1,1,0.5).
  bool found = false;
  for (Eigen::Index c = 0; c < surface.positions.rows(); ++c) {
    const Eigen::RowVector3f p = surface.positions.row(c);
    found = found || (p - Eigen::RowVector3f(1.0F, 1.0F, 0.5F)).norm() < 1e-5F;  // float rounding
    EXPECT_NEAR(surface.normals.row(c).norm(), 1.0F, 1e-5F);
  }
  EXPECT_TRUE(found);
}

TEST_F(SceneRendererTest, a_box_keeps_its_sharp_edges) {
  const DisplaySurface surface = deformed_surface(ModelFile(model_), body(0.0));
  for (Eigen::Index c = 0; c < surface.normals.rows(); ++c) {
    EXPECT_NEAR(surface.normals.row(c).cwiseAbs().maxCoeff(), 1.0F, 1e-6F);
  }
}

TEST_F(SceneRendererTest, coordinates_of_another_model_are_refused) {
  FrameBody wrong = body(0.0);
  wrong.coordinates = {0.0, 0.0};
  EXPECT_THROW(deformed_surface(ModelFile(model_), wrong), InputError);
}

TEST_F(SceneRendererTest,
       deformation_and_force_are_seen_and_the_same_frame_gives_the_same_picture) {
  RenderSettings settings;
  settings.width = 200;
  settings.height = 150;
  SceneRenderer renderer(settings);
  const Image rest = renderer.draw({{body(0.0)}, std::nullopt, Vector3::Zero()});
  ASSERT_EQ(rest.rgb.size(), 3u * 200 * 150);
  const Image again = renderer.draw({{body(0.0)}, std::nullopt, Vector3::Zero()});
  EXPECT_EQ(differing_pixels(rest, again), 0);
  const Image sheared = renderer.draw({{body(0.4)}, std::nullopt, Vector3::Zero()});
  // The silhouette moves by a fifth of the cube's width: far more than 2 % of the image changes.
  EXPECT_GT(differing_pixels(rest, sheared), 600);
  const Image pushed = renderer.draw({{body(0.0)}, Vector3(0.0, 5.0, 0.0), Vector3(0.5, 1.0, 0.5)});
  EXPECT_GT(differing_pixels(rest, pushed), 600);
}

TEST_F(SceneRendererTest, a_slice_cuts_its_own_body_open_and_no_other) {
  RenderSettings settings;
  settings.width = 200;
  settings.height = 150;
  SceneRenderer renderer(settings);
  FrameBody beside = body(0.0);
  beside.pose.position = Vector3(3.0, 0.0, 0.0);
  SceneFrame frame{{body(0.0), beside}, std::nullopt, Vector3::Zero()};
  const Image whole = renderer.draw(frame);
  frame.slice.emplace();
  frame.slice->corner = Vector3(0.0, 0.0, 0.5);
  frame.slice->across = Vector3::UnitX();
  frame.slice->upwards = Vector3::UnitY();
  frame.slice->columns = frame.slice->rows = 2;
  frame.slice->range = 1.0;
  frame.slice->distance = {2.0F, 2.0F, 2.0F, 2.0F};  // beyond the range: not seen
  const Image cut = renderer.draw(frame);
  int left = 0, right = 0;
  for (int i = 0; i < 200 * 150; ++i) {
    const auto at = 3 * static_cast<std::size_t>(i);
    const bool same = whole.rgb[at] == cut.rgb[at] && whole.rgb[at + 1] == cut.rgb[at + 1];
    (i % 200 < 100 ? left : right) += same ? 0 : 1;
  }
  EXPECT_GT(left, 200);  // the front half of a cube that is more than 30 pixels wide
  EXPECT_EQ(right, 0);   // the other cube, the floor and its shadow
}

TEST_F(SceneRendererTest, a_png_is_written_whole_or_not_at_all) {
  const Image image{2, 1, {255, 0, 0, 0, 0, 255}};
  const fs::path picture = folder_ / "two.png";
  write_png(image, picture);
  std::ifstream file(picture, std::ios::binary);
  std::string signature(8, '\0');
  file.read(signature.data(), 8);
  EXPECT_EQ(signature, "\x89PNG\r\n\x1a\n");
  EXPECT_THROW(write_png(image, folder_ / "missing" / "two.png"), OperationError);
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
}

TEST_F(SceneRendererTest, sizes_and_missing_models_are_refused) {
  RenderSettings settings;
  settings.width = 0;
  EXPECT_THROW(SceneRenderer{settings}, InputError);
  SceneRenderer renderer({64, 64, 0.0, 0.0});
  EXPECT_THROW(
      renderer.draw({{{"no", folder_ / "no.h5", Pose{}, {}}}, std::nullopt, Vector3::Zero()}),
      InputError);
}

}  // namespace
}  // namespace haptic
