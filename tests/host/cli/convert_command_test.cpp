// haptic convert, haptic probe vertex and the ways of haptic view, through the built executable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rt/dynamics/surface_vertices.h"
#include "shared/artifact/model_file.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class ConvertCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new BakingFolder("convert");
    folder->bake("beam.toml", "beam.h5");
    folder->bake("ball.toml", "ball.h5");
  }
  static void TearDownTestSuite() {
    delete folder;
    folder = nullptr;
  }
  static Finished run(const std::string& arguments) {
    return folder->shell(HAPTIC_EXECUTABLE " " + arguments);
  }

  static BakingFolder* folder;
};

BakingFolder* ConvertCommand::folder = nullptr;

TEST_F(ConvertCommand, a_baked_model_survives_conversion_to_vegafem_and_back) {
  folder->write(
      "published.toml",
      beam_recipe("resolution = 24", "resolution = 24\ncells = \"full\"\nelements = \"full\""));
  folder->bake("published.toml", "published.h5");
  const Finished out = run("convert published.h5 --vega vega --json");
  ASSERT_EQ(out.code, 0) << out.error;
  EXPECT_TRUE(nlohmann::json::parse(out.out).contains("notes"));
  const Finished back = run(
      "convert vega/published.veg --bou vega/published.bou --basis vega/published.U --cubic "
      "vega/published.cub --surface vega/published.obj --interp vega/published.interp -o again.h5");
  ASSERT_EQ(back.code, 0) << back.error;
  EXPECT_THAT(back.out, HasSubstr("the basis is mass-orthonormal"));
  EXPECT_THAT(back.out, HasSubstr("agrees with mesh, material and basis"));
  EXPECT_EQ(run("verify again.h5").code, 0);
  EXPECT_EQ(run("inspect again.h5").code, 0);
}

TEST_F(ConvertCommand, a_body_of_cut_voxels_becomes_another_one_and_says_so) {
  const Finished out = run("convert beam.h5 --vega cut");
  ASSERT_EQ(out.code, 0) << out.error;
  EXPECT_THAT(out.out, HasSubstr("larger, heavier and stiffer than the model"));
  const Finished back = run(
      "convert cut/beam.veg --bou cut/beam.bou --basis cut/beam.U --cubic cut/beam.cub -o back.h5");
  ASSERT_EQ(back.code, 0) << back.error;
  EXPECT_THAT(back.out, HasSubstr("agrees with mesh, material and basis"));
}

TEST_F(ConvertCommand, bad_usage_and_bad_files_are_one_line_and_exit_code_2) {
  for (const char* arguments :
       {"convert beam.h5", "convert beam.h5 -o x.h5", "convert ball.h5 --vega out",
        "convert none.veg --basis x.U -o x.h5", "convert beam.h5 --name x"}) {
    const Finished refused = run(arguments);
    EXPECT_EQ(refused.code, 2) << arguments;
    EXPECT_FALSE(refused.error.empty()) << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(folder->file("x.h5")));
}

TEST_F(ConvertCommand, single_vertices_are_probed) {
  const ModelFile model(folder->file("beam.h5"));
  std::vector<double> q(model.reduced_dimension(), 0.0);
  q[0] = 0.001;
  folder->write("q.json", nlohmann::json{{"q", q}}.dump());
  const Finished probed = run("probe vertex beam.h5 --state q.json --vertex 3 1");
  ASSERT_EQ(probed.code, 0) << probed.error;
  const nlohmann::json vertices = nlohmann::json::parse(probed.out)["vertices"];
  ASSERT_EQ(vertices.size(), 2u);
  const Vector3 expected = SurfaceVertices(model).position(3, q);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(vertices[0]["position_m"][static_cast<std::size_t>(axis)].get<double>(),
              expected[axis]);
  }
  EXPECT_EQ(run("probe vertex beam.h5 --state q.json --vertex 99999999").code, 2);
}

TEST_F(ConvertCommand, view_draws_by_shader_by_cpu_and_by_strain) {
  folder->write("scene.toml",
                "rate_hz = 1000\n[[body]]\nname = \"beam\"\nmodel = \"beam.h5\"\nrole = "
                "\"anchored\"\n[[body]]\nname = \"ball\"\nmodel = \"ball.h5\"\nrole = \"held\"\n"
                "position = [0.18, 0.0, 0.02]\n");
  for (const char* way : {"", " --cpu", " --half", " --colour strain", " --colour stress"}) {
    const Finished drawn =
        run(std::string("view --scene scene.toml --width 64 --height 48 --png a.png") + way);
    EXPECT_EQ(drawn.code, 0) << way << drawn.error;
    EXPECT_TRUE(std::filesystem::remove(folder->file("a.png"))) << way;
  }
  EXPECT_EQ(run("view --scene scene.toml --png a.png --colour strain --cpu").code, 2);
  EXPECT_EQ(run("view --scene scene.toml --png a.png --colour shade").code, 2);
}

}  // namespace
}  // namespace haptic
