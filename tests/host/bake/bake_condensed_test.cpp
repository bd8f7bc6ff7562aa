// Bakes of condensed bodies, the figures of haptic verify for them, and the table [condensed].
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "host/artifact/model_attributes.h"
#include "host/bake/bake.h"
#include "host/bake/condensed_body.h"
#include "host/bake/verify.h"
#include "rt/bodies/condensed_model.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/changed_model.h"
#include "tests/host/bake/recipe_fixture.h"
#include "tests/host/mesh/tetrahedral_block.h"
#include "tests/support/condensed_box.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> failed_figures(const std::filesystem::path& model) {
  std::vector<std::string> failed;
  for (const VerifiedFigure& figure : verify_model(model)) {
    if (!figure.passes()) failed.push_back(figure.name);
  }
  return failed;
}

class BakeCondensed : public RecipeFixture {
 protected:
  BakeCondensed() : RecipeFixture("condensed") {}

  template <typename T>
  std::filesystem::path changed(const std::filesystem::path& model, const std::string& section,
                                const std::function<void(std::span<T>)>& change) {
    return changed_model<T>(folder, model, section, change);
  }
};

TEST_F(BakeCondensed, a_cube_is_valid_in_both_precisions_and_each_wrong_section_is_named) {
  CondensedBoxSettings box;
  box.resolution = 5;  // 8 inner nodes
  box.modes = 6;
  for (const bool in_double : {true, false}) {
    box.double_precision = in_double;
    const auto path = folder.file("cube.h5");
    bake_condensed_box(path, box);
    EXPECT_THAT(failed_figures(path), IsEmpty());
    const ModelFile file(path);
    EXPECT_EQ(file.indices("/condensed/nodes").size(), 180u - 8u);
    EXPECT_EQ(file.indices("/mesh/fixed").size(), 36u);
    EXPECT_FALSE(file.has("/reduced/basis"));
    EXPECT_FALSE(file.has("/surface/basis"));
    const ModelAttributes attributes = read_model_attributes(path);
    EXPECT_EQ(number_attribute(attributes, path, "/mesh.lumped_mass"), 1.0);
    EXPECT_EQ(attributes.contains("/condensed.rounding"), !in_double);
    EXPECT_GE(number_attribute(attributes, path, "/provenance.seconds_compliance"), 0.0);
    if (!in_double) {
      EXPECT_LT(number_attribute(attributes, path, "/condensed.rounding"), std::ldexp(1.0, -24));
      EXPECT_LT(number_attribute(attributes, path, "/condensed.contact_force_rounding"), 1e-5);
    }
  }
}

TEST_F(BakeCondensed, each_wrong_section_fails_its_figure) {
  CondensedBoxSettings box;
  box.resolution = 4;
  box.modes = 6;
  const auto path = folder.file("cube.h5");
  bake_condensed_box(path, box);
  const std::size_t s = 3 * ModelFile(path).indices("/condensed/nodes").size();
  const std::string compliance = "/condensed/compliance/double";
  using Doubles = std::span<double>;
  // One entry.
  EXPECT_THAT(
      failed_figures(changed<double>(path, compliance, [&](Doubles C) { C[5 * s + 9] *= 1.0001; })),
      testing::Contains("compliance_symmetry"));
  // Two entries, still symmetric.
  const auto symmetric = [&](double by) {
    return changed<double>(path, compliance, [=](Doubles C) {
      C[5 * s + 9] *= by;
      C[9 * s + 5] *= by;
    });
  };
  EXPECT_THAT(failed_figures(symmetric(1.001)),
              testing::IsSupersetOf({"compliance_products", "compliance_sum"}));
  EXPECT_THAT(failed_figures(symmetric(100.0)), testing::Contains("static_part_semidefinite"));
  // All entries: the compliance of a softer body.
  EXPECT_THAT(failed_figures(changed<double>(path, compliance,
                                             [](Doubles C) {
                                               for (double& c : C) c *= 1.01;
                                             })),
              testing::IsSupersetOf({"compliance_columns", "compliance_products"}));
  // A mode that takes more than the compliance has.
  const auto stiffer =
      changed<double>(path, "/condensed/eigenvalues", [](Doubles l) { l[0] *= 0.99; });
  EXPECT_THAT(failed_figures(stiffer),
              testing::IsSupersetOf(
                  {"condensed_mode_residual", "compliance_sum", "static_part_semidefinite"}));
  EXPECT_THAT(
      failed_figures(changed<double>(path, "/condensed/modes",
                                     [](Doubles U) { U[60] += 0.1 * std::abs(U[60]) + 1.0; })),
      testing::Contains("condensed_mode_orthonormality"));
  // Weights that sum to 1 at another place.
  EXPECT_THAT(failed_figures(changed<double>(path, "/condensed/embedding/weights",
                                             [](Doubles w) {
                                               const std::size_t v = w.size() - 8;
                                               w[v] += 0.01;
                                               w[v + 1] -= 0.01;
                                             })),
              testing::ElementsAre("embedding_patch"));
  // The last node, a corner of the top, becomes the inner one.
  EXPECT_THAT(failed_figures(changed<std::uint32_t>(path, "/condensed/nodes",
                                                    [](std::span<std::uint32_t> nodes) {
                                                      const std::uint32_t inner =
                                                          2 + 5 * (2 + 5 * 2);
                                                      const auto at =
                                                          std::ranges::lower_bound(nodes, inner);
                                                      *at = inner;
                                                    })),
              testing::Contains("condensed_nodes"));
}

// Sedaghat 2011, tables 6-1 and 6-2.
TEST_F(BakeCondensed, the_cube_of_the_text_is_baked_with_its_sizes) {
  CondensedBoxSettings box;
  box.resolution = 7;
  box.modes = 10;
  box.double_precision = false;
  box.poisson_ratio = 0.45;
  bake_condensed_box(folder.file("cube.h5"), box);
  const ModelFile file(folder.file("cube.h5"));
  EXPECT_EQ(file.section("/mesh/elements").shape[0], 343u);
  EXPECT_EQ(3 * file.section("/mesh/vertices").shape[0], 1536u);
  const CondensedModel model = read_condensed_model(file);
  EXPECT_EQ(model.dof(), 1152u);
  EXPECT_EQ(model.mode_count, 10u);
}

constexpr const char* kCondensedBeam = R"([source]
mesh = "beam.obj"
length = 0.2
[mesh]
resolution = 12
[material]
youngs_modulus = 5e4
poisson_ratio = 0.45
density = 1000.0
[constraints]
planes = [{ axis = "x", below = 0.01 }]
[condensed]
modes = 4
)";

std::string condensed_beam(const std::string& from, const std::string& to) {
  std::string text = kCondensedBeam;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(BakeCondensed, the_table_is_read_and_bad_values_are_refused) {
  const Recipe recipe = load(kCondensedBeam);
  ASSERT_TRUE(recipe.condensed);
  EXPECT_FALSE(recipe.reduction);
  EXPECT_EQ(recipe.condensed->modes, 4);
  EXPECT_EQ(recipe.condensed->precision, CompliancePrecision::kSingle);
  EXPECT_EQ(
      load(condensed_beam("modes = 4", "modes = 4\nprecision = \"double\"")).condensed->precision,
      CompliancePrecision::kDouble);
  const std::string constraints = "[constraints]\nplanes = [{ axis = \"x\", below = 0.01 }]\n";
  EXPECT_THAT(refusal(condensed_beam(constraints, "")),
              HasSubstr("found no constraint for a body with [condensed]"));
  EXPECT_THAT(refusal(condensed_beam("modes = 4", "modes = 0")), HasSubstr("condensed.modes"));
  EXPECT_THAT(refusal(condensed_beam("modes = 4", "")), HasSubstr("condensed.modes"));
  EXPECT_THAT(refusal(condensed_beam("modes = 4", "modes = 4\nprecision = \"half\"")),
              HasSubstr("condensed.precision"));
  EXPECT_THAT(refusal(condensed_beam("modes = 4", "mode = 4")), HasSubstr("mode"));
  EXPECT_THAT(refusal(condensed_beam("resolution = 12", "resolution = 12\nmass = \"consistent\"")),
              HasSubstr("found without [reduction]: the mass of [condensed] is lumped"));
  EXPECT_THAT(refusal(condensed_beam("density = 1000.0", "density = 1000.0\neditable = false")),
              HasSubstr("material.editable: found without [reduction]"));
  EXPECT_THAT(refusal(condensed_beam(constraints,
                                     "[reduction]\nlinear_modes = 4\ndimension = 4\n"
                                     "free = true\n")),
              HasSubstr("found for a body with reduction.free"));
}

TEST_F(BakeCondensed, more_modes_than_degrees_of_freedom_and_loose_bodies_are_refused_by_the_bake) {
  const auto bake_refusal = [&](const std::string& text) -> std::string {
    folder.write("r.toml", text);
    try {
      folder.bake("r.toml", "r.h5");
    } catch (const InputError& error) {
      return error.what();
    }
    return "baked";
  };
  EXPECT_THAT(bake_refusal(condensed_beam("modes = 4", "modes = 20000")),
              HasSubstr("r.toml: condensed.modes: found 20000, expected at most"));
  // One fixed vertex leaves three rotations.
  EXPECT_THAT(
      bake_refusal(condensed_beam("planes = [{ axis = \"x\", below = 0.01 }]", "vertices = [0]")),
      HasSubstr("r.toml: constraints: found 3 free rigid motions"));
}

TEST_F(BakeCondensed, a_body_can_be_condensed_and_reduced_with_groups_and_touch) {
  folder.write("r.toml", condensed_beam("[constraints]", R"([[material.group]]
name = "tip"
youngs_modulus = 2e5
density = 1500.0
plane = { axis = "x", above = 0.15 }
[reduction]
linear_modes = 4
dimension = 6
[shell]
points = 200
levels = 2
[constraints])"));
  const auto path = folder.bake("r.toml", "r.h5");
  EXPECT_THAT(failed_figures(path), IsEmpty());
  const ModelFile file(path);
  EXPECT_EQ(file.reduced_dimension(), 6u);
  EXPECT_EQ(file.material_groups(), 2u);
  EXPECT_EQ(read_condensed_model(file).mode_count, 4u);
  // Stored stages give the same file.
  for (const char* model : {"a.h5", "b.h5"}) {
    StageProgress quiet(nullptr);
    bake(load_recipe(folder.file("r.toml")), folder.file(model), quiet, {folder.file("r.bake")});
    EXPECT_EQ(ModelFile(folder.file(model)).content_hash(), file.content_hash()) << model;
  }
}

TEST_F(BakeCondensed, tetrahedra_are_condensed_with_four_corners_a_vertex) {
  const TetrahedralMesh block = tetrahedral_block(6, 4, 4, 0.025, 0.0);
  std::string nodes = std::to_string(block.vertices.size()) + " 3 0 0\n";
  for (std::size_t v = 0; v < block.vertices.size(); ++v) {
    const Vector3& x = block.vertices[v];
    nodes += fmt::format("{} {} {} {}\n", v, x[0], x[1], x[2]);
  }
  std::string elements = std::to_string(block.tetrahedra.size()) + " 4 0\n";
  for (std::size_t e = 0; e < block.tetrahedra.size(); ++e) {
    const auto& c = block.tetrahedra[e];
    elements += fmt::format("{} {} {} {} {}\n", e, c[0], c[1], c[2], c[3]);
  }
  folder.write("block.node", nodes);
  folder.write("block.ele", elements);
  std::string text = condensed_beam("[mesh]\nresolution = 12\n", "[mesh]\nfile = \"block.ele\"\n");
  text.replace(0, text.find("[mesh]"), "");
  folder.write("r.toml", text);
  const auto path = folder.bake("r.toml", "r.h5");
  EXPECT_THAT(failed_figures(path), IsEmpty());
  const ModelFile file(path);
  const CondensedModel model = read_condensed_model(file);
  EXPECT_EQ(3 * model.vertex_count(), model.vertices.size());
  for (std::size_t i = 0; i < model.embedding_nodes.size(); ++i) {
    if (i % 8 < 4) continue;
    ASSERT_EQ(model.embedding_nodes[i], CondensedModel::kFixedNode);
    ASSERT_EQ(model.embedding_weights[i], 0.0);
  }
}

TEST_F(BakeCondensed, every_attribute_of_a_condensed_file_is_documented) {
  folder.write("r.toml", kCondensedBeam);
  std::ifstream page(HAPTIC_SOURCE_DIR "/docs/artifact.md");
  std::stringstream text;
  text << page.rdbuf();
  for (const auto& [name, value] : read_model_attributes(folder.bake("r.toml", "r.h5"))) {
    if (!name.starts_with("/condensed.")) continue;
    EXPECT_THAT(text.str(), HasSubstr("`" + name.substr(name.find('.') + 1) + "`"));
  }
}

}  // namespace
}  // namespace haptic
