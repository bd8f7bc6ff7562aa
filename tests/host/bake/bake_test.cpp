#include "host/bake/bake.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "host/artifact/model_attributes.h"
#include "host/artifact/model_writer.h"
#include "host/bake/verify.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

std::vector<std::string> failures(const std::filesystem::path& model) {
  std::vector<std::string> failed;
  for (const VerifiedFigure& figure : verify_model(model)) {
    if (!figure.passes()) failed.push_back(figure.name + " " + std::to_string(figure.value));
  }
  return failed;
}

class BakeTest : public testing::Test {
 protected:
  BakeTest() : folder("bake") {}

  /// Bakes `recipe` over an existing model, which must be kept; returns the error message.
  std::string refusal(const std::string& recipe) {
    folder.write("bad.toml", recipe);
    // The signatures of a model and of HDF5: no other file is replaced.
    std::string old_model = "\211HAPTIC\n";
    old_model.resize(512);
    old_model += "\211HDF\r\n\032\nan old model";
    folder.write("old.h5", old_model);
    std::string line = "baked";
    try {
      folder.bake("bad.toml", "old.h5");
    } catch (const InputError& error) {
      line = error.what();
    }
    EXPECT_EQ(folder.read("old.h5"), old_model);
    int leftovers = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) {
      leftovers += entry.path().filename().string().find(".tmp") != std::string::npos;
    }
    EXPECT_EQ(leftovers, 0);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    return line;
  }

  BakingFolder folder;
};

TEST_F(BakeTest, a_deformable_model_is_valid) {
  const auto path = folder.bake("beam.toml", "beam.h5");
  EXPECT_THAT(failures(path), testing::IsEmpty());
  const ModelFile model(path);
  EXPECT_EQ(model.reduced_dimension(), 6u);
  EXPECT_EQ(model.section("/shell/points").shape[0], 400u);
  EXPECT_EQ(model.section("/field/values").shape[0], 33u);
  EXPECT_EQ(model.indices("/shell/tree/level_begin").size(), 4u);
  EXPECT_EQ(model.doubles("/reduced/eigenvalues").size(), 4u);
  const ModelAttributes attributes = read_model_attributes(path);
  EXPECT_EQ(std::get<std::string>(attributes.at("/provenance.recipe")), folder.read("beam.toml"));
  EXPECT_EQ(number_attribute(attributes, path, "/mesh.youngs_modulus_Pa"), 5e4);
  EXPECT_GE(number_attribute(attributes, path, "/provenance.seconds_polynomials"), 0.0);
}

TEST_F(BakeTest, a_part_thinner_than_a_voxel_is_reported) {
  // Plates of 100 mm with 64 voxels along them: a voxel is about 2 mm.
  for (const double thickness : {8e-3, 5e-3, 2e-4}) {
    const bool thin = thickness < 1e-3;
    write_obj(folder.file("plate.obj"),
              make_shape("box", {{"size_x", 0.1}, {"size_y", 0.1}, {"size_z", thickness}}));
    folder.write("plate.toml", R"([source]
mesh = "plate.obj"
length = 0.1
[material]
density = 1000.0
[field]
resolution = 64
)");
    StageProgress silent(nullptr, false);
    const BakeSummary summary =
        bake(load_recipe(folder.file("plate.toml")), folder.file("plate.h5"), silent);
    EXPECT_NEAR(summary.voxel, 2e-3, 1e-3);
    // The four narrow sides are below 2 percent of the thin plate.
    EXPECT_GE(summary.unresolved_fraction, thin ? 0.98 : 0.0) << thickness;
    EXPECT_LE(summary.unresolved_fraction, thin ? 1.0 : 0.0) << thickness;
    const bool found = std::ranges::any_of(failures(summary.model), [](const std::string& name) {
      return name.starts_with("field_resolution");
    });
    EXPECT_EQ(found, thin) << thickness;
  }
}

TEST_F(BakeTest, every_attribute_of_a_baked_file_is_documented) {
  std::ifstream page(HAPTIC_SOURCE_DIR "/docs/artifact.md");
  std::stringstream text;
  text << page.rdbuf();
  for (const auto& [name, value] : read_model_attributes(folder.bake("beam.toml", "beam.h5"))) {
    std::string attribute = name.substr(name.find('.') + 1);
    for (const char* start : {"seconds_", "peak_bytes_"}) {
      if (attribute.starts_with(start)) attribute = std::string(start) + "<stage>";
    }
    EXPECT_THAT(text.str(), HasSubstr(fmt::format("`{}`", attribute)));
    EXPECT_THAT(text.str(), HasSubstr(fmt::format("`{}`", name.substr(0, name.find('.')))));
  }
}

TEST_F(BakeTest, a_rigid_model_is_valid_and_has_no_modes) {
  const auto path = folder.bake("ball.toml", "ball.h5");
  EXPECT_THAT(failures(path), testing::IsEmpty());
  const ModelFile model(path);
  EXPECT_EQ(model.reduced_dimension(), 0u);
  EXPECT_FALSE(model.has("/mesh/vertices"));
  EXPECT_FALSE(model.has("/shell/displacement"));
  // A sphere of radius 0.02 m less the facets of 320 triangles, some 4 % of its volume.
  const double sphere = 1000.0 * 4.0 / 3.0 * M_PI * std::pow(0.02, 3);
  EXPECT_NEAR(model.doubles("/rigid/mass")[0], sphere, 0.05 * sphere);
}

TEST_F(BakeTest, two_bakes_have_the_same_content) {
  const ModelFile a(folder.bake("beam.toml", "a.h5")), b(folder.bake("beam.toml", "b.h5"));
  EXPECT_EQ(a.content_hash(), b.content_hash());
}

TEST_F(BakeTest, length_and_origin_are_those_of_the_recipe) {
  const auto bounds = [&](const std::string& origin) {
    folder.write("o.toml", "[source]\nmesh = \"beam.obj\"\nlength = 0.5\norigin = \"" + origin +
                               "\"\n[material]\ndensity = 1.0\n");
    const ModelFile model(folder.bake("o.toml", "o.h5"));
    Vector3 lower = Vector3::Constant(1e9), upper = -lower;
    const auto v = model.doubles("/surface/vertices");
    for (std::size_t i = 0; i < v.size(); i += 3) {
      lower = lower.cwiseMin(Vector3(&v[i]));
      upper = upper.cwiseMax(Vector3(&v[i]));
    }
    return std::pair(lower, upper);
  };
  // The mesh file has nine digits.
  const auto [file_lower, file_upper] = bounds("file");
  EXPECT_NEAR(file_upper.x() - file_lower.x(), 0.5, 1e-9);
  EXPECT_NEAR(file_lower.x(), 0.0, 1e-9);
  for (const char* origin : {"centre", "mass"}) {  // a straight bar: one point
    const auto [lower, upper] = bounds(origin);
    EXPECT_LT((lower + upper).norm(), 2e-9) << origin;
  }
}

TEST_F(BakeTest, a_surface_is_turned_scaled_and_moved_as_the_recipe_says) {
  // The beam of the catalogue, 0.2 m long, as a file in millimetres that is up along z.
  const TriangleMesh beam = read_mesh(folder.file("beam.obj"));
  write_obj(folder.file("mm.obj"), scaled(beam, 1000.0));
  folder.write("r.toml", R"([source]
mesh = "mm.obj"
unit = "mm"
up = "z"
rotate = { axis = [0, 1, 0], degrees = 90 }
origin = [100, 2, -3]
[material]
density = 1000.0
)");
  const ModelFile model(folder.bake("r.toml", "r.h5"));
  const auto read = model.doubles("/surface/vertices");
  ASSERT_EQ(read.size(), 3 * beam.vertices.size());
  for (std::size_t v = 0; v < beam.vertices.size(); ++v) {
    const Vector3 p = beam.vertices[v] - Vector3(0.1, 0.002, -0.003);
    // up: (x, z, -y); then x to -z and z to x
    const Vector3 expected(-p.y(), p.z(), -p.x());
    EXPECT_LT((Vector3(&read[3 * v]) - expected).norm(), 1e-9) << v;
  }
  const ModelFile upright(folder.bake("beam.toml", "beam.h5"));
  EXPECT_NEAR(model.doubles("/rigid/mass")[0], upright.doubles("/rigid/mass")[0],
              1e-7 * model.doubles("/rigid/mass")[0]);
}

/// The ball with a hole, in a recipe with these keys of [source].
class OpenBall : public BakeTest {
 protected:
  void write(const std::string& keys, std::size_t triangles_less = 1) {
    std::string mesh = folder.read("ball.obj");
    for (std::size_t t = 0; t < triangles_less; ++t) mesh.erase(mesh.rfind("\nf "));
    folder.write("open.obj", mesh);
    std::string recipe = folder.read("ball.toml");
    recipe.replace(recipe.find("ball.obj\"\n"), 10, "open.obj\"\n" + keys + "\n");
    folder.write("open.toml", recipe);
  }
};

TEST_F(OpenBall, is_refused_with_its_holes_and_the_remedies) {
  write("");
  std::string message;
  try {
    folder.bake("open.toml", "open.h5");
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_THAT(message, HasSubstr("open.obj: found an open surface with holes of "));
  EXPECT_THAT(message, HasSubstr("expected a closed surface; source.open = true takes"));
  EXPECT_THAT(message, HasSubstr(", source.close_holes = 0."));
  // The value that the message names is enough.
  const std::string remedy = message.substr(message.find("close_holes"));
  write(remedy.substr(0, remedy.find(" closes")));
  folder.bake("open.toml", "open.h5");
}

TEST_F(OpenBall, is_closed_on_demand_and_weighs_as_the_whole_one) {
  write("close_holes = 0.5");
  const ModelFile closed(folder.bake("open.toml", "open.h5"));
  const ModelFile whole(folder.bake("ball.toml", "ball.h5"));
  EXPECT_EQ(closed.indices("/surface/triangles").size(),
            whole.indices("/surface/triangles").size());
  EXPECT_NEAR(closed.doubles("/rigid/mass")[0], whole.doubles("/rigid/mass")[0],
              1e-12 * whole.doubles("/rigid/mass")[0]);
  EXPECT_EQ(std::get<std::string>(read_model_attributes(folder.file("open.h5")).at("/field.route")),
            "closed");
}

TEST_F(OpenBall, takes_the_offset_route_on_demand_and_is_valid) {
  write("open = true");
  const auto path = folder.bake("open.toml", "open.h5");
  EXPECT_THAT(failures(path), testing::IsEmpty());
  const ModelAttributes attributes = read_model_attributes(path);
  EXPECT_EQ(std::get<std::string>(attributes.at("/field.route")), "offset");
  EXPECT_GT(number_attribute(attributes, path, "/field.offset_m"), 0.0);
}

TEST_F(BakeTest, components_are_chosen_by_the_recipe) {
  const TriangleMesh ball = read_mesh(folder.file("ball.obj"));
  const double side = bounding_box(ball).longest_side();
  const TriangleMesh speck = translated(scaled(ball, 0.1), {2.0 * side, 0, 0});
  write_obj(folder.file("two.obj"), merged(speck, ball));
  const auto mass = [&](const std::string& keep) {
    folder.write("two.toml", "[source]\nmesh = \"two.obj\"\nscale = 1\nkeep = " + keep +
                                 "\n[material]\ndensity = 1000.0\n");
    return ModelFile(folder.bake("two.toml", "two.h5")).doubles("/rigid/mass")[0];
  };
  const double all = mass("\"all\""), large = mass("\"largest\"");
  EXPECT_NEAR(all / large, 1.001, 1e-8);
  EXPECT_NEAR(mass("[1]") / large, 0.001, 1e-10);
  EXPECT_NEAR(mass("[2]") / large, 1.0, 1e-12);
}

TEST_F(BakeTest, bad_meshes_are_refused_and_the_old_model_stays) {
  EXPECT_THAT(refusal(beam_recipe("beam.obj", "none.obj")), HasSubstr("none.obj"));
  folder.write("bad.obj", "");
  EXPECT_THAT(refusal(beam_recipe("beam.obj", "bad.obj")), HasSubstr("bad.obj"));
  folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  EXPECT_THAT(refusal(beam_recipe("beam.obj", "bad.obj")), HasSubstr("bad.obj"));
  folder.write("bad.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n");
  EXPECT_THAT(refusal(beam_recipe("beam.obj", "bad.obj")), HasSubstr("bad.obj"));
  folder.write("bad.obj", std::string("\x00\x01\xff garbage", 11));
  EXPECT_THAT(refusal(beam_recipe("beam.obj", "bad.obj")), HasSubstr("bad.obj"));
  folder.write("bad.xyz", "0 0 0\n");
  EXPECT_THAT(refusal(beam_recipe("beam.obj", "bad.xyz")), HasSubstr("bad.xyz"));
}

TEST_F(BakeTest, impossible_constraints_and_dimensions_are_refused) {
  EXPECT_THAT(refusal(beam_recipe("below = 0.01", "below = 1.0")), HasSubstr("bad.toml"));
  EXPECT_THAT(refusal(beam_recipe("axis = \"x\", below = 0.01", "axis = \"x\", above = 5.0")),
              HasSubstr("bad.toml"));
  EXPECT_THAT(refusal(beam_recipe("planes = [{ axis = \"x\", below = 0.01 }]", "vertices = [0]")),
              HasSubstr("found 3 free rigid motions"));
  EXPECT_THAT(
      refusal(beam_recipe("planes = [{ axis = \"x\", below = 0.01 }]", "vertices = [99999999]")),
      HasSubstr("99999999"));
  // Twelve free vertices have 36 dofs: the modes and derivatives of 20 modes cannot span 64.
  std::string small = beam_recipe("resolution = 24", "resolution = 3");
  small.replace(small.find("linear_modes = 4"), 16, "linear_modes = 20");
  small.replace(small.find("dimension = 6"), 13, "dimension = 64");
  EXPECT_THAT(refusal(small), HasSubstr("reduction.dimension: found 64, expected 1..36"));
  std::string modes = beam_recipe("resolution = 24", "resolution = 1");
  modes.replace(modes.find("linear_modes = 4"), 16, "linear_modes = 64");
  EXPECT_THAT(refusal(modes), HasSubstr("reduction.linear_modes: found 64, expected 1..12"));
}

TEST_F(BakeTest, verify_fails_an_invalid_model) {
  const auto path = folder.bake("beam.toml", "beam.h5");
  const ModelFile model(path);
  const ModelAttributes attributes = read_model_attributes(path);
  ModelWriter writer(folder.file("wrong.h5"));
  for (const Section& section : model.sections()) {
    const auto shape = section.shape;
    const auto write = [&](const auto& values) {
      switch (shape.size()) {
        case 1:
          return writer.add(section.name, values, {shape[0]});
        case 2:
          return writer.add(section.name, values, {shape[0], shape[1]});
        default:
          return writer.add(section.name, values, {shape[0], shape[1], shape[2]});
      }
    };
    if (section.type == ElementType::kUint32) {
      write(model.indices(section.name));
    } else if (section.type == ElementType::kUint8) {
      write(model.bytes(section.name));
    } else if (section.type == ElementType::kFloat32) {
      std::vector<float> values(model.floats(section.name).begin(),
                                model.floats(section.name).end());
      if (section.name == "/shell/tree/radius") values[0] *= 0.9f;
      if (section.name == "/field/values") values[values.size() / 2] += 0.001f;
      if (section.name == "/shell/normals") values[1] += 0.00002f;
      write(std::span<const float>(values));
    } else {
      std::vector<double> values(model.doubles(section.name).begin(),
                                 model.doubles(section.name).end());
      if (section.name == "/reduced/quartic") values[5] *= 1.0 + 1e-3;
      if (section.name == "/reduced/basis") values[values.size() - 1] += 1e-6;
      write(std::span<const double>(values));
    }
  }
  for (const auto& [name, value] : attributes) {
    const std::size_t dot = name.find('.');
    std::visit(
        [&, key = name](const auto& v) {
          writer.set_attribute(key.substr(0, dot), key.substr(dot + 1), v);
        },
        value);
  }
  writer.commit();
  std::string failed;
  for (const std::string& name : failures(folder.file("wrong.h5"))) failed += name + "; ";
  EXPECT_THAT(failed, HasSubstr("mass_orthonormality"));
  EXPECT_THAT(failed, HasSubstr("reduced_force"));
  EXPECT_THAT(failed, HasSubstr("reduced_energy"));
  EXPECT_THAT(failed, HasSubstr("tree_spheres"));
}

}  // namespace
}  // namespace haptic
