#include "host/sampling/point_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "host/sampling/point_shell_builder.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class PointFileTest : public testing::Test {
 protected:
  PointFileTest()
      : path(std::filesystem::path(testing::TempDir()) /
             ("haptic_points_" + std::to_string(getpid()) + ".txt")),
        surface(box_mesh(Vector3::Zero(), Vector3(0.2, 0.1, 0.1))) {}
  ~PointFileTest() override { std::filesystem::remove(path); }

  FilePoints read(const std::string& text, const Placement& placement = {}) {
    std::ofstream(path) << text;
    return read_point_file(path, placement, surface);
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path path;
  SurfaceDistance surface;
};

TEST_F(PointFileTest, points_with_and_without_normals) {
  const FilePoints found = read("# a shell\n0.1 0.1 0.05  0 -1 0\n\n0.2 0.05 0.05 # no normal\n");
  ASSERT_EQ(found.points.size(), 2U);
  EXPECT_EQ(found.points[0], Vector3(0.1, 0.1, 0.05));
  EXPECT_EQ(found.normals[0], Vector3(0, -1, 0));
  EXPECT_TRUE(found.normals[1].isZero());
}

TEST_F(PointFileTest, coordinates_are_those_of_the_mesh_file) {
  const FilePoints found = read("-40 0 0\n", {.scale = 0.001, .shift = Vector3(0.04, 0.05, 0.05)});
  EXPECT_NEAR((found.points[0] - Vector3(0.0, 0.05, 0.05)).norm(), 0.0, 1e-15);
  // A file that is up along z; its normals are turned with its points.
  Placement turned;
  turned.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  const FilePoints upright = read("0.1 -0.05 0.1  0 0 -1\n", turned);
  EXPECT_EQ(upright.points[0], Vector3(0.1, 0.1, 0.05));
  EXPECT_EQ(upright.normals[0], Vector3(0, -1, 0));
}

TEST_F(PointFileTest, bad_lines_are_refused_with_file_and_line) {
  EXPECT_THAT(refusal("0 0 0\n0.1 0.1 0.05 0 -2 0\n"),
              HasSubstr("line 2: found a normal of length 2"));
  EXPECT_THAT(refusal("0.1 0.1 0.05 0 0 0\n"), HasSubstr("found a normal of length 0"));
  EXPECT_THAT(refusal("0 0 0\n\n0.1 0.1 0.05 0 1 0\n"),
              HasSubstr("line 3: found a normal that faces outward, expected inward normals"));
  EXPECT_THAT(refusal("0.1 0.2 0.05\n"), HasSubstr("line 1: found a point 0.1 m from the surface"));
  EXPECT_THAT(refusal("0 0\n"), HasSubstr("found 2 words"));
  EXPECT_THAT(refusal("0 0 0 1\n"), HasSubstr("found 4 words"));
  EXPECT_THAT(refusal("0 0 x\n"), HasSubstr("line 1: found \"x\""));
  EXPECT_THAT(refusal("0 0 nan\n"), HasSubstr("a finite number"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("found no point"));
  std::filesystem::remove(path);
  EXPECT_THROW(read_point_file(path, {}, surface), InputError);
}

TEST_F(PointFileTest, a_shell_from_a_file_gets_farthest_point_levels) {
  std::string text;
  for (int i = 0; i <= 20; ++i) {
    for (int j = 1; j <= 9; ++j) {
      text += std::to_string(0.01 * i) + " 0.1 " + std::to_string(0.01 * j) + " 0 -1 0\n";
    }
  }
  std::ofstream(path) << text;
  PointShellSettings settings;
  settings.method = ShellMethod::kFile;
  settings.points = 0;
  settings.points_file = path;
  const SampledShell shell = build_point_shell(surface, settings);
  EXPECT_EQ(shell.level_end, (std::vector<std::uint32_t>{8, 72, 189}));
  for (const Vector3& n : shell.normals) EXPECT_EQ(n, Vector3(0, -1, 0));
  // Points in the order of the file would have the finest spacing in every level.
  EXPECT_GT(shell.spacing[0].mean, 3.0 * shell.spacing[2].mean);
  settings.levels = 3;
  EXPECT_EQ(build_point_shell(surface, settings).level_end.size(), 3U);
  settings.levels = 9;
  EXPECT_THROW(build_point_shell(surface, settings), InputError);
}

}  // namespace
}  // namespace haptic
