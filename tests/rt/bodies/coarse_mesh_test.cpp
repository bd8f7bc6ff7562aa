#include "rt/bodies/coarse_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "host/artifact/model_writer.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class CoarseMesh : public testing::Test {
 protected:
  CoarseMesh() : folder_(model_folder("coarse_mesh")) {}
  ~CoarseMesh() override { std::filesystem::remove_all(folder_); }

  /// One element, scaled.
  ModelFile element(bool tetrahedron, double edge) {
    std::vector<double> vertices;
    std::vector<std::uint32_t> corners;
    if (tetrahedron) {
      vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    } else {
      vertices = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    }
    for (double& x : vertices) x *= edge;
    for (std::uint32_t i = 0; i < vertices.size() / 3; ++i) corners.push_back(i);
    const std::filesystem::path path = folder_ / "element.h5";
    ModelWriter writer(path);
    writer.add("/mesh/vertices", vertices, {corners.size(), 3});
    writer.add(tetrahedron ? "/mesh/tetrahedra" : "/mesh/elements", corners, {1, corners.size()});
    writer.commit();
    return ModelFile(path);
  }

  std::filesystem::path folder_;
};

TEST_F(CoarseMesh, its_length_is_the_edge_of_an_element) {
  for (const bool tetrahedron : {false, true}) {
    EXPECT_NEAR(element_length(element(tetrahedron, 0.004)), 0.004, 1e-15);
  }
}

TEST_F(CoarseMesh, is_named_where_the_tool_is_smaller_than_an_element) {
  const ModelFile model = element(false, 0.004);
  EXPECT_FALSE(coarse_mesh_warning("jelly", model, 0.0041));
  const auto line = coarse_mesh_warning("jelly", model, 0.0039);
  ASSERT_TRUE(line);
  EXPECT_THAT(*line, HasSubstr("body \"jelly\": its elements of 4 mm are larger than the tool in "
                               "the hand, 3.9 mm in radius"));
  EXPECT_THAT(*line, HasSubstr("bake element.h5 with a larger [mesh] resolution"));
}

TEST_F(CoarseMesh, a_model_without_a_simulation_mesh_is_never_named) {
  const std::filesystem::path path = folder_ / "ball.h5";
  write_ball(path, 0.01);
  EXPECT_EQ(element_length(ModelFile(path)), 0.0);
  EXPECT_FALSE(coarse_mesh_warning("ball", ModelFile(path), 1e-6));
}

}  // namespace
}  // namespace haptic
