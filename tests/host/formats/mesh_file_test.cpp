#include "host/formats/mesh_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstring>

#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"
#include "tests/host/mesh/mesh_test_support.h"

namespace haptic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

TEST(MeshFile, obj_written_is_read_back) {
  const ScratchFolder folder;
  const TriangleMesh torus = make_shape("torus", {});
  const auto path = folder.path() / "torus.obj";
  write_obj(path, torus);
  const TriangleMesh read = read_mesh(path);
  ASSERT_EQ(read.vertices.size(), torus.vertices.size());
  ASSERT_EQ(read.triangles.size(), torus.triangles.size());
  for (std::size_t t = 0; t < torus.triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Vector3& a = torus.vertices[torus.triangles[t][c]];
      const Vector3& b = read.vertices[read.triangles[t][c]];
      EXPECT_LT((a - b).norm(), 1e-9);  // the file has nine digits
    }
  }
  // Nothing else is left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(MeshFile, vertices_keep_the_order_of_first_use) {
  const ScratchFolder folder;
  const TriangleMesh mesh = read_mesh(folder.write("t.obj", kTetrahedron));
  ASSERT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.vertices[0], Vector3(0, 0, 0));
  EXPECT_EQ(mesh.vertices[1], Vector3(0, 1, 0));
  EXPECT_EQ(mesh.vertices[2], Vector3(1, 0, 0));
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{0, 1, 2}));
}

TEST(MeshFile, polygons_seams_and_materials_become_one_closed_surface) {
  const ScratchFolder folder;
  // A cube of quads whose corners have different texture coordinates and two materials.
  std::string text = "mtllib none.mtl\n";
  for (int i = 0; i < 8; ++i) {
    text += "v " + std::to_string(i & 1) + " " + std::to_string(i >> 1 & 1) + " " +
            std::to_string(i >> 2) + "\n";
  }
  for (int i = 0; i < 4; ++i) text += "vt 0." + std::to_string(i) + " 0.5\n";
  text += "usemtl a\nf 1/1 3/2 4/3 2/4\nf 5/1 6/2 8/3 7/4\nf 1/1 2/2 6/3 5/4\n";
  text += "usemtl b\nf 3/2 7/1 8/4 4/3\nf 1/2 5/1 7/4 3/3\nf 2/3 4/4 8/1 6/2\n";
  TriangleMesh mesh = read_mesh(folder.write("cube.obj", text));
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.vertices, 8U);
  EXPECT_EQ(report.triangles, 12U);
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_DOUBLE_EQ(report.volume, 1.0);
}

TEST(MeshFile, stl_connectivity_is_restored) {
  const ScratchFolder folder;
  const TriangleMesh sphere = make_shape("sphere", {{"subdivisions", 2}});
  std::string bytes(80, ' ');
  const auto append = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  append(static_cast<std::uint32_t>(sphere.triangles.size()));
  for (const auto& triangle : sphere.triangles) {
    for (int i = 0; i < 3; ++i) append(0.0F);  // normal
    for (const std::uint32_t v : triangle) {
      for (int axis = 0; axis < 3; ++axis) append(static_cast<float>(sphere.vertices[v][axis]));
    }
    append(std::uint16_t{0});
  }
  TriangleMesh mesh = read_mesh(folder.write("Ball.STL", bytes));
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.vertices, sphere.vertices.size());
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
}

TEST(MeshFile, ply_is_read) {
  const ScratchFolder folder;
  const TriangleMesh mesh = read_mesh(folder.write(
      "t.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n"));
  EXPECT_EQ(mesh.vertices.size(), 4U);
  EXPECT_TRUE(inspect_mesh(mesh).closed_manifold());
}

TEST(MeshFile, bad_files_are_refused_in_one_line) {
  const ScratchFolder folder;
  struct Case {
    const char *name, *text, *expected;
  };
  const Case cases[] = {
      {"empty.obj", "", "empty file"},
      {"points.obj", "v 0 0 0\nv 1 0 0\n", ""},
      {"nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "vertex 2 (line 2)"},
      {"unused_nan.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 inf\nf 1 2 3\n", "vertex 4 (line 4)"},
      {"overflow.obj", "v 0 0 0\nv 1e39 0 0\nv 0 1 0\nf 1 2 3\n", "vertex"},
      {"short.obj", "v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "vertex 2 (line 2)"},
      {"range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n", "line 4: found vertex 7"},
      {"flat.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", "extent"},
      {"garbage.ply", "not a mesh at all", "found no \"ply\" in its first line"},
      {"garbage.stl", "not a mesh at all", ""},
      {"range.ply",
       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
       "float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 "
       "0\n0 1 0\n3 0 1 9\n",
       ""},
      {"nan.ply",
       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
       "float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 nan "
       "0\n0 1 0\n3 0 1 2\n",
       "vertex 2 (line 11)"},
      {"mesh.xyz", "0 0 0", "unknown mesh format"},
      {"noextension", "v 0 0 0", "no file extension"},
  };
  for (const Case& test : cases) {
    const auto path = folder.write(test.name, test.text);
    const std::string message = input_error([&] { (void)read_mesh(path); });
    EXPECT_THAT(message, AllOf(HasSubstr(test.name), HasSubstr(test.expected)));
    EXPECT_THAT(message, testing::Not(HasSubstr("\n")));
  }
  EXPECT_THAT(input_error([&] { (void)read_mesh(folder.path() / "missing.obj"); }),
              HasSubstr("no such file"));
  EXPECT_THAT(input_error([&] { (void)read_mesh(folder.path()); }), HasSubstr("extension"));
}

TEST(MeshFile, double_precision_far_from_the_origin) {
  const ScratchFolder folder;
  // A cube of 0.1 m at 5e6 m, where single precision has steps of 0.5 m.
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("v {:.6f} {:.6f} {:.6f}\n", 5e6 + 0.1 * (i & 1), -5e6 + 0.1 * (i >> 1 & 1),
                        0.1 * (i >> 2));
  }
  text += "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
  TriangleMesh mesh = read_mesh(folder.write("cube.obj", text));
  const MeshReport report = clean_mesh(mesh);
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_NEAR(report.volume, 1e-3, 1e-3 * 3e-8);  // 1e-9 m at 5e6 m in a side of 0.1 m
}

TEST(MeshFile, zeros_of_either_sign_are_one_place) {
  const ScratchFolder folder;
  const TriangleMesh mesh = read_mesh(folder.write(
      "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 0 0 1\nv 1 -0 0\nf 1 2 3\nf 4 5 6\n"));
  EXPECT_EQ(mesh.vertices.size(), 4U);
}

TEST(MeshFile, a_hundred_thousand_groups_are_one_mesh) {
  const ScratchFolder folder;
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  for (int i = 0; i < 100'000; ++i) text += "g group" + std::to_string(i) + "\nf 1 2 3\n";
  EXPECT_EQ(read_mesh(folder.write("groups.obj", text)).triangles.size(), 100'000u);
}

TEST(MeshFile, a_failed_write_keeps_the_old_file_and_leaves_no_other) {
  const TriangleMesh box = make_shape("box", {});
  EXPECT_THROW(write_obj("/proc/no/such/folder/box.obj", box), OperationError);
  const ScratchFolder folder;
  const auto taken = folder.path() / "taken.obj";  // a folder cannot be replaced by a file
  std::filesystem::create_directory(taken);
  EXPECT_THROW(write_obj(taken, box), OperationError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

struct RealMesh {
  const char* name;
  std::size_t boundary_edges, triangles;
};

class RealMeshFile : public testing::TestWithParam<RealMesh> {};

// The teapot has 1,036 boundary edges by its own indices; 876 of them are seams between patches
// whose vertices coincide, and joining equal positions closes these.
INSTANTIATE_TEST_SUITE_P(All, RealMeshFile,
                         testing::Values(RealMesh{"spot", 0, 5856},
                                         RealMesh{"rocker-arm", 0, 20088},
                                         RealMesh{"fandisk", 0, 12946},
                                         RealMesh{"stanford-bunny", 223, 69451},
                                         RealMesh{"teapot", 160, 6320}),
                         [](const auto& mesh) {
                           std::string name = mesh.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(RealMeshFile, is_read_and_reported_as_it_is) {
  const auto path = real_mesh_folder() / (std::string(GetParam().name) + ".obj");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there; set HAPTIC_MESHES";
  TriangleMesh mesh = read_mesh(path);
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.boundary_edges, GetParam().boundary_edges);
  EXPECT_EQ(report.triangles, GetParam().triangles);
  EXPECT_EQ(report.closed, GetParam().boundary_edges == 0);
  EXPECT_EQ(report.non_manifold_edges, 0U);
  EXPECT_EQ(report.inconsistent_edges, 0U);
  EXPECT_GT(report.volume, 0.0);
}

}  // namespace
}  // namespace haptic
