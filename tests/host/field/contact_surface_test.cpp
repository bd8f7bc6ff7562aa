#include "host/field/contact_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/field/distance_field_builder.h"
#include "host/field/surface_distance.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

TriangleMesh turned(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

/// The surface of `contact` lies at the offset from the input: closed, outward, every vertex of the
/// input inside by the offset, within the sampling error.
void expect_offset_surface(const TriangleMesh& input, const ContactSurface& contact) {
  EXPECT_EQ(contact.route, ContactSurfaceRoute::kOffset);
  EXPECT_TRUE(contact.report.closed) << contact.report.summary();
  EXPECT_EQ(contact.report.inconsistent_edges, 0U);
  EXPECT_GT(contact.report.volume, 0.0);
  EXPECT_NEAR(contact.offset, 1.4 * contact.voxel, 1e-12);
  const SurfaceDistance offset(contact.mesh);
  const SurfaceDistance original(input);
  // The trilinear interpolant is off by at most sqrt(3)/2 h and dual contouring puts its vertices
  // within the same cell.
  const double bound = std::sqrt(3.0) * contact.voxel;
  for (const Vector3& v : contact.mesh.vertices) {
    EXPECT_NEAR(original.unsigned_distance(v), contact.offset, bound);
  }
  double worst = -1e9;
  for (const auto& t : input.triangles) {
    const Vector3& a = input.vertices[t[0]];
    const Vector3& b = input.vertices[t[1]];
    const Vector3& c = input.vertices[t[2]];
    for (const Vector3& p : {a, Vector3((a + b + c) / 3.0)}) {
      worst = std::max(worst, offset.signed_distance(p));
    }
  }
  testing::Test::RecordProperty("worst_depth_voxels", std::to_string(worst / contact.voxel));
  EXPECT_LT(worst, 0.0);  // contains the surface
  EXPECT_LE(worst, -contact.offset + std::sqrt(3.0) / 2.0 * contact.voxel);
  // The field of the result passes its own sanity check, so the surface does not intersect itself.
  EXPECT_NO_THROW(build_distance_field(offset, {32, 1.5}));
}

TEST(ContactSurface, a_closed_mesh_is_its_own_contact_surface) {
  const TriangleMesh sphere = sphere_mesh(0.5, 3);
  const ContactSurface contact = make_contact_surface(sphere);
  EXPECT_EQ(contact.route, ContactSurfaceRoute::kClosedMesh);
  EXPECT_EQ(contact.mesh.vertices, sphere.vertices);
  EXPECT_EQ(contact.mesh.triangles, sphere.triangles);
  EXPECT_EQ(contact.offset, 0.0);
  EXPECT_EQ(contact.components, 1U);
}

TEST(ContactSurface, a_closed_mesh_is_turned_outward) {
  const ContactSurface contact = make_contact_surface(turned(sphere_mesh(0.5, 3)));
  EXPECT_GT(signed_volume(contact.mesh), 0.0);
}

TEST(ContactSurface, the_inner_sheet_of_an_offset_sphere_is_dropped) {
  const TriangleMesh sphere = sphere_mesh(0.5, 4);
  const ContactSurface contact =
      make_contact_surface(sphere, {.resolution = 64, .force_offset = true});
  EXPECT_EQ(contact.components, 1U);
  EXPECT_EQ(contact.dropped_components, 1U);
  const double radius = 0.5 + contact.offset;
  // Sampling at h: the volume is right to a few percent of a voxel's layer.
  EXPECT_NEAR(contact.report.volume, 4.0 / 3.0 * M_PI * std::pow(radius, 3),
              0.1 * contact.voxel * 4.0 * M_PI * radius * radius);
  expect_offset_surface(sphere, contact);
}

TEST(ContactSurface, a_large_opening_gives_a_closed_thin_wall) {
  TriangleMesh cup = box_mesh(Vector3::Zero(), Vector3(1, 1, 1));
  cup.triangles.erase(cup.triangles.begin() + 2, cup.triangles.begin() + 4);  // the top
  const ContactSurface contact = make_contact_surface(cup, {.resolution = 64});
  EXPECT_EQ(contact.components, 1U);
  EXPECT_EQ(contact.dropped_components, 0U);
  expect_offset_surface(cup, contact);
  const SurfaceDistance surface(contact.mesh);
  EXPECT_GT(surface.signed_distance(Vector3(0.5, 0.5, 0.5)), 0.0) << "the cup stays hollow";
}

TEST(ContactSurface, a_thin_plate_gets_opposing_normals) {
  TriangleMesh plate;
  plate.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  plate.triangles = {{0, 1, 2}, {0, 2, 3}};
  const ContactSurface contact = make_contact_surface(plate, {.resolution = 64});
  expect_offset_surface(plate, contact);
  const SurfaceDistance surface(contact.mesh);
  EXPECT_GT(surface.nearest(Vector3(0.52, 0.53, 0.2)).pseudonormal.z(), 0.99);
  EXPECT_LT(surface.nearest(Vector3(0.52, 0.53, -0.2)).pseudonormal.z(), -0.99);
}

TEST(ContactSurface, separate_bodies_are_kept) {
  TriangleMesh two = sphere_mesh(0.5, 3);
  two = merged(std::move(two), translated(sphere_mesh(0.4, 3), Vector3(3, 0, 0)));
  const ContactSurface contact =
      make_contact_surface(two, {.resolution = 128, .force_offset = true});
  EXPECT_EQ(contact.components, 2U);
  EXPECT_EQ(contact.dropped_components, 2U);
}

TEST(ContactSurface, bad_input_is_refused) {
  EXPECT_THROW(make_contact_surface(TriangleMesh{}), InputError);
  const TriangleMesh box = box_mesh(Vector3::Zero(), Vector3::Ones());
  EXPECT_THROW(make_contact_surface(box, {.offset_voxels = 0.1}), InputError);
  EXPECT_THROW(make_contact_surface(box, {.resolution = 33, .force_offset = true}), InputError);
  EXPECT_THROW(
      make_contact_surface(box, {.resolution = 16, .expansion = 1.05, .force_offset = true}),
      InputError);
}

class OpenMesh : public testing::TestWithParam<const char*> {};

TEST_P(OpenMesh, the_offset_route_closes_it) {
  TriangleMesh mesh;
  if (!load_real_mesh(GetParam(), mesh)) GTEST_SKIP() << "no real meshes: set HAPTIC_MESHES";
  const double factor = 0.2 / bounding_box(mesh).longest_side();
  mesh = scaled(std::move(mesh), factor);
  const ContactSurface contact = make_contact_surface(mesh, {.resolution = 64});
  expect_offset_surface(mesh, contact);
}

INSTANTIATE_TEST_SUITE_P(Real, OpenMesh, testing::Values("stanford-bunny.obj", "teapot.obj"),
                         [](const auto& mesh) { return test_name(mesh.param); });

}  // namespace
}  // namespace haptic
