// Complete bakes of every kind of body that a recipe can describe; each model passes haptic verify.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "host/artifact/model_attributes.h"
#include "host/bake/bake.h"
#include "host/bake/verify.h"
#include "host/fem/solid_mesh.h"
#include "host/formats/basis_file.h"
#include "host/formats/vega_mesh.h"
#include "host/formats/vertex_list.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A block of 8 x 3 x 2 cubes of 2 cm, whole or cut into tetrahedra.
VegaMesh block_mesh(bool tetrahedra) {
  const Material material{.youngs_modulus = 5e4, .poisson_ratio = 0.4, .density = 1000.0};
  const SolidMesh mesh = tetrahedra ? make_tetrahedral_box_mesh(8, 3, 2, 0.02, material)
                                    : make_box_mesh(8, 3, 2, 0.02, material);
  VegaMesh vega;
  vega.vertices.assign(mesh.vertices().begin(), mesh.vertices().end());
  vega.corners_per_element = mesh.corners_per_element();
  vega.elements.assign(mesh.elements().begin(), mesh.elements().end());
  return vega;
}

/// The same as a .veg file without materials.
void write_block(const std::filesystem::path& path, bool tetrahedra) {
  write_veg(path, block_mesh(tetrahedra));
}

/// The same with the materials of the recipe in groups_of_materials_and_viscosity.
void write_block_of_two(const std::filesystem::path& path) {
  VegaMesh vega = block_mesh(false);
  vega.materials = {{.name = "base", .youngs_modulus = 5e4, .poisson_ratio = 0.4, .orthotropy = {}},
                    {.name = "tip",
                     .density = 3000.0,
                     .youngs_modulus = 2e5,
                     .poisson_ratio = 0.4,
                     .orthotropy = {}}};
  for (std::size_t e = 0; e < vega.element_count(); ++e) {
    vega.element_material.push_back(vega.vertices[3 * vega.elements[8 * e]] > 0.07);
  }
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

constexpr const char* kLaw =
    "[material]\nyoungs_modulus = 5e4\npoisson_ratio = 0.4\ndensity = 1000.0\n";

constexpr const char* kPlane = "planes = [{ axis = \"x\", below = 0.001 }]";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class BodiesTest : public testing::Test {
 protected:
  BodiesTest() : folder("bodies") { write_block(folder.file("block.veg"), false); }
  static std::string block(const std::string& from, const std::string& to) {
    std::string text = kBlock;
    return text.replace(text.find(from), from.size(), to);
  }
  /// Bakes and requires that every figure of `haptic verify` passes.
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

TEST_F(BodiesTest, cubes_and_tetrahedra_are_read_from_a_file) {
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

std::vector<double> copy_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

TEST_F(BodiesTest, materials_of_a_file_are_those_of_the_body) {
  const std::string tip = R"([[material.group]]
name = "tip"
youngs_modulus = 2e5
density = 3000
plane = { axis = "x", above = 0.08 }
[constraints])";
  folder.write("s.toml", block("[constraints]", tip));
  const ModelFile by_recipe(folder.bake("s.toml", "s.h5"));

  write_block_of_two(folder.file("block.veg"));
  const ModelFile by_file(baked(block(kLaw, "")));
  EXPECT_EQ(by_file.material_groups(), 2u);
  for (const char* section : {"/material/lame", "/material/density", "/reduced/eigenvalues",
                              "/reduced/quartic", "/rigid/mass", "/rigid/centre"}) {
    EXPECT_EQ(copy_of(by_file.doubles(section)), copy_of(by_recipe.doubles(section))) << section;
  }
  const auto names = by_file.bytes("/material/names");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(names.data() + 32)), "tip");
  // Values that are not in the file are those of the recipe.
  const ModelFile fixed(
      baked(block(kLaw, "[material]\neditable = false\nviscosity = [2.0, 3.0]\n")));
  EXPECT_FALSE(fixed.has("/reduced/groups/quartic"));
  EXPECT_TRUE(fixed.has("/reduced/viscous/quadratic"));
}

TEST_F(BodiesTest, a_rigid_body_has_the_mass_of_its_file) {
  write_block_of_two(folder.file("block.veg"));
  const ModelFile model(baked("[mesh]\nfile = \"block.veg\"\n[shell]\npoints = 200\n"));
  EXPECT_NEAR(model.doubles("/rigid/mass")[0], 2.0 * 0.384, 1e-12);
  EXPECT_NEAR(model.doubles("/rigid/centre")[0], 0.25 * 0.04 + 0.75 * 0.12, 1e-12);
}

TEST_F(BodiesTest, materials_are_those_of_the_recipe_or_of_the_file) {
  EXPECT_THAT(refusal(block(kLaw, "")),
              HasSubstr("r.toml: material: missing, and block.veg has no *MATERIAL"));
  EXPECT_THAT(refusal(block(kLaw, "[material]\ndamping_ratios = [0.1, 0.1]\n")),
              HasSubstr("material: missing, and block.veg has no *MATERIAL"));
  write_block_of_two(folder.file("block.veg"));
  EXPECT_THAT(refusal(kBlock),
              HasSubstr("r.toml:4: material.youngs_modulus: found together with the 2 materials of "
                        "block.veg"));
  EXPECT_THAT(refusal(block(kLaw,
                            "[material]\ndensity = 900.0\nyoungs_modulus = 1.0\n"
                            "poisson_ratio = 0.1\n")),
              HasSubstr("together with the 2 materials of block.veg"));
}

TEST_F(BodiesTest, a_changed_material_of_a_file_repeats_the_dependent_stages) {
  write_block_of_two(folder.file("block.veg"));
  // The materials in a separate file.
  const std::string text = folder.read("block.veg");
  const std::size_t at = text.find("*MATERIAL");
  folder.write("block.veg", text.substr(0, at) + "*INCLUDE materials.txt\n");
  std::string materials = text.substr(at);
  folder.write("materials.txt", materials);
  folder.write("r.toml", block(kLaw, ""));
  const auto energy = [&] {
    StageProgress quiet(nullptr);
    bake(load_recipe(folder.file("r.toml")), folder.file("r.h5"), quiet, {folder.file("r.bake")});
    return ModelFile(folder.file("r.h5")).doubles("/reduced/eigenvalues")[0];
  };
  const double soft = energy();
  EXPECT_EQ(energy(), soft);
  for (const char* modulus : {"50000,", "200000,"}) {
    materials.replace(materials.find(modulus), std::string(modulus).size(),
                      modulus[0] == '5' ? "100000," : "400000,");
  }
  folder.write("materials.txt", materials);
  EXPECT_NEAR(energy() / soft, 2.0, 1e-6);
}

TEST_F(BodiesTest, an_anisotropic_body) {
  const ModelFile model(baked(block("youngs_modulus = 5e4\npoisson_ratio = 0.4",
                                    "elasticity = [9e4, 1e4, 1e4, 0, 0, 0, 5e4, 1e4, 0, 0, 0, "
                                    "5e4, 0, 0, 0, 3e4, 0, 0, 2e4, 0, 2e4]")));
  EXPECT_EQ(model.doubles("/material/elasticity")[0], 9e4);
  EXPECT_EQ(model.doubles("/material/lame")[1], 0.0);
}

TEST_F(BodiesTest, a_body_of_constant_material_has_no_groups) {
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

TEST_F(BodiesTest, coefficients_in_single_precision_are_reported_with_their_error) {
  folder.write("r.toml", block("dimension = 8", "dimension = 8\nstorage = \"float\""));
  StageProgress progress(nullptr);
  bake(load_recipe(folder.file("r.toml")), folder.file("r.h5"), progress);
  EXPECT_THAT(progress.notes(), testing::Contains(HasSubstr("coefficients as float")));
  EXPECT_EQ(ModelFile(folder.file("r.h5")).coefficient_size(), 4u);
}

TEST_F(BodiesTest, a_basis_and_constraints_are_read_from_files) {
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

/// Text of a Gmsh file whose nodes have the tags 1, 2, ...
std::string gmsh_of(const std::vector<std::array<double, 3>>& vertices,
                    const std::vector<std::array<std::uint32_t, 4>>& tetrahedra) {
  std::string text =
      fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", vertices.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    text += fmt::format("{} {} {} {}\n", v + 1, vertices[v][0], vertices[v][1], vertices[v][2]);
  }
  text += fmt::format("$EndNodes\n$Elements\n{}\n", tetrahedra.size());
  for (std::size_t e = 0; e < tetrahedra.size(); ++e) {
    text += fmt::format("{} 4 0", e + 1);
    for (const std::uint32_t v : tetrahedra[e]) text += fmt::format(" {}", v + 1);
    text += "\n";
  }
  return text + "$EndElements\n";
}

/// The block of tetrahedra at several places, each a separate piece, between nodes that no
/// tetrahedron uses.
std::string gmsh_blocks(const std::vector<double>& at, std::size_t before = 0,
                        std::size_t after = 0) {
  const VegaMesh block = block_mesh(true);
  std::vector<std::array<double, 3>> vertices(before, {7.0, 7.0, 7.0});
  std::vector<std::array<std::uint32_t, 4>> tetrahedra;
  for (const double x : at) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    for (std::size_t v = 0; v < block.vertex_count(); ++v) {
      vertices.push_back(
          {x + block.vertices[3 * v], block.vertices[3 * v + 1], block.vertices[3 * v + 2]});
    }
    for (std::size_t e = 0; e < block.element_count(); ++e) {
      const std::uint32_t* c = &block.elements[4 * e];
      tetrahedra.push_back({first + c[0], first + c[1], first + c[2], first + c[3]});
    }
  }
  vertices.resize(vertices.size() + after, {8.0, 8.0, 8.0});
  return gmsh_of(vertices, tetrahedra);
}

TEST_F(BodiesTest, vertex_ids_are_those_of_the_file) {
  std::string text = block("block.veg", "block.msh");
  const std::string by_ids = replaced(text, kPlane, "vertices = [0, 9, 36]");
  // Nodes after the last used one shift no id; the model has the vertices that were named.
  folder.write("block.msh", gmsh_blocks({0.0}, 0, 2));
  EXPECT_THAT(ModelFile(baked(by_ids)).indices("/mesh/fixed"), testing::ElementsAre(0, 9, 36));
  // Nodes before it would.
  folder.write("block.msh", gmsh_blocks({0.0}, 2));
  EXPECT_THAT(refusal(by_ids),
              HasSubstr("r.toml: constraints.vertices: found vertex ids, but 2 nodes of block.msh "
                        "(first: 1) belong to no tetrahedron"));
  folder.write("f.bou", "1, 10, 37\n");
  EXPECT_THAT(refusal(replaced(text, kPlane, "file = \"f.bou\"")),
              HasSubstr("r.toml: constraints.file: found vertex ids"));
  EXPECT_THAT(refusal(replaced(text, "dimension = 8",
                               "dimension = 2\nbasis = \"sketch\"\nforces = \"f.csv\"")),
              HasSubstr("r.toml: reduction.forces: found vertex ids"));
  // Selections by place are not affected, and the bake reports the nodes left out.
  folder.write("r.toml", text);
  StageProgress progress(nullptr);
  bake(load_recipe(folder.file("r.toml")), folder.file("r.h5"), progress);
  EXPECT_THAT(
      progress.notes(),
      testing::Contains(
          "mesh: 2 nodes that no tetrahedron uses left out: vertex ids differ from those of "
          "the file"));
  EXPECT_EQ(ModelFile(folder.file("r.h5")).indices("/mesh/fixed").size(), 12u);
}

TEST_F(BodiesTest, parts_that_can_move_by_themselves_are_refused) {
  const std::string text = block("block.veg", "block.msh");
  folder.write("block.msh", gmsh_blocks({0.0, 0.3}));
  EXPECT_THAT(refusal(text), HasSubstr("block.msh: element 288: found in a piece that shares no "
                                       "vertex with the others and is not constrained (288 of 576 "
                                       "elements, 2 pieces)"));
  const std::string free = replaced(replaced(text, "[constraints]\n" + std::string(kPlane), ""),
                                    "dimension = 8", "dimension = 8\nfree = true");
  EXPECT_THAT(refusal(free), HasSubstr("block.msh: element 288: found in a piece that shares no "
                                       "vertex with the others (288 of 576 elements, 2 pieces), "
                                       "expected a body in one piece"));
  // Two vertices of the second piece: it turns about the line through them.
  EXPECT_THAT(refusal(replaced(text, kPlane, "vertices = [0, 9, 36, 108, 117]")),
              HasSubstr("block.msh: element 288: found in a piece that can still turn"));
  baked(replaced(text, kPlane, "vertices = [0, 9, 36, 108, 117, 144]"));
  // Two tetrahedra that share an edge.
  folder.write("block.msh",
               gmsh_of({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}},
                       {{0, 1, 2, 3}, {0, 1, 4, 5}}));
  EXPECT_THAT(refusal(replaced(text, kPlane, "vertices = [0, 1, 2]")),
              HasSubstr("block.msh: element 1: found in a part that shares only vertices or edges "
                        "with the rest and can turn about them (1 of 2 elements)"));
}

TEST_F(BodiesTest, several_files_of_forces_are_one_sketch) {
  folder.write("a.csv", "time_s,vertex,fx_N,fy_N,fz_N\n0,107,0,0,0.2\n1,107,0,0,0.4\n");
  folder.write("b.csv", "time_s,vertex,fx_N,fy_N,fz_N\n0,8,0,0.4,0\n1,8,0.4,0,0\n");
  folder.write("ab.csv", folder.read("a.csv") + "2,8,0,0.4,0\n3,8,0.4,0,0\n");
  const auto sketch = [](const std::string& forces) {
    return block("dimension = 8", "dimension = 3\nbasis = \"sketch\"\nforces = " + forces);
  };
  const auto basis = [&](const std::string& forces) {
    folder.write("r.toml", sketch(forces));
    StageProgress quiet(nullptr);
    bake(load_recipe(folder.file("r.toml")), folder.file("r.h5"), quiet, {folder.file("r.bake")});
    return copy_of(ModelFile(folder.file("r.h5")).doubles("/reduced/basis"));
  };
  const std::vector<double> two = basis("[\"a.csv\", \"b.csv\"]");
  EXPECT_EQ(two, basis("\"ab.csv\""));
  EXPECT_EQ(two, basis("[\"a.csv\", \"b.csv\"]"));
  // The stored basis depends on the second file, too.
  folder.write("b.csv", "time_s,vertex,fx_N,fy_N,fz_N\n0,8,0,0.4,0\n1,8,0.2,0,0.1\n");
  EXPECT_NE(two, basis("[\"a.csv\", \"b.csv\"]"));
  EXPECT_THAT(refusal(sketch("[\"a.csv\", \"none.csv\"]")), HasSubstr("none.csv"));
}

// The block's bottom as a named group of faces, its last element as one of a material.
TEST_F(BodiesTest, groups_that_gmsh_names_are_fixed_and_get_a_material) {
  const VegaMesh mesh = block_mesh(true);
  std::string file = gmsh_blocks({0.0});
  const std::string names = "$PhysicalNames\n2\n2 1 \"bottom\"\n3 2 \"core\"\n$EndPhysicalNames\n";
  file.insert(file.find("$Nodes"), names);
  const auto count = mesh.element_count();
  file.replace(file.find(fmt::format("$Elements\n{}", count)),
               fmt::format("$Elements\n{}", count).size(),
               fmt::format("$Elements\n{}\n{} 2 2 1 1 1 10 37", count + 1, count + 1));
  file.replace(file.find(fmt::format("\n{} 4 0", count)), fmt::format("\n{} 4 0", count).size(),
               fmt::format("\n{} 4 2 2 1", count));
  folder.write("named.msh", file);
  const std::string text =
      replaced(block("block.veg", "named.msh"), kPlane, "groups = [{ name = \"bottom\" }]");
  const std::string soft =
      "[[material.group]]\nname = \"core\"\nphysical = \"core\"\nyoungs_modulus = 1e3\n";
  const ModelFile model(baked(replaced(text, "[constraints]", soft + "[constraints]")));
  EXPECT_THAT(model.indices("/mesh/fixed"), testing::ElementsAre(0, 9, 36));
  const auto groups = model.indices("/material/group");
  EXPECT_EQ(groups.back(), 1u);
  EXPECT_EQ(std::ranges::count(groups, 1u), 1);
  EXPECT_THAT(refusal(replaced(text, "\"bottom\"", "\"top\"")),
              HasSubstr("constraints.groups: found no group \"top\" in the mesh, expected one of "
                        "bottom, core"));
  EXPECT_THAT(refusal(replaced(block("block.veg", "block.veg"), kPlane,
                               "groups = [{ name = \"bottom\" }]")),
              HasSubstr("found without a mesh that names groups"));
}

TEST_F(BodiesTest, bad_volume_meshes_are_refused) {
  EXPECT_THAT(refusal(block("block.veg", "none.veg")), HasSubstr("none.veg"));
  EXPECT_THAT(refusal(block("block.veg", "block.vtk")), HasSubstr("block.vtk"));
  folder.write("bad.msh", "$MeshFormat\n9.9 0 8\n");
  EXPECT_THAT(refusal(block("block.veg", "bad.msh")), HasSubstr("bad.msh"));
}

}  // namespace
}  // namespace haptic
