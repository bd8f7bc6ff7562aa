#include "host/unreduced/mesh_place.h"

#include <gtest/gtest.h>

#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

Vector3 position(const SolidMesh& mesh, const MeshPlace& place) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t a = 0; a < place.count; ++a) {
    sum += place.weights[a] * mesh.vertex(static_cast<int>(place.vertices[a]));
  }
  return sum;
}

TEST(MeshPlace, a_point_of_an_element_is_meant_itself) {
  for (const bool cubes : {true, false}) {
    const SolidMesh mesh = cubes ? make_box_mesh(3, 2, 2, 0.1, kRubber)
                                 : make_tetrahedral_box_mesh(3, 2, 2, 0.1, kRubber);
    for (const Vector3& point :
         {Vector3(0.13, 0.04, 0.19), Vector3(0.3, 0.2, 0.2), Vector3(0.05, 0.15, 0.02)}) {
      const MeshPlace place = nearest_place(mesh, point);
      EXPECT_LE((position(mesh, place) - point).norm(), 1e-15);
    }
  }
}

TEST(MeshPlace, beyond_the_mesh_the_nearest_point_of_a_box_is_meant) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kRubber);
  EXPECT_LE(
      (position(mesh, nearest_place(mesh, Vector3(5.0, 0.12, -3.0))) - Vector3(0.3, 0.12, 0.0))
          .norm(),
      1e-15);
}

TEST(MeshPlace, weights_are_never_negative) {
  const SolidMesh mesh = make_tetrahedral_box_mesh(2, 2, 2, 0.1, kRubber);
  const MeshPlace place = nearest_place(mesh, Vector3(1.0, -2.0, 0.1));
  for (std::size_t a = 0; a < place.count; ++a) EXPECT_GE(place.weights[a], 0.0);
  EXPECT_LE((position(mesh, place) - Vector3(0.2, 0.0, 0.1)).norm(), 0.11);
}

TEST(MeshPlace, the_main_vertex_has_the_largest_weight) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kRubber);
  const std::uint32_t vertex = nearest_place(mesh, Vector3(0.11, 0.19, 0.02)).main_vertex();
  EXPECT_LE((mesh.vertex(static_cast<int>(vertex)) - Vector3(0.1, 0.2, 0.0)).norm(), 1e-15);
}

}  // namespace
}  // namespace haptic
