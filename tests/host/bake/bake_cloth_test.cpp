// Bakes of cloth, the figures of haptic verify for them, and the meshes that are refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "host/artifact/model_attributes.h"
#include "host/bake/cloth_source.h"
#include "host/bake/verify.h"
#include "host/formats/mesh_file.h"
#include "rt/bodies/cloth_model.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/changed_model.h"
#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> failed_figures(const std::filesystem::path& model) {
  std::vector<std::string> failed;
  for (const VerifiedFigure& figure : verify_model(model)) {
    if (!figure.passes()) failed.push_back(figure.name);
  }
  return failed;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Two squares side by side and a triangle, 2 x 1; the vertices in an order that no face follows.
constexpr const char* kFlag =
    "v 2 1 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 0 0\nv 3 0.5 0\n"
    "f 2 3 5 4\nf 3 6 1 5\nf 6 7 1\n";

class BakeCloth : public RecipeFixture {
 protected:
  BakeCloth() : RecipeFixture("cloth") {}

  static std::string grid(const std::string& cloth, const std::string& source = "") {
    return "[source]\ngrid = { particles = [6, 4], size = [0.5, 0.3] }\n" + source + "\n[cloth]\n" +
           cloth + "\n";
  }
  static std::string of_mesh(const std::string& mesh, const std::string& cloth,
                             const std::string& source = "") {
    return "[source]\nmesh = \"" + mesh + "\"\nlength = 3.0\n" + source + "\n[cloth]\n" + cloth +
           "\n";
  }
  std::filesystem::path baked(const std::string& text) {
    folder.write("r.toml", text);
    return folder.bake("r.toml", "r.h5");
  }
  ClothModel cloth_of(const std::string& text) { return read_cloth_model(ModelFile(baked(text))); }
  /// The line of a refused OBJ.
  std::string obj_refusal(const std::string& obj) {
    folder.write("bad.obj", obj);
    try {
      baked(of_mesh("bad.obj", ""));
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("bad.obj: "));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "baked";
  }
  static void expect_springs(const Springs& found, const Springs& expected) {
    EXPECT_EQ(found.first, expected.first);
    EXPECT_EQ(found.second, expected.second);
    EXPECT_EQ(found.kind, expected.kind);
    EXPECT_EQ(found.rest, expected.rest);
    EXPECT_EQ(found.stiffness, expected.stiffness);
    EXPECT_EQ(found.damping, expected.damping);
    EXPECT_EQ(found.bending, expected.bending);
  }
};

TEST_F(BakeCloth, a_grid_has_its_particles_masses_and_springs) {
  for (const std::string topology : {"three-kinds", "choi-ko", "edges"}) {
    const std::string text = grid("springs = \"" + topology + "\"\nareal_density = 0.4");
    const ClothModel cloth = cloth_of(text);
    EXPECT_THAT(failed_figures(folder.file("r.h5")), IsEmpty());
    const ClothMesh mesh = make_grid({6, 4}, 0.5, 0.3);
    EXPECT_EQ(cloth.mesh.vertices, mesh.vertices);
    EXPECT_EQ(cloth.mesh.triangles, mesh.triangles);
    ASSERT_TRUE(cloth.mesh.grid);
    EXPECT_EQ(cloth.mesh.grid->nx, 6u);
    const Recipe recipe = load_recipe(folder.file("r.toml"));
    expect_springs(cloth.springs,
                   make_springs(mesh, recipe.cloth->topology, recipe.cloth->materials));
    // M / n; the area is a sum of 30 rounded triangles.
    for (const double mass : cloth.masses) EXPECT_NEAR(mass, 0.4 * 0.15 / 24, 1e-16);
  }
}

TEST_F(BakeCloth, a_fabric_has_its_rigidities_and_the_masses_of_its_cells) {
  const ClothModel cloth =
      cloth_of(grid("springs = \"fabric\"\nareal_density = 0.4\nmembrane = 500.0\nbending = 3e-5\n"
                    "membrane_damping = 0.7"));
  EXPECT_THAT(failed_figures(folder.file("r.h5")), IsEmpty());
  const ClothMesh mesh = make_grid({6, 4}, 0.5, 0.3);
  const Springs expected = make_fabric_springs(
      mesh, {.membrane = 500.0, .shear = 50.0, .bending = 3e-5, .damping = 0.7});
  expect_springs(cloth.springs, expected);
  EXPECT_EQ(cloth.springs.plate, expected.plate);
  EXPECT_EQ(cloth.springs.count(SpringKind::kBend), 4u * 4 + 6 * 2);
  EXPECT_NEAR(cloth.masses[0], 0.4 * 0.15 / 60, 1e-16);
  EXPECT_NEAR(cloth.masses[7], 0.4 * 0.15 / 15, 1e-16);
  EXPECT_EQ(text_attribute(read_model_attributes(folder.file("r.h5")), "/cloth.springs", ""),
            "fabric");
}

TEST_F(BakeCloth, a_mesh_keeps_the_vertices_and_quads_of_its_obj) {
  folder.write("flag.obj", kFlag);
  const ClothModel cloth = cloth_of(of_mesh("flag.obj", "areal_density = 0.1\ndamping = 0.02"));
  EXPECT_THAT(failed_figures(folder.file("r.h5")), IsEmpty());
  EXPECT_THAT(cloth.mesh.vertices[6], ElementsAre(3.0, 0.5, 0.0));
  EXPECT_THAT(cloth.mesh.vertices[0], ElementsAre(2.0, 1.0, 0.0));
  ASSERT_EQ(cloth.mesh.quads.size(), 2u);
  EXPECT_THAT(cloth.mesh.quads[0], ElementsAre(1u, 2u, 4u, 3u));
  EXPECT_FALSE(cloth.mesh.grid);
  EXPECT_EQ(cloth.springs.count(SpringKind::kShear), 4u);
  EXPECT_EQ(cloth.springs.count(SpringKind::kStructural), 9u);
  const Recipe recipe = load_recipe(folder.file("r.toml"));
  expect_springs(cloth.springs,
                 make_springs(cloth.mesh, recipe.cloth->topology, recipe.cloth->materials));
  // Thirds of two squares of 1 m^2, cut along their diagonals, and of a triangle of 0.5 m^2.
  EXPECT_NEAR(sum_of(cloth.masses), 0.1 * 2.5, 1e-15);
  EXPECT_NEAR(cloth.masses[6], 0.1 * 0.5 / 3.0, 1e-16);
  EXPECT_NEAR(cloth.masses[1], 0.1 * 1.0 / 3.0, 1e-16);
  EXPECT_NEAR(cloth.masses[2], 0.1 * 1.5 / 3.0, 1e-16);
}

TEST_F(BakeCloth, a_closed_surface_is_a_bag) {
  const ClothModel cloth = cloth_of(of_mesh("ball.obj", "mass = 0.7\nsprings = \"choi-ko\""));
  EXPECT_THAT(failed_figures(folder.file("r.h5")), IsEmpty());
  EXPECT_EQ(cloth.mesh.vertices.size(), 162u);  // 10 * 4^2 + 2
  EXPECT_EQ(cloth.springs.count(SpringKind::kSequential), 480u);
  EXPECT_EQ(cloth.springs.count(SpringKind::kInterlaced), 480u);
  EXPECT_NEAR(sum_of(cloth.masses), 0.7, 1e-14);
  const ModelAttributes attributes = read_model_attributes(folder.file("r.h5"));
  EXPECT_EQ(text_attribute(attributes, "/cloth.springs", ""), "choi-ko");
  const double area = sum_of(particle_areas(cloth.mesh));
  EXPECT_NEAR(number_attribute(attributes, "r.h5", "/cloth.areal_density_kg_m2"), 0.7 / area,
              1e-12);
  EXPECT_EQ(text_attribute(attributes, "/provenance.source_mesh", ""), "ball.obj");
  EXPECT_THAT(text_attribute(attributes, "/provenance.source_mesh_report", ""),
              HasSubstr("closed, 162 vertices"));
}

TEST_F(BakeCloth, the_origin_is_the_files_the_centre_or_the_centre_of_mass) {
  folder.write("flag.obj", kFlag);
  const auto centre = [&](const std::string& origin) {
    const ClothModel cloth = cloth_of(of_mesh("flag.obj", "", "origin = \"" + origin + "\""));
    std::array<double, 2> at = {0.0, 0.0};
    for (std::size_t i = 0; i < cloth.masses.size(); ++i) {
      for (std::size_t c = 0; c < 2; ++c) at[c] += cloth.masses[i] * cloth.mesh.vertices[i][c];
    }
    return std::array{at[0] / sum_of(cloth.masses), at[1] / sum_of(cloth.masses)};
  };
  // Centroids at 0.5, 1.5 and 7/3 with areas 1, 1 and 0.5: 19/15.
  EXPECT_NEAR(centre("file")[0], 19.0 / 15.0, 1e-14);
  EXPECT_NEAR(centre("centre")[0], 19.0 / 15.0 - 1.5, 1e-14);
  EXPECT_NEAR(centre("mass")[0], 0.0, 1e-14);
  EXPECT_NEAR(centre("mass")[1], 0.0, 1e-14);
  EXPECT_NEAR(cloth_of(grid("", "origin = \"centre\"")).mesh.vertices[0][0], -0.25, 1e-15);
}

TEST_F(BakeCloth, a_grid_has_no_source_file_in_its_provenance) {
  const ModelAttributes attributes = read_model_attributes(baked(grid("")));
  EXPECT_FALSE(attributes.contains("/provenance.source_mesh"));
  EXPECT_THAT(text_attribute(attributes, "/provenance.source_mesh_report", ""),
              HasSubstr("open (16 boundary edges), 24 vertices, 30 triangles"));
  EXPECT_GE(number_attribute(attributes, "r.h5", "/provenance.seconds_springs"), 0.0);
}

TEST_F(BakeCloth, stl_and_ply_join_the_vertices_of_a_place) {
  folder.write("two.stl",
               "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n"
               "endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\n"
               "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
  const ClothModel cloth = cloth_of(of_mesh("two.stl", ""));
  EXPECT_EQ(cloth.mesh.vertices.size(), 4u);
  EXPECT_EQ(cloth.springs.size(), 6u);
  EXPECT_THAT(failed_figures(folder.file("r.h5")), IsEmpty());
}

TEST_F(BakeCloth, meshes_that_are_no_cloth_are_refused_with_the_first_defect) {
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  EXPECT_THAT(obj_refusal(square + "f 1 2 3\n"), HasSubstr("vertex 3: no triangle has it"));
  EXPECT_THAT(obj_refusal(square + "v 1 0 0\nf 1 2 3 4\n"),
              HasSubstr("vertex 4: at the place of vertex 1, expected one vertex at a place"));
  EXPECT_THAT(
      obj_refusal(square + "v 2 0 0\nf 1 2 5\nf 1 2 3 4\n"),
      HasSubstr("triangle 0: vertices 0, 1, 4 on a line, expected a triangle with an area"));
  EXPECT_THAT(obj_refusal(square + "f 1 2 3\nf 1 3 4\nf 3 2 1\n"),
              HasSubstr("triangle 2: the vertices of triangle 0"));
  EXPECT_THAT(obj_refusal(square + "v 0.5 0.5 1\nf 1 2 3 4\nf 1 2 5\n"),
              HasSubstr("edge 0-1 in the direction in which triangle 0 has it"));
  EXPECT_THAT(obj_refusal(square + "v 2 2 0\nv 2 1 0\nf 1 2 3 4\nf 3 6 5\n"),
              HasSubstr("vertex 2: triangles that share only this vertex"));
  EXPECT_THAT(obj_refusal(square), HasSubstr("no triangles"));
  EXPECT_THAT(obj_refusal(square + "f 1 2 9\n"), HasSubstr("line 5"));
}

TEST_F(BakeCloth, each_wrong_section_fails_its_figure) {
  const auto path = baked(grid(""));
  using Doubles = std::span<double>;
  const auto wrong = [&](const std::string& section, std::size_t at, double by) {
    return failed_figures(
        changed_model<double>(folder, path, section, [=](Doubles values) { values[at] *= by; }));
  };
  // The smallest changes that count: limits of 1e-12 and 1e-9.
  EXPECT_THAT(wrong("/cloth/springs/rest", 11, 1.0 + 1e-11), ElementsAre("cloth_rest_lengths"));
  EXPECT_THAT(wrong("/cloth/masses", 5, 1.0 + 1e-6),
              ElementsAre("cloth_mass", "cloth_particle_masses"));
  EXPECT_THAT(failed_figures(changed_model<double>(folder, path, "/cloth/masses",
                                                   [](Doubles m) {
                                                     m[3] *= 1.25;
                                                     m[4] *= 0.75;
                                                   })),
              ElementsAre("cloth_particle_masses"));
  EXPECT_THAT(
      failed_figures(changed_model<std::uint8_t>(folder, path, "/cloth/springs/kind",
                                                 [](std::span<std::uint8_t> k) { k[0] = 1; })),
      ElementsAre("cloth_springs"));
  // A spring to another particle: its length and its place are wrong.
  EXPECT_THAT(failed_figures(changed_model<std::uint32_t>(
                  folder, path, "/cloth/springs/particles",
                  [](std::span<std::uint32_t> ends) { ends[1] = 23; })),
              ElementsAre("cloth_rest_lengths", "cloth_springs"));
  EXPECT_THAT(wrong("/surface/vertices", 3 * 8 + 2, 1.0), IsEmpty());
  EXPECT_THAT(wrong("/surface/vertices", 3 * 8, 1.01), testing::Contains("cloth_rest_lengths"));
}

TEST_F(BakeCloth, what_no_cloth_has_is_refused_by_verify) {
  const auto path = baked(grid(""));
  const auto twice = changed_model<std::uint32_t>(folder, path, "/cloth/springs/particles",
                                                  [](std::span<std::uint32_t> ends) {
                                                    ends[2] = ends[0];
                                                    ends[3] = ends[1];
                                                  });
  try {
    verify_model(twice);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/cloth/springs/particles: found two springs between"));
  }
  const auto massless =
      changed_model<double>(folder, path, "/cloth/masses", [](std::span<double> m) { m[2] = 0.0; });
  EXPECT_THROW(verify_model(massless), InputError);
}

}  // namespace
}  // namespace haptic
