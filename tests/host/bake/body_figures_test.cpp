#include "host/bake/body_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/artifact/body_lines.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A cantilever of 0.2 x 0.02 x 0.03 m, E = 5e4 Pa: Euler and Bernoulli's tip stiffness in its soft
// direction is 0.375 N/m for 0.2 m, 0.437 N/m for the 0.19 m that are free.
TEST(BodyFigures, are_those_of_the_object) {
  const BakingFolder folder("figures");
  const ModelAttributes attributes = read_model_attributes(folder.bake("beam.toml", "beam.h5"));
  const auto number = [&](const char* name) {
    return number_attribute(attributes, folder.file("beam.h5"), std::string("/body.") + name);
  };
  EXPECT_NEAR(number("mass_kg"), 0.12, 1e-9);
  EXPECT_NEAR(number("surface_mass_kg"), 0.12, 1e-12);
  EXPECT_EQ(text_attribute(attributes, "/body.centre_m", ""), "0.1 0 0");
  EXPECT_EQ(text_attribute(attributes, "/body.inertia_kg_m2", ""),
            "1.3e-05 0.000409 0.000404 0 0 0");
  EXPECT_NEAR(number("voxel_m"), 0.2 * 1.001 / 24, 1e-12);
  EXPECT_NEAR(number("thinnest_wall_m"), 0.02, 1e-12);
  // Point loads dimple besides, which the basis has a part of.
  EXPECT_NEAR(number("stiffness_N_m"), 0.437, 0.03);
  const std::vector<std::string> lines = body_lines(attributes);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_THAT(lines[0], StartsWith("size     0.2 x 0.02 x 0.03 m, in its file 0.2 x 0.02 x 0.03;"));
  EXPECT_EQ(lines[1], "mass     0.12 kg (its surface 0.12 kg)");
  EXPECT_THAT(lines[4], StartsWith("walls    2.4 voxels of 0.00834 m"));
  EXPECT_THAT(lines[6], HasSubstr("N/m at its softest place, (0.2, "));
}

TEST(BodyFigures, a_rigid_body_has_none) {
  const BakingFolder folder("figures_rigid");
  EXPECT_THAT(body_lines(read_model_attributes(folder.bake("ball.toml", "ball.h5"))), IsEmpty());
}

SolidBody voxels_of(const TriangleMesh& mesh, std::uint32_t resolution) {
  return solid_of_voxels(voxelize(mesh, {.resolution = resolution}));
}

TEST(DiscretisationWarnings, name_thin_walls_gaps_and_mass) {
  SourceSurface source;
  source.mesh = make_shape("beam", {});
  source.unit_rigid = rigid_properties(source.mesh, 1.0);
  SurfaceGaps gaps;
  gaps.wall = ThinnestPlace{0.02, Vector3(0.1, 0.01, 0.0)};
  gaps.gap = ThinnestPlace{0.005, Vector3(0.2, 0.0, 0.0)};
  // 2.4 and 0.6 voxels; whole voxels of 3 x 4 in place of 2.4 x 3.6.
  EXPECT_THAT(discretisation_warnings({}, gaps, source, voxels_of(source.mesh, 24)),
              ElementsAre(HasSubstr("voxels bridge a gap of 0.6 voxels at (0.2, 0, 0) m"),
                          HasSubstr("weighs 1.39 times")));
  gaps.gap.reset();
  EXPECT_THAT(discretisation_warnings({}, gaps, source, voxels_of(source.mesh, 12)),
              ElementsAre(HasSubstr("the thinnest wall has 1.2 voxels at (0.1, 0.01, 0) m"),
                          HasSubstr("weighs 1.86 times")));
  // Both sides are whole numbers of voxels.
  EXPECT_THAT(discretisation_warnings({}, gaps, source, voxels_of(source.mesh, 40)), IsEmpty());
}

TEST(DiscretisationWarnings, name_fixed_regions_of_few_voxels) {
  SourceSurface source;
  source.mesh = make_shape("beam", {});
  source.unit_rigid = rigid_properties(source.mesh, 1.0);
  Recipe recipe;  // voxels of 5 mm
  recipe.constraints.spheres = {{Vector3::Zero(), 0.0101}, {Vector3::Zero(), 0.0075}};
  recipe.constraints.cylinders = {{Vector3::Zero(), Vector3::UnitX(), 0.005}};
  recipe.constraints.patches = {{Vector3::Zero(), 0.009}};
  EXPECT_THAT(discretisation_warnings(recipe, {}, source, voxels_of(source.mesh, 40)),
              ElementsAre(HasSubstr("constraints.spheres[1] has a radius of 1.5 voxels"),
                          HasSubstr("constraints.patches[0] has a radius of 1.8 voxels"),
                          HasSubstr("constraints.cylinders[0] has a radius of 1 voxels")));
}

TEST(DiscretisationWarnings, name_borders_of_materials_within_voxels) {
  SourceSurface source;
  source.mesh = make_shape("beam", {});
  source.unit_rigid = rigid_properties(source.mesh, 1.0);
  // 5 mm, from the lower corner on
  const SolidBody solid =
      solid_of_voxels(voxelize(source.mesh, {.resolution = 40, .enlargement = 1.0}));
  const auto lines = [&](const ElementSelection& selection) {
    Recipe recipe;
    recipe.groups.push_back({"body", Material{1e6, 0.3, 1000.0}, {}, {}, "material"});
    recipe.groups.push_back(
        {"core", Material{1e7, 0.3, 1000.0}, {}, selection, "material.group[0]"});
    return discretisation_warnings(recipe, {}, source, solid);
  };
  const auto named = ElementsAre(HasSubstr(
      "material.group[0] \"core\" ends inside voxels, and each voxel has one material: its "
      "border is off by up to half a voxel, 0.0025 m;"));
  using Side = PlaneConstraint::Side;
  EXPECT_THAT(lines(PlaneConstraint{1, Side::kBelow, 0.01}), IsEmpty());
  EXPECT_THAT(lines(PlaneConstraint{1, Side::kBelow, 0.011}), named);
  EXPECT_THAT(lines(PlaneConstraint{1, Side::kBelow, 0.021}), IsEmpty());  // beyond the body
  EXPECT_THAT(lines(BoxConstraint{Vector3(0.05, -1, 0), Vector3(0.1, 1, 0.03)}), IsEmpty());
  EXPECT_THAT(lines(BoxConstraint{Vector3(0.05, 0, 0), Vector3(0.1, 0.02, 0.028)}), named);
  EXPECT_THAT(lines(SphereConstraint{Vector3(0.1, 0.01, 0.01), 0.01}), named);
  EXPECT_THAT(lines(PhysicalGroup{"core"}), IsEmpty());
}

TEST(DiscretisationWarnings, name_walls_of_few_tetrahedra) {
  const SolidMesh box = make_tetrahedral_box_mesh(20, 2, 3, 0.01, Material{1e6, 0.3, 1000.0});
  TetrahedralMesh mesh;
  for (int v = 0; v < box.vertex_count(); ++v) mesh.vertices.push_back(box.vertex(v));
  for (int e = 0; e < box.element_count(); ++e) {
    const auto ids = box.element(e);
    mesh.tetrahedra.push_back({ids[0], ids[1], ids[2], ids[3]});
  }
  const SolidBody solid = solid_of_tetrahedra(mesh);
  Recipe recipe;
  recipe.groups.push_back({"", Material{1e6, 0.3, 1000.0}, {}, {}, ""});
  SurfaceGaps gaps;
  gaps.wall = ThinnestPlace{0.02, Vector3(0.1, 0.01, 0.0)};
  // (3.3 + 2.3 lambda/E) / 4 with lambda/E = 0.577; the FEM has 98 %.
  EXPECT_THAT(discretisation_warnings(recipe, gaps, {}, solid),
              ElementsAre(AllOf(HasSubstr("about 2 linear tetrahedra at (0.1, 0.01, 0) m"),
                                HasSubstr("by some 116 %"))));
  gaps.wall->thickness = 0.08;
  EXPECT_THAT(discretisation_warnings(recipe, gaps, {}, solid), IsEmpty());
}

TEST(SoftestPlace, is_where_a_force_moves_most) {
  // Two coordinates of stiffness 4 and 1; the second vertex moves with the soft one by 3.
  const std::vector<float> basis = {1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0};
  const std::vector<double> quadratic = {4, 0, 1};
  const SoftestPlace softest = softest_place(basis, quadratic, 2);
  EXPECT_EQ(softest.point, 1U);
  EXPECT_NEAR(softest.stiffness, 1.0 / 9.0, 1e-15);
}

}  // namespace
}  // namespace haptic
