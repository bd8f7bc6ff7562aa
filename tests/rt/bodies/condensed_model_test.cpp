#include "rt/bodies/condensed_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/artifact/model_writer.h"
#include "shared/error.h"
#include "tests/support/condensed_box.h"

namespace haptic {
namespace {

using testing::HasSubstr;

/// The sections of a model, as vectors that a test changes.
struct Sections {
  std::vector<std::uint32_t> fixed = {2, 5}, nodes = {0, 3}, embedding_nodes;
  std::vector<double> compliance, modes, eigenvalues = {4.0, 9.0}, damping = {0.1, 0.2};
  std::vector<double> weights;
  bool with_compliance = true;

  Sections() : embedding_nodes(24, 1), compliance(36, 0.0), modes(12, 0.5), weights(24, 0.125) {
    for (std::size_t i = 0; i < 6; ++i) compliance[7 * i] = 1.0 + static_cast<double>(i);
    embedding_nodes[3] = CondensedModel::kFixedNode;
  }
  void write(const std::filesystem::path& path) const {
    ModelWriter writer(path);
    writer.add("/surface/vertices", std::vector<double>(9, 0.5), {3, 3});
    writer.add("/surface/triangles", std::vector<std::uint32_t>{0, 1, 2}, {1, 3});
    writer.add("/mesh/vertices", std::vector<double>(18, 0.5), {6, 3});
    writer.add("/mesh/fixed", fixed, {fixed.size()});
    writer.add("/condensed/nodes", nodes, {nodes.size()});
    if (with_compliance) writer.add("/condensed/compliance/double", compliance, {6, 6});
    writer.add("/condensed/modes", modes, {6, 2});
    writer.add("/condensed/eigenvalues", eigenvalues, {2});
    writer.add("/condensed/damping", damping, {2});
    writer.add("/condensed/embedding/nodes", embedding_nodes, {3, 8});
    writer.add("/condensed/embedding/weights", weights, {3, 8});
    writer.commit();
  }
};

class CondensedModelTest : public testing::Test {
 protected:
  CondensedModelTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("haptic_condensed_" + std::to_string(getpid()))),
        path(folder_ / "m.h5") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~CondensedModelTest() override { std::filesystem::remove_all(folder_); }

  std::string refusal(const std::function<void(Sections&)>& change) {
    Sections sections;
    change(sections);
    sections.write(path);
    const ModelFile file(path);
    try {
      read_condensed_model(file);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("m.h5: /"));
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path folder_;

 protected:
  std::filesystem::path path;
};

TEST_F(CondensedModelTest, views_have_the_sizes_of_the_sections) {
  Sections().write(path);
  const ModelFile file(path);
  const CondensedModel model = read_condensed_model(file);
  EXPECT_EQ(model.dof(), 6u);
  EXPECT_EQ(model.compliance.full.size(), 36u);
  EXPECT_TRUE(model.compliance.single.empty());
  EXPECT_EQ(model.mode_count, 2u);
  EXPECT_EQ(model.modes.size(), 12u);
  EXPECT_EQ(model.vertex_count(), 3u);
  EXPECT_EQ(model.triangle_count(), 1u);
  EXPECT_EQ(model.damping.alpha, 0.1);
  EXPECT_EQ(model.damping.beta, 0.2);
  EXPECT_EQ(model.embedding_nodes[3], CondensedModel::kFixedNode);
}

TEST_F(CondensedModelTest, contradictions_are_refused_with_section_found_and_expected) {
  EXPECT_EQ(refusal([](Sections&) {}), "accepted");
  EXPECT_THAT(refusal([](Sections& s) { s.with_compliance = false; }),
              HasSubstr("/condensed/compliance: missing, expected the model of a recipe with"));
  EXPECT_THAT(refusal([](Sections& s) { s.compliance[14] = -2.0; }),
              HasSubstr("found -2 m/N on the diagonal at row 2, expected numbers > 0"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.nodes = {3, 0};
              }),
              HasSubstr("/condensed/nodes: found 0 after 3, expected ascending vertices"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.nodes = {0, 5};
              }),
              HasSubstr("/condensed/nodes: found the fixed vertex 5, expected free vertices"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.eigenvalues = {9.0, 4.0};
              }),
              HasSubstr("/condensed/eigenvalues: found 4 after 9, expected ascending"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.eigenvalues = {0.0, 4.0};
              }),
              HasSubstr("/condensed/eigenvalues: found 0 after 0"));
  EXPECT_THAT(refusal([](Sections& s) { s.damping[1] = -0.1; }),
              HasSubstr("/condensed/damping: found 0.1, -0.1, expected two numbers >= 0"));
  EXPECT_THAT(refusal([](Sections& s) { s.weights[9] = 0.25; }),
              HasSubstr("/condensed/embedding/weights: found the sum 1.125 of surface vertex 1"));
}

TEST_F(CondensedModelTest, a_baked_cube_has_one_mode_shape_per_column_and_a_symmetric_compliance) {
  for (const bool in_double : {true, false}) {
    CondensedBoxSettings box;
    box.resolution = 3;
    box.modes = 4;
    box.double_precision = in_double;
    bake_condensed_box(path, box);
    const ModelFile file(path);
    const CondensedModel model = read_condensed_model(file);
    // 4^3 nodes, 4^2 of them fixed; the inner element has no node of its own.
    ASSERT_EQ(model.dof(), 3u * 48u);
    EXPECT_EQ(model.mode_count, 4u);
    EXPECT_EQ(model.compliance.full.empty(), !in_double);
    const auto at = [&](std::size_t i, std::size_t j) {
      const std::size_t index = i * model.dof() + j;
      return in_double ? model.compliance.full[index]
                       : static_cast<double>(model.compliance.single[index]);
    };
    for (std::size_t i = 0; i < model.dof(); ++i) {
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(at(i, j), at(j, i));
    }
    // A mode is softer than C: u.C^-1 u / u.M u. Its own statics: C must contain U L^-1 U^T.
    for (std::size_t i = 0; i < model.dof(); ++i) {
      double part = 0.0;
      for (std::size_t k = 0; k < 4; ++k) {
        part += model.modes[4 * i + k] * model.modes[4 * i + k] / model.eigenvalues[k];
      }
      EXPECT_LT(part, at(i, i) * (1.0 + 1e-6));
    }
  }
}

}  // namespace
}  // namespace haptic
