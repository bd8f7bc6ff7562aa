// Whole bakes of every kind of body that a recipe can ask for; each model holds against itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/artifact/model_attributes.h"
#include "host/bake/bake.h"
#include "host/bake/verify.h"
#include "host/fem/solid_mesh.h"
#include "host/vega/basis_file.h"
#include "host/vega/vega_mesh.h"
#include "host/vega/vertex_list.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A block of 8 x 3 x 2 cubes of 2 cm, whole or cut into tetrahedra, as a .veg file.
void write_block(const std::filesystem::path& path, bool tetrahedra) {
  const Material material{.youngs_modulus = 5e4, .poisson_ratio = 0.4, .density = 1000.0};
  const SolidMesh mesh = tetrahedra ? make_tetrahedral_box_mesh(8, 3, 2, 0.02, material)
                                    : make_box_mesh(8, 3, 2, 0.02, material);
  VegaMesh vega;
  vega.vertices.assign(mesh.vertices().begin(), mesh.vertices().end());
  vega.corners_per_element = mesh.corners_per_element();
  vega.elements.assign(mesh.elements().begin(), mesh.elements().end());
  vega.materials = {{.name = "soft", .orthotropy = {}}};
  vega.element_material.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  write_veg(path, vega);
}

constexpr const char* kBlock = R"([mesh]
file = "block.veg"
[material]
youngs_modulus = 5e4
poisson_ratio = 0.4
density = 1000.0
[constraints]
planes = [{ axis = "x", below = 0.001 }]
[reduction]
linear_modes = 4
dimension = 8
[shell]
points = 200
)";

class BodiesTest : public testing::Test {
 protected:
  BodiesTest() : folder("bodies") { write_block(folder.file("block.veg"), false); }
  static std::string block(const std::string& from, const std::string& to) {
    std::string text = kBlock;
    return text.replace(text.find(from), from.size(), to);
  }
  /// Bakes and demands that every figure of `haptic verify` holds.
  std::filesystem::path baked(const std::string& recipe) {
    folder.write("r.toml", recipe);
    const auto path = folder.bake("r.toml", "r.h5");
    for (const VerifiedFigure& figure : verify_model(path)) {
      EXPECT_TRUE(figure.passes()) << figure.name << " " << figure.value << " > " << figure.limit;
    }
    return path;
  }
  std::string refusal(const std::string& recipe) {
    folder.write("r.toml", recipe);
    try {
      folder.bake("r.toml", "bad.h5");
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "baked";
  }
  BakingFolder folder;
};

TEST_F(BodiesTest, cubes_and_tetrahedra_of_a_file) {
  {
    const ModelFile cubes(baked(kBlock));
    EXPECT_EQ(cubes.section("/mesh/elements").shape[0], 48u);
    // Mass of the block: 0.16 x 0.06 x 0.04 m of 1000 kg/m^3; numbers of 17 digits in the file.
    EXPECT_NEAR(cubes.doubles("/rigid/mass")[0], 0.384, 1e-12);
  }
  write_block(folder.file("block.veg"), true);
  const ModelFile tetrahedra(baked(kBlock));
  EXPECT_EQ(tetrahedra.section("/mesh/tetrahedra").shape[0], 288u);
  EXPECT_FALSE(tetrahedra.has("/mesh/elements"));
  EXPECT_NEAR(tetrahedra.doubles("/rigid/mass")[0], 0.384, 1e-12);
}

TEST_F(BodiesTest, groups_of_materials_and_viscosity) {
  const auto path = baked(block("[constraints]", R"(viscosity = [2.0, 3.0]
[[material.group]]
name = "tip"
youngs_modulus = 2e5
density = 3000
plane = { axis = "x", above = 0.08 }
[constraints])"));
  const ModelFile model(path);
  EXPECT_EQ(model.material_groups(), 2u);
  EXPECT_EQ(model.section("/reduced/groups/quartic").shape[0], 4u);
  EXPECT_EQ(model.section("/reduced/viscous/quadratic").shape[0], 36u * 37u / 2u);
  const auto names = model.bytes("/material/names");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(names.data() + 32)), "tip");
  // Half the block three times as heavy: mass, and centre of mass, of two halves.
  EXPECT_NEAR(model.doubles("/rigid/mass")[0], 2.0 * 0.384, 1e-12);
  EXPECT_NEAR(model.doubles("/rigid/centre")[0], 0.25 * 0.04 + 0.75 * 0.12, 1e-12);
  const ModelAttributes attributes = read_model_attributes(path);
  EXPECT_EQ(number_attribute(attributes, path, "/reduced.viscosity_psi_Pa_s"), 3.0);
  EXPECT_FALSE(attributes.contains("/mesh.youngs_modulus_Pa"));
}

TEST_F(BodiesTest, an_anisotropic_body) {
  const ModelFile model(baked(block("youngs_modulus = 5e4\npoisson_ratio = 0.4",
                                    "elasticity = [9e4, 1e4, 1e4, 0, 0, 0, 5e4, 1e4, 0, 0, 0, "
                                    "5e4, 0, 0, 0, 3e4, 0, 0, 2e4, 0, 2e4]")));
  EXPECT_EQ(model.doubles("/material/elasticity")[0], 9e4);
  EXPECT_EQ(model.doubles("/material/lame")[1], 0.0);
}

TEST_F(BodiesTest, a_body_whose_material_stays_has_no_groups) {
  const ModelFile model(baked(block("[constraints]", "editable = false\n[constraints]")));
  EXPECT_FALSE(model.has("/reduced/groups/quartic"));
  EXPECT_FALSE(model.has("/material/lame"));
}

TEST_F(BodiesTest, a_free_body) {
  std::string text = block("dimension = 8", "dimension = 8\nfree = true");
  const std::string held = "[constraints]\nplanes = [{ axis = \"x\", below = 0.001 }]\n";
  text.erase(text.find(held), held.size());
  const auto path = baked(text);
  EXPECT_TRUE(ModelFile(path).indices("/mesh/fixed").empty());
  EXPECT_EQ(number_attribute(read_model_attributes(path), path, "/reduced.free"), 1.0);
}

TEST_F(BodiesTest, modes_alone_and_all_derivatives) {
  EXPECT_EQ(ModelFile(baked(block("dimension = 8", "basis = \"modes\""))).reduced_dimension(), 4u);
  EXPECT_EQ(
      ModelFile(baked(block("dimension = 8", "basis = \"full_derivatives\""))).reduced_dimension(),
      14u);
}

TEST_F(BodiesTest, coefficients_in_single_precision_are_said_with_their_error) {
  folder.write("r.toml", block("dimension = 8", "dimension = 8\nstorage = \"float\""));
  StageProgress progress(nullptr);
  bake(load_recipe(folder.file("r.toml")), folder.file("r.h5"), progress);
  EXPECT_THAT(progress.notes(), testing::Contains(HasSubstr("coefficients as float")));
  EXPECT_EQ(ModelFile(folder.file("r.h5")).coefficient_size(), 4u);
}

TEST_F(BodiesTest, a_basis_and_constraints_of_files) {
  const ModelFile first(baked(kBlock));
  const auto& shape = first.section("/reduced/basis").shape;
  write_basis(folder.file("b.U"), shape[0], shape[1], first.doubles("/reduced/basis"));
  write_bou(folder.file("f.bou"), first.indices("/mesh/fixed"));
  std::string text = block("dimension = 8", "basis = \"file\"\nbasis_file = \"b.U\"");
  text.replace(text.find("planes ="), 40, "file = \"f.bou\"");
  const std::vector<std::uint32_t> fixed(first.indices("/mesh/fixed").begin(),
                                         first.indices("/mesh/fixed").end());
  const std::vector<double> basis(first.doubles("/reduced/basis").begin(),
                                  first.doubles("/reduced/basis").end());
  const ModelFile again(baked(text));
  EXPECT_TRUE(std::equal(fixed.begin(), fixed.end(), again.indices("/mesh/fixed").begin()));
  // Orthonormal already, so Gram-Schmidt moves it by rounding only.
  for (std::size_t i = 0; i < basis.size(); ++i) {
    ASSERT_NEAR(again.doubles("/reduced/basis")[i], basis[i], 1e-10);
  }
  folder.write("f.bou", "1\n");
  EXPECT_THAT(refusal(text), HasSubstr("free rigid motions"));
  write_bou(folder.file("f.bou"), std::vector<std::uint32_t>{0, 1, 2, 3, 9, 10, 20, 30, 40});
  EXPECT_THAT(refusal(text), HasSubstr("moves a fixed vertex"));
}

TEST_F(BodiesTest, bad_volume_meshes_are_refused) {
  EXPECT_THAT(refusal(block("block.veg", "none.veg")), HasSubstr("none.veg"));
  EXPECT_THAT(refusal(block("block.veg", "block.vtk")), HasSubstr("block.vtk"));
  folder.write("bad.msh", "$MeshFormat\n9.9 0 8\n");
  EXPECT_THAT(refusal(block("block.veg", "bad.msh")), HasSubstr("bad.msh"));
}

}  // namespace
}  // namespace haptic
