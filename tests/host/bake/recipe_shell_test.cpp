// The keys of [shell]: the baked shells, their figures in verify, and the refused values.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "host/artifact/model_attributes.h"
#include "host/bake/bake.h"
#include "host/bake/verify.h"
#include "shared/artifact/model_file.h"
#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ShellTest : public RecipeFixture {
 protected:
  ShellTest() : RecipeFixture("shell") {}

  static std::string ball(const std::string& shell, const std::string& mesh = "ball.obj") {
    return fmt::format(
        "[source]\nmesh = \"{}\"\nlength = 0.04\n[material]\ndensity = 1000.0\n[shell]\n{}\n"
        "[field]\nresolution = 32\n",
        mesh, shell);
  }
  std::filesystem::path baked(const std::string& text) {
    folder.write("r.toml", text);
    return folder.bake("r.toml", "r.h5");
  }
  static std::vector<std::string> failures(const std::filesystem::path& model) {
    std::vector<std::string> failed;
    for (const VerifiedFigure& figure : verify_model(model)) {
      if (!figure.passes()) failed.push_back(figure.name + " " + std::to_string(figure.value));
    }
    return failed;
  }
  /// The line of a refusal while baking.
  std::string bake_refusal(const std::string& text) {
    try {
      baked(text);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "baked";
  }
  void write_plate() const {
    folder.write("plate.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
  }
};

TEST_F(ShellTest, every_method_gives_a_valid_model) {
  for (const char* shell :
       {"method = \"repulsion\"\npoints = 850\nlevels = 3\narea_weights = true",
        "method = \"repulsion\"\nfirst_level = 40\nlevels = 3",
        "method = \"random\"\npoints = 500\nfirst_level = 60", "method = \"vertices\"",
        "method = \"voxels\"\nspacing = 0.002\nlevels = 3",
        "method = \"depth\"\nspacing = 0.002\nlevels = 3", "points = 500"}) {
    const auto path = baked(ball(shell));
    EXPECT_THAT(failures(path), IsEmpty()) << shell;
    EXPECT_GT(number_attribute(read_model_attributes(path), path, "/shell.spacing_mean_m"), 0.0);
  }
}

TEST_F(ShellTest, attributes_and_weights_describe_the_shell) {
  const auto path =
      baked(ball("method = \"repulsion\"\npoints = 850\nlevels = 3\narea_weights = true"));
  const ModelFile model(path);
  const auto weights = model.floats("/shell/weights");
  ASSERT_EQ(weights.size(), 850U);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0) / 850.0, 1.0, 1e-5);
  // n_1 = 3 * 850 / 63, four times as many new points a level.
  const auto levels = model.indices("/shell/tree/level_begin");
  EXPECT_EQ(std::vector<std::uint32_t>(levels.begin(), levels.end()),
            (std::vector<std::uint32_t>{0, 40, 240, 1090}));
  const ModelAttributes attributes = read_model_attributes(path);
  EXPECT_EQ(text_attribute(attributes, "/shell.method", ""), "repulsion");
  EXPECT_LE(number_attribute(attributes, path, "/shell.spacing_variation"), 0.12);
  EXPECT_FALSE(ModelFile(baked(ball("points = 300"))).has("/shell/weights"));
}

TEST_F(ShellTest, thin_structures_are_touched_from_both_sides) {
  write_plate();
  std::string recipe = ball(
      "method = \"repulsion\"\npoints = 1300\nlevels = 3\noffset_resolution = 64", "plate.obj");
  const auto path = baked(recipe.insert(recipe.find("[material]"), "open = true\n"));
  EXPECT_THAT(failures(path), IsEmpty());
  const ModelAttributes attributes = read_model_attributes(path);
  const double offset = number_attribute(attributes, path, "/shell.offset_m");
  EXPECT_NEAR(offset, 1.4 * 1.5 * 0.04 / 64, 1e-9);
  const ModelFile model(path);
  const auto points = model.floats("/shell/points"), normals = model.floats("/shell/normals");
  int above = 0, below = 0;
  for (std::size_t s = 0; s < points.size(); s += 3) {
    if (points[s] < 0.002f || points[s] > 0.038f || points[s + 1] < 0.002f ||
        points[s + 1] > 0.038f) {
      continue;  // the round rim
    }
    EXPECT_LT(normals[s + 2] * points[s + 2], 0.0f) << "inward from either side";
    EXPECT_NEAR(std::abs(points[s + 2]), offset, 1e-4 * 0.04);
    ++(points[s + 2] > 0.0f ? above : below);
  }
  EXPECT_GT(above, 300);
  EXPECT_NEAR(above, below, 0.1 * above);
}

TEST_F(ShellTest, a_closed_mesh_takes_the_offset_route_if_asked) {
  const auto path =
      baked(ball("method = \"repulsion\"\npoints = 500\noffset = true\n"
                 "offset_voxels = 2.0\noffset_resolution = 32"));
  EXPECT_THAT(failures(path), IsEmpty());
  const ModelAttributes attributes = read_model_attributes(path);
  EXPECT_EQ(text_attribute(attributes, "/field.route", ""), "offset");
  EXPECT_NEAR(number_attribute(attributes, path, "/shell.offset_m"), 2.0 * 1.5 * 0.04 / 32, 1e-9);
}

TEST_F(ShellTest, points_are_read_from_a_file) {
  // The ball's mesh file is in metres, 0.04 across, about the origin.
  std::string text = "# of another program\n";
  const ModelFile model(baked(ball("points = 200")));
  const auto points = model.floats("/shell/points"), normals = model.floats("/shell/normals");
  for (std::size_t s = 0; s < points.size(); s += 3) {
    text += fmt::format("{} {} {} {} {} {}\n", points[s], points[s + 1], points[s + 2], normals[s],
                        normals[s + 1], normals[s + 2]);
  }
  folder.write("points.txt", text);
  const auto path = baked(ball("points_file = \"points.txt\"\nlevels = 3"));
  EXPECT_THAT(failures(path), IsEmpty());
  EXPECT_EQ(ModelFile(path).section("/shell/points").shape[0], 200U);
  EXPECT_EQ(text_attribute(read_model_attributes(path), "/shell.method", ""), "file");

  folder.write("points.txt", "0.02 0 0 -1 0 0\n0 0.02 0 0 1 0\n");
  EXPECT_THAT(bake_refusal(ball("points_file = \"points.txt\"")),
              HasSubstr("points.txt: line 2: found a normal that faces outward"));
  folder.write("points.txt", "0.02 0 0 -1.1 0 0\n");
  EXPECT_THAT(bake_refusal(ball("points_file = \"points.txt\"")),
              HasSubstr("points.txt: line 1: found a normal of length 1.1"));
  EXPECT_THAT(bake_refusal(ball("points_file = \"none.txt\"")), HasSubstr("none.txt"));
}

// The areas of the points are in every model; the weights are the same stage.
TEST_F(ShellTest, changed_weights_keep_every_stage) {
  const std::string plain = ball("method = \"repulsion\"\npoints = 500");
  const auto made = [&](const std::string& text) {
    folder.write("r.toml", text);
    StageProgress quiet(nullptr);
    bake(load_recipe(folder.file("r.toml")), folder.file("r.h5"), quiet, {folder.file("r.bake")});
    std::vector<std::string> names;
    for (const StageCost& cost : quiet.costs()) {
      if (!cost.kept && cost.name != "write") names.push_back(cost.name);
    }
    return names;
  };
  made(plain);
  EXPECT_THAT(made(ball("method = \"repulsion\"\npoints = 500\narea_weights = true")),
              testing::IsEmpty());
  EXPECT_THAT(made(ball("method = \"repulsion\"\npoints = 500\nseed = 2")),
              testing::ElementsAre("shell", "weights", "tree"));
}

TEST_F(ShellTest, bad_keys_are_refused) {
  const std::pair<const char*, const char*> cases[] = {
      {"points = 0", "shell.points: found 0, expected an integer from 1 to 4000000"},
      {"method = \"repulsion\"", "shell.points: missing"},
      {"method = \"repulsive\"\npoints = 10", "shell.method: found \"repulsive\""},
      {"method = \"repulsion\"\npoints = 10\nlevels = 5", "shell.levels: found 5 for 10 points"},
      {"points = 10\nlevels = 5", "shell.levels: found 5 for 10 points"},
      {"method = \"repulsion\"\nfirst_level = 1000\nlevels = 9",
       "shell.levels: found 9 from 1000 points"},
      {"method = \"repulsion\"\npoints = 100\nfirst_level = 10\nlevels = 2",
       "shell.points: found together with \"levels\" and \"first_level\""},
      {"points = 100\nfirst_level = 10\nlevels = 2",
       "shell.first_level: found together with \"levels\""},
      {"points = 100\nfirst_level = 101", "shell.first_level: found 101 of 100 points"},
      {"method = \"depth\"", "shell.spacing: missing"},
      {"method = \"depth\"\npoints = 10\nspacing = 0.1",
       "shell.points: found together with method"},
      {"method = \"voxels\"\nspacing = 0", "shell.spacing: found 0, expected a number > 0 [m]"},
      {"points = 10\nspacing = 0.1", "shell.spacing: found for method \"farthest-point\""},
      {"points_file = \"a.txt\"\nmethod = \"random\"",
       "shell.method: found together with \"points_file\""},
      {"points_file = \"a.txt\"\npoints = 3", "shell.points: found together with \"points_file\""},
      {"points = 10\noffset_resolution = 100", "shell.offset_resolution: found 100"},
      {"points = 10\noffset_voxels = 0.1", "shell.offset_voxels: found 0.1"},
      {"points = 10\narea_weight = true", "did you mean \"area_weights\"?"},
  };
  for (const auto& [shell, expected] : cases) {
    EXPECT_THAT(refusal(ball(shell)), HasSubstr(expected)) << shell;
  }
}

}  // namespace
}  // namespace haptic
