// Complete bakes of all field layouts except the dense rigid one; each model passes haptic verify.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "host/bake/verify.h"
#include "rt/geometry/deformed_field.h"
#include "rt/geometry/model_field.h"
#include "rt/geometry/sparse_field.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class FieldLayouts : public testing::Test {
 protected:
  /// Bakes and requires that every figure of `haptic verify` passes and that the named figures
  /// exist.
  std::filesystem::path baked(const std::string& recipe, const std::vector<std::string>& figures) {
    folder.write("r.toml", recipe);
    const auto path = folder.bake("r.toml", "r.h5");
    std::vector<std::string> names;
    for (const VerifiedFigure& figure : verify_model(path)) {
      EXPECT_TRUE(figure.passes()) << figure.name << " " << figure.value << " > " << figure.limit;
      names.push_back(figure.name);
    }
    for (const std::string& figure : figures) EXPECT_THAT(names, testing::Contains(figure));
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
  /// The ball's recipe with lines added to [field], which is its last table.
  std::string ball_with(const std::string& lines) { return folder.read("ball.toml") + lines; }
  static std::string beam_with(const std::string& lines) {
    return beam_recipe("[field]\n", "[field]\n" + lines);
  }
  BakingFolder folder{"fields"};
};

TEST_F(FieldLayouts, a_coarse_field_is_compared_with_the_surface_inside_its_box) {
  // Three voxels about a corner of this cube reach beyond the box, where the field is a bound only.
  std::string cube;
  for (int v = 0; v < 8; ++v) {
    cube += fmt::format("v {} {} {}\n", 0.05 * (v & 1), 0.05 * (v >> 1 & 1), 0.05 * (v >> 2));
  }
  cube +=
      "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\n"
      "f 2 4 8\nf 2 8 6\n";
  folder.write("cube.obj", cube);
  baked(
      "[source]\nmesh = \"cube.obj\"\nlength = 0.05\n[material]\ndensity = 1000.0\n"
      "[field]\nresolution = 16\n",
      {"field_between_corners"});
}

TEST_F(FieldLayouts, a_deformable_has_a_field_that_follows_it) {
  const ModelFile model(
      baked(beam_with("proxies = 40\n"), {"proxies_on_field", "proxies_at_rest"}));
  EXPECT_EQ(model.section("/field/proxies/points").shape[0], 40U);
  const std::uint32_t r = model.reduced_dimension();
  const auto whole = make_field(model, r), less = make_field(model, 2),
             rigid = make_field(model, 0);
  EXPECT_EQ(whole->dimension(), r);
  EXPECT_EQ(less->dimension(), 2U);
  EXPECT_EQ(rigid->dimension(), 0U);
  // A surface vertex that moves by U q stays on the field's zero level to first order in q.
  std::vector<double> q(r, 0.0);
  const auto basis = model.floats("/surface/basis");
  const auto vertices = model.doubles("/surface/vertices");
  double largest = 0.0;
  for (std::size_t row = 0; row < basis.size(); row += r) {
    largest = std::max(largest, std::abs(static_cast<double>(basis[row])));
  }
  q[0] = 3.0 * whole->edge() / largest;
  whole->deform(q);
  double moved = 0.0, away = 0.0, away_at_rest = 0.0;
  for (std::size_t v = 0; 3 * v < vertices.size(); ++v) {
    Vector3 p(&vertices[3 * v]), u;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      u[static_cast<int>(axis)] = basis[(3 * v + axis) * r] * q[0];
    }
    moved = std::max(moved, u.norm());
    away = std::max(away, std::abs(whole->distance_and_gradient(p + u).distance));
    away_at_rest = std::max(away_at_rest, std::abs(rigid->distance_and_gradient(p + u).distance));
  }
  EXPECT_GT(away_at_rest, 0.5 * moved);
  EXPECT_LT(away, 0.25 * moved);
}

TEST_F(FieldLayouts, a_sparse_field_is_read_in_place) {
  const ModelFile dense(folder.bake("ball.toml", "dense.h5"));
  const ModelFile model(baked(ball_with("layout = \"sparse\"\nband = 3\n"),
                              {"sparse_field_stored", "sparse_field_bounds", "sparse_field_sign"}));
  EXPECT_FALSE(model.has("/field/values"));
  const auto field = make_field(model, 0), same = make_field(dense, 0);
  const auto vertices = model.doubles("/surface/vertices");
  for (std::size_t v = 0; v < vertices.size(); v += 3) {
    const Vector3 p(&vertices[v]);
    ASSERT_EQ(field->distance_and_gradient(p).distance, same->distance_and_gradient(p).distance);
  }
}

TEST_F(FieldLayouts, refuses_contradictory_keys) {
  EXPECT_THAT(refusal(ball_with("proxies = 40\n")), HasSubstr("proxies"));
  EXPECT_THAT(refusal(ball_with("layout = \"hashed\"\n")), HasSubstr("layout"));
  EXPECT_THAT(refusal(ball_with("band = 4\n")), HasSubstr("band"));
  EXPECT_THAT(refusal(ball_with("layout = \"sparse\"\nband = 1\n")), HasSubstr("band"));
  EXPECT_THAT(refusal(beam_with("layout = \"sparse\"\nproxies = 40\n")), HasSubstr("proxies"));
  EXPECT_THAT(refusal(beam_with("domains = \"parts\"\n")), HasSubstr("domains"));
  EXPECT_THAT(refusal(beam_with("proxies = 40\ndomains = \"legs\"\n")), HasSubstr("domains"));
  EXPECT_THAT(refusal(beam_with("proxies = 40\ndomains = \"parts\"\n")), HasSubstr("domains"));
  EXPECT_THAT(refusal(beam_with("proxies = 0\n")), HasSubstr("proxies"));
}

}  // namespace
}  // namespace haptic
