#include "host/mesh/rigid_body.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "host/mesh/catalogue.h"
#include "shared/error.h"

namespace haptic {
namespace {

TEST(RigidBody, box_is_exact) {
  const TriangleMesh box =
      make_shape("box", {{"size_x", 0.1}, {"size_y", 0.2}, {"size_z", 0.3}, {"resolution", 3}});
  const Vector3 offset(0.5, -0.25, 2.0);
  const RigidProperties body = rigid_properties(translated(box, offset), 1200.0);
  const double mass = 1200.0 * 0.1 * 0.2 * 0.3;
  EXPECT_NEAR(body.mass, mass, 1e-13 * mass);
  EXPECT_LT((body.centre - offset).norm(), 1e-13);
  const Vector3 expected = mass / 12.0 * Vector3(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04);
  EXPECT_LT((body.inertia - Matrix3(expected.asDiagonal())).norm(), 1e-13 * mass);
}

TEST(RigidBody, sphere_converges_to_two_fifths) {
  const double r = 0.5, density = 800.0;
  const double mass = density * 4.0 / 3.0 * M_PI * r * r * r;
  double previous = 1.0;
  for (const double subdivisions : {2.0, 3.0, 4.0, 5.0}) {
    const RigidProperties body = rigid_properties(
        make_shape("sphere", {{"radius", r}, {"subdivisions", subdivisions}}), density);
    const double error = std::abs(body.inertia(0, 0) / (0.4 * mass * r * r) - 1.0);
    EXPECT_LT(error, 0.3 * previous);  // second order: a quarter for each halving
    previous = error;
    EXPECT_LT(body.centre.norm(), 1e-12);
  }
  EXPECT_LT(previous, 3e-3);
}

TEST(RigidBody, moves_with_the_surface) {
  const TriangleMesh spoon = make_shape("spoon", {{"resolution", 60}});
  const RigidProperties rest = rigid_properties(spoon, 1000.0);
  EXPECT_TRUE(rc::check("mass, centre and inertia are covariant", [&] {
    const auto number = [] { return *rc::gen::inRange(-1000, 1000) * 1e-3; };
    const Quaternion turn = rotation_exponential(3.0 * Vector3(number(), number(), number()));
    const Vector3 offset(number(), number(), number());
    TriangleMesh moved = spoon;
    for (Vector3& v : moved.vertices) v = turn * v + offset;
    const RigidProperties body = rigid_properties(moved, 1000.0);
    const Matrix3 rotation = turn.toRotationMatrix();
    RC_ASSERT(std::abs(body.mass - rest.mass) < 1e-11 * rest.mass);
    RC_ASSERT((body.centre - (turn * rest.centre + offset)).norm() < 1e-10);
    RC_ASSERT((body.inertia - rotation * rest.inertia * rotation.transpose()).norm() <
              1e-9 * rest.inertia.norm());
  }));
}

TEST(RigidBody, voxels_agree_with_the_surface_to_a_voxel) {
  const TriangleMesh box = make_shape("box", {});
  const VoxelMesh voxels = voxelize(box, {.resolution = 16});
  const RigidProperties exact = rigid_properties(box, 1000.0);
  const RigidProperties body = rigid_properties(voxels, 1000.0);
  // The voxels are the box grown by the factor 1.001 of the default enlargement.
  EXPECT_NEAR(body.mass, exact.mass * std::pow(1.001, 3), 1e-12);
  EXPECT_LT((body.centre - exact.centre).norm(), 1e-15);
  EXPECT_LT((body.inertia - exact.inertia * std::pow(1.001, 5)).norm(), 1e-15);
}

TEST(RigidBody, bad_density_and_inside_out_surface_are_refused) {
  TriangleMesh box = make_shape("box", {});
  EXPECT_THROW((void)rigid_properties(box, 0.0), InputError);
  EXPECT_THROW((void)rigid_properties(box, -5.0), InputError);
  EXPECT_THROW((void)rigid_properties(box, std::nan("")), InputError);
  for (auto& t : box.triangles) std::swap(t[0], t[1]);
  EXPECT_THROW((void)rigid_properties(box, 1000.0), InputError);
}

}  // namespace
}  // namespace haptic
