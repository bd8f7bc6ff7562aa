#include "host/mesh/voxel_mesh.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <set>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"
#include "tests/host/mesh/mesh_test_support.h"

namespace haptic {
namespace {

Vector3 random_in_cube(std::mt19937& random, double half) {
  std::uniform_real_distribution<double> uniform(-half, half);
  return {uniform(random), uniform(random), uniform(random)};
}

/// Squared distance from a point to the cube, minimised over the triangle by projection of many
/// samples: an upper bound only, so it proves contact and never its absence.
bool sampled_contact(double half, const Vector3& a, const Vector3& b, const Vector3& c) {
  constexpr int kSteps = 60;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; i + j <= kSteps; ++j) {
      const Vector3 p = a + (b - a) * i / kSteps + (c - a) * j / kSteps;
      if (p.cwiseAbs().maxCoeff() <= half) return true;
    }
  }
  return false;
}

TEST(TriangleMeetsCube, never_misses_a_sampled_contact_and_rejects_separated_ones) {
  std::mt19937 random(7);
  int contacts = 0, misses = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Vector3 a = random_in_cube(random, 2.0), b = random_in_cube(random, 2.0),
                  c = random_in_cube(random, 2.0);
    const bool meets = triangle_meets_cube(Vector3::Zero(), 0.5, a, b, c);
    if (meets) {
      ++contacts;
      // Grown by more than the sample distance (largest edge 7 / 60), the cube must catch a sample.
      EXPECT_TRUE(sampled_contact(0.5 + 0.12, a, b, c));
    } else {
      ++misses;
      EXPECT_FALSE(sampled_contact(0.5, a, b, c));
    }
  }
  EXPECT_GT(contacts, 1000);
  EXPECT_GT(misses, 1000);
}

TEST(TriangleMeetsCube, touching_counts) {
  const Vector3 a(0.5, -3, -3), b(0.5, 3, -3), c(0.5, 0, 3);
  EXPECT_TRUE(triangle_meets_cube(Vector3::Zero(), 0.5, a, b, c));
  const Vector3 gap(1e-6, 0, 0);
  EXPECT_FALSE(triangle_meets_cube(Vector3::Zero(), 0.5, a + gap, b + gap, c + gap));
}

/// Structure that every voxel mesh has.
void expect_sound(const VoxelMesh& mesh) {
  const double h = mesh.edge;
  ASSERT_EQ(mesh.cell_of_element.size(), mesh.elements.size());
  std::set<std::uint32_t> used;
  for (std::uint32_t e = 0; e < mesh.elements.size(); ++e) {
    EXPECT_EQ(mesh.element_of_cell[mesh.cell_of_element[e]], e);
    if (e > 0) {
      EXPECT_LT(mesh.cell_of_element[e - 1], mesh.cell_of_element[e]);
    }
    const Vector3 low = mesh.lower_corner(e);
    for (std::size_t b = 0; b < 8; ++b) {
      const auto& o = kCornerOffsets[b];
      const Vector3 expected = low + h * Vector3(o[0], o[1], o[2]);
      EXPECT_LT((mesh.vertices[mesh.elements[e][b]] - expected).norm(), 1e-12 + 1e-9 * h);
      used.insert(mesh.elements[e][b]);
    }
  }
  EXPECT_EQ(used.size(), mesh.vertices.size());  // no vertex without an element
}

TEST(VoxelMesh, resolution_voxels_span_the_longest_side) {
  const VoxelMesh beam = voxelize(make_shape("beam", {}), {.resolution = 20});
  EXPECT_EQ(beam.dims, (std::array<std::uint32_t, 3>{20, 2, 3}));
  EXPECT_NEAR(beam.edge, 0.2 * 1.001 / 20, 1e-15);
  EXPECT_EQ(beam.elements.size(), 120U);
  EXPECT_EQ(beam.vertices.size(), 21U * 4 * 3);
  expect_sound(beam);
}

TEST(VoxelMesh, the_published_box_factor_is_available) {
  const VoxelMesh mesh =
      voxelize(make_shape("sphere", {}), {.resolution = 24, .fill = true, .enlargement = 1.2});
  EXPECT_NEAR(mesh.edge, 0.04 * 1.2 / 24, 1e-12);
  EXPECT_EQ(mesh.dims, (std::array<std::uint32_t, 3>{24, 24, 24}));
  expect_sound(mesh);
}

TEST(VoxelMesh, flood_fill_makes_it_solid) {
  const TriangleMesh sphere = make_shape("sphere", {{"radius", 0.5}});
  const VoxelMesh solid = voxelize(sphere, {.resolution = 32});
  const VoxelMesh hollow = voxelize(sphere, {.resolution = 32, .fill = false});
  EXPECT_EQ(hollow.report.filled_voxels, 0U);
  EXPECT_EQ(solid.elements.size(), hollow.elements.size() + solid.report.filled_voxels);
  EXPECT_GT(solid.report.filled_voxels, 10000U);
  // Conservative voxels exceed the sphere by at most a layer of voxel diagonals.
  const double exact = signed_volume(sphere), layer = surface_area(sphere) * solid.edge * 1.8;
  EXPECT_GT(solid.volume(), exact);
  EXPECT_LT(solid.volume(), exact + layer);
}

TEST(VoxelMesh, a_hole_in_the_surface_prevents_the_fill) {
  TriangleMesh box = make_shape("box", {});
  std::erase_if(box.triangles, [&](const auto& t) {
    const Vector3 c = (box.vertices[t[0]] + box.vertices[t[1]] + box.vertices[t[2]]) / 3.0;
    return c.z() > 0.0199 && c.head<2>().norm() < 0.012;
  });
  const VoxelMesh mesh = voxelize(box, {.resolution = 24});
  EXPECT_EQ(mesh.report.filled_voxels, 0U);
  EXPECT_NE(mesh.report.summary().find("0 filled"), std::string::npos);
}

TEST(VoxelMesh, smaller_pieces_are_dropped_and_reported) {
  const TriangleMesh box = make_shape("box", {});
  const TriangleMesh two = merged(box, translated(scaled(box, 0.25), {0.06, 0.0, 0.0}));
  const VoxelMesh mesh = voxelize(two, {.resolution = 40});
  EXPECT_EQ(mesh.report.components, 2U);
  EXPECT_GT(mesh.report.dropped_voxels, 0U);
  for (const Vector3& v : mesh.vertices) EXPECT_LT(v.x(), 0.03);
  expect_sound(mesh);
}

TEST(VoxelMesh, pieces_that_share_only_an_edge_are_two) {
  // Two cubes that touch along one edge of the grid.
  const TriangleMesh box = scaled(make_shape("box", {{"resolution", 1}}), 0.9);
  const TriangleMesh two = merged(box, translated(box, {0.04, 0.04, 0.0}));
  const VoxelMesh mesh = voxelize(two, {.resolution = 2});
  EXPECT_EQ(mesh.report.components, 2U);
  EXPECT_EQ(mesh.elements.size(), 1U);
}

TEST(VoxelMesh, bad_settings_are_refused) {
  const TriangleMesh box = make_shape("box", {});
  EXPECT_THROW((void)voxelize(box, {.resolution = 0}), InputError);
  EXPECT_THROW((void)voxelize(box, {.resolution = 100000}), InputError);
  EXPECT_THROW((void)voxelize(box, {.resolution = 8, .fill = true, .enlargement = 0.9}),
               InputError);
  EXPECT_THROW((void)voxelize(TriangleMesh{}, {}), InputError);
}

/// Every sampled surface point lies in an element, unless its piece was dropped.
void expect_conservative(const TriangleMesh& surface, std::uint32_t resolution) {
  const VoxelMesh mesh = voxelize(surface, {.resolution = resolution});
  ASSERT_EQ(mesh.report.dropped_voxels, 0U);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const std::size_t stride = std::max<std::size_t>(1, surface.triangles.size() / 5000);
  for (std::size_t t = 0; t < surface.triangles.size(); t += stride) {
    const auto& [i, j, k] = surface.triangles[t];
    for (int sample = 0; sample < 4; ++sample) {
      const double u = uniform(random), v = uniform(random) * (1.0 - u);
      const Vector3 p =
          (1.0 - u - v) * surface.vertices[i] + u * surface.vertices[j] + v * surface.vertices[k];
      const Vector3 local = (p - mesh.origin) / mesh.edge;
      const auto cell = [&](int axis) { return static_cast<std::uint32_t>(local[axis]); };
      const std::uint32_t at = mesh.cell_index(cell(0), cell(1), cell(2));
      ASSERT_NE(mesh.element_of_cell.at(at), VoxelMesh::kNoElement);
    }
  }
}

TEST(VoxelMesh, contains_every_sampled_point_of_the_catalogue) {
  for (const char* shape : {"spoon", "hose", "alpha", "torus", "bolt", "plate"}) {
    SCOPED_TRACE(shape);
    expect_conservative(make_shape(shape, {}), 40);
  }
}

TEST(VoxelMesh, contains_every_sampled_point_at_any_placement) {
  EXPECT_TRUE(rc::check("conservative under rotation and resolution", [] {
    const auto resolution = *rc::gen::inRange<std::uint32_t>(1, 40);
    const auto angle = [] { return *rc::gen::inRange(-3000, 3000) * 1e-3; };
    const Quaternion turn = rotation_exponential({angle(), angle(), angle()});
    TriangleMesh mesh = make_shape("alpha", {{"resolution", 60}, {"segments", 8}});
    for (Vector3& v : mesh.vertices) v = turn * v;
    expect_conservative(mesh, resolution);
  }));
}

class RealMeshVoxels : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, RealMeshVoxels,
                         testing::Values("spot", "rocker-arm", "fandisk", "stanford-bunny",
                                         "teapot"),
                         [](const auto& mesh) {
                           std::string name = mesh.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(RealMeshVoxels, are_conservative_and_valid) {
  const auto path = real_mesh_folder() / (std::string(GetParam()) + ".obj");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there; set HAPTIC_MESHES";
  TriangleMesh mesh = read_mesh(path);
  clean_mesh(mesh);
  expect_conservative(mesh, 32);
  expect_sound(voxelize(mesh, {.resolution = 32}));
}

}  // namespace
}  // namespace haptic
