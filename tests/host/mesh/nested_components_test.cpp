#include "host/mesh/nested_components.h"

#include <gtest/gtest.h>

#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"

namespace haptic {
namespace {

/// A cube of this side about (x, 0, 0), turned inside out if the side is negative.
TriangleMesh cube(double side, double x = 0.0) {
  TriangleMesh mesh = make_shape("box", {{"resolution", 2}});
  mesh = scaled(mesh, std::abs(side) / bounding_box(mesh).longest_side());
  if (side < 0.0) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  return translated(mesh, Vector3(x, 0, 0) - bounding_box(mesh).centre());
}

double cubed(double side) {
  return side * side * side;
}

struct Case {
  std::vector<TriangleMesh> parts;
  double volume;
  std::size_t turned, left_out;
};

TEST(NestedComponents, together_they_bound_the_union) {
  // The side of a box of the catalogue along x is its longest; its volume as a share of the cube of
  // it.
  const double unit = signed_volume(cube(1.0));
  const std::vector<Case> cases = {
      {{cube(1)}, cubed(1), 0, 0},
      {{cube(-1)}, cubed(1), 1, 0},
      {{cube(1), cube(-0.5, 2)}, cubed(1) + cubed(0.5), 1, 0},  // side by side, one inside out
      {{cube(-1), cube(0.5, 2)}, cubed(1) + cubed(0.5), 1, 0},
      {{cube(1), cube(-0.5)}, cubed(1) - cubed(0.5), 0, 0},  // hollow
      {{cube(-1), cube(0.5)}, cubed(1) - cubed(0.5), 2, 0},  // hollow, the file inside out
      {{cube(1), cube(0.5)}, cubed(1), 0, 1},                // counted once
      {{cube(-1), cube(-0.5)}, cubed(1), 1, 1},
      {{cube(1), cube(-0.5), cube(0.25)},
       cubed(1) - cubed(0.5) + cubed(0.25),
       0,
       0},  // a core in the hollow
      {{cube(0.25), cube(-0.5), cube(1)}, cubed(1) - cubed(0.5) + cubed(0.25), 0, 0},
      {{cube(1), cube(-0.5), cube(-0.25)}, cubed(1) - cubed(0.5) + cubed(0.25), 1, 0},
      {{cube(1), cube(-0.5), cube(0.25), cube(-0.1)},
       cubed(1) - cubed(0.5) + cubed(0.25) - cubed(0.1),
       0,
       0},
      {{cube(1), cube(0.5), cube(-0.25)}, cubed(1), 0, 2},  // a hollow in what is solid twice
  };
  for (std::size_t n = 0; n < cases.size(); ++n) {
    TriangleMesh mesh;
    for (const TriangleMesh& part : cases[n].parts) mesh = merged(mesh, part);
    const NestedComponents found = orient_components(mesh);
    EXPECT_EQ(found.turned, cases[n].turned) << n;
    EXPECT_EQ(found.left_out, cases[n].left_out) << n;
    EXPECT_NEAR(signed_volume(mesh), unit * cases[n].volume, 1e-14) << n;
    EXPECT_TRUE(inspect_mesh(mesh).closed_manifold()) << n;
  }
}

TEST(NestedComponents, boxes_that_contain_each_other_are_not_enough) {
  // A small ball in the hole of a torus lies in its box and not in it.
  const TriangleMesh torus = make_shape("torus", {});
  TriangleMesh mesh = merged(torus, scaled(cube(1), 0.1 * bounding_box(torus).longest_side()));
  EXPECT_EQ(orient_components(mesh).left_out, 0u);
}

TEST(NestedComponents, open_components_stay_as_they_are) {
  TriangleMesh open = cube(-1);
  open.triangles.pop_back();
  TriangleMesh mesh = merged(open, cube(-0.5, 0.0));
  const TriangleMesh before = mesh;
  const NestedComponents found = orient_components(mesh);
  EXPECT_EQ(found.turned, 1u);  // the closed one within, which nothing encloses
  for (std::size_t t = 0; t < open.triangles.size(); ++t)
    EXPECT_EQ(mesh.triangles[t], before.triangles[t]);
}

}  // namespace
}  // namespace haptic
