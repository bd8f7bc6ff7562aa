#include "host/mesh/tetrahedral_mesh.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <set>

#include "host/formats/tetrahedral_mesh_file.h"
#include "host/mesh/mesh_report.h"
#include "tests/host/mesh/mesh_test_support.h"
#include "tests/host/mesh/tetrahedral_block.h"

namespace haptic {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

double volume(const TetrahedralMesh& mesh) {
  double sum = 0.0;
  for (const auto& e : mesh.tetrahedra) {
    const Vector3& o = mesh.vertices[e[0]];
    sum +=
        (mesh.vertices[e[1]] - o).cross(mesh.vertices[e[2]] - o).dot(mesh.vertices[e[3]] - o) / 6.0;
  }
  return sum;
}

// Node 9 belongs to no tetrahedron; the second tetrahedron has a negative volume.
constexpr const char* kGmsh2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 7 "soft"
$EndPhysicalNames
$Nodes
6
9 5 5 5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
6 1 1 1
$EndNodes
$Elements
4
1 15 2 0 1 9
2 2 2 0 1 1 2 3
3 4 2 7 1 1 2 3 4
4 4 2 0 3 2 3 6 4
$EndElements
)";

constexpr const char* kGmsh4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
1 0 1 2
9 5 5 5 0
1 0 0 0 1 1 0 0 0
1 0 0 0 1 1 1 1 7 0
3 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 6 1 9
0 9 0 1
9
5 5 5
3 1 0 5
1
2
3
4
6
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
4 4 1 4
0 9 15 1
1 9
2 1 2 1
2 1 2 3
3 1 4 1
3 1 2 3 4
3 3 4 1
4 2 3 6 4
$EndElements
)";

void expect_two_tetrahedra(const TetrahedralMesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[4], Vector3(1, 1, 1));
  EXPECT_EQ(mesh.turned, 1u);
  ASSERT_EQ(mesh.tetrahedra.size(), 2u);
  EXPECT_THAT(mesh.tetrahedra[0], ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_THAT(mesh.tetrahedra[1], ElementsAre(1u, 2u, 3u, 4u));
  EXPECT_NEAR(volume(mesh), 1.0 / 6.0 + 1.0 / 3.0, 1e-15);
  EXPECT_THAT(mesh.regions, ElementsAre(7, 3));
}

TEST(TetrahedralMeshFile, gmsh_2_and_4_give_the_same_mesh) {
  const ScratchFolder folder;
  expect_two_tetrahedra(read_tetrahedral_mesh(folder.write("a.msh", kGmsh2)));
  expect_two_tetrahedra(read_tetrahedral_mesh(folder.write("b.msh", kGmsh4)));
}

template <typename... T>
std::string bytes(const T&... values) {
  std::string result;
  (result.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return result;
}

/// kGmsh2 in binary.
std::string gmsh_binary_2() {
  std::string text = "$MeshFormat\n2.2 1 8\n" + bytes(std::int32_t{1}) +
                     "\n$EndMeshFormat\n$PhysicalNames\n1\n" +
                     "3 7 \"bone\"\n$EndPhysicalNames\n$Nodes\n6\n";
  const std::pair<std::int32_t, std::array<double, 3>> nodes[] = {{9, {5, 5, 5}}, {1, {0, 0, 0}},
                                                                  {2, {1, 0, 0}}, {3, {0, 1, 0}},
                                                                  {4, {0, 0, 1}}, {6, {1, 1, 1}}};
  for (const auto& [tag, at] : nodes) text += bytes(tag, at);
  using Ids = std::array<std::int32_t, 3>;
  text += "\n$EndNodes\n$Elements\n4\n" + bytes(Ids{15, 1, 2}, Ids{1, 1, 1}, std::int32_t{9}) +
          bytes(Ids{2, 1, 2}, Ids{2, 1, 1}, Ids{1, 2, 3}) +
          bytes(Ids{4, 2, 2}, Ids{3, 7, 1}, std::array<std::int32_t, 4>{1, 2, 3, 4}) +
          bytes(Ids{4, 0, 3}, std::array<std::int32_t, 4>{2, 3, 6, 4});
  return text + "\n$EndElements\n";
}

/// kGmsh4 in binary.
std::string gmsh_binary_4() {
  using Sizes = std::array<std::int64_t, 4>;
  using Ids = std::array<std::int32_t, 3>;
  const std::array<double, 6> box{};
  std::string text =
      "$MeshFormat\n4.1 1 8\n" + bytes(std::int32_t{1}) + "\n$EndMeshFormat\n$Entities\n" +
      bytes(Sizes{1, 0, 1, 2}) +
      bytes(std::int32_t{1}, std::array<double, 3>{5, 5, 5}, std::int64_t{0}) +
      bytes(std::int32_t{1}, box, std::int64_t{0}, std::int64_t{1}, std::int32_t{1}) +
      bytes(std::int32_t{1}, box, std::int64_t{1}, std::int32_t{7}, std::int64_t{1},
            std::int32_t{1}) +
      bytes(std::int32_t{3}, box, std::int64_t{0}, std::int64_t{0}) + "\n$EndEntities\n$Nodes\n" +
      bytes(Sizes{2, 6, 1, 9});
  text += bytes(Ids{0, 1, 0}, std::int64_t{1}, std::int64_t{9}, std::array<double, 3>{5, 5, 5});
  text += bytes(Ids{3, 1, 1}, std::int64_t{5}, std::array<std::int64_t, 5>{1, 2, 3, 4, 6});
  for (const auto& at :
       {std::array<double, 3>{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}) {
    text += bytes(at, std::array<double, 3>{});  // three parametric coordinates
  }
  text += "\n$EndNodes\n$Elements\n" + bytes(Sizes{3, 3, 1, 4});
  text += bytes(Ids{2, 1, 2}, std::int64_t{1}, Sizes{2, 1, 2, 3});
  text += bytes(Ids{3, 1, 4}, std::int64_t{1}, std::int64_t{3}, Sizes{1, 2, 3, 4});
  text += bytes(Ids{3, 3, 4}, std::int64_t{1}, std::int64_t{4}, Sizes{2, 3, 6, 4});
  return text + "\n$EndElements\n";
}

TEST(TetrahedralMeshFile, binary_gmsh_gives_the_same_mesh) {
  const ScratchFolder folder;
  expect_two_tetrahedra(read_tetrahedral_mesh(folder.write("a.msh", gmsh_binary_2())));
  expect_two_tetrahedra(read_tetrahedral_mesh(folder.write("b.msh", gmsh_binary_4())));
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(TetrahedralMeshFile, sections_of_gmsh_that_say_nothing_of_the_body_are_left_out) {
  const ScratchFolder folder;
  const std::string other = "$Periodic\n1\n0 1 2\n$NotTheEnd\n1\n1 2\n$EndPeriodic\n$Nodes\n";
  expect_two_tetrahedra(
      read_tetrahedral_mesh(folder.write("a.msh", with(kGmsh2, "$Nodes\n", other))));
  expect_two_tetrahedra(
      read_tetrahedral_mesh(folder.write("b.msh", with(gmsh_binary_4(), "$Nodes\n", other))));
}

// Vertices are counted without node 9.
TEST(TetrahedralMeshFile, named_groups_of_gmsh_have_their_vertices_and_elements) {
  const ScratchFolder folder;
  const std::string names =
      "$PhysicalNames\n2\n3 7 \"soft\"\n2 5 \"the clamp\"\n$EndPhysicalNames\n";
  const std::string old = "$PhysicalNames\n1\n3 7 \"soft\"\n$EndPhysicalNames\n";
  const std::string of_2 = with(with(kGmsh2, old, names), "2 2 2 0 1 1 2 3", "2 2 2 5 1 1 2 3");
  const std::string of_4 = with(with(kGmsh4, "$Entities", names + "$Entities"), "1 0 0 0 1 1 0 0 0",
                                "1 0 0 0 1 1 0 1 -5 0");
  for (const std::string& text : {of_2, of_4}) {
    const TetrahedralMesh mesh = read_tetrahedral_mesh(folder.write("a.msh", text));
    expect_two_tetrahedra(mesh);
    ASSERT_EQ(mesh.groups.size(), 2u);
    EXPECT_EQ(mesh.groups[0].name, "soft");
    EXPECT_THAT(mesh.groups[0].vertices, ElementsAre(0u, 1u, 2u, 3u));
    EXPECT_THAT(mesh.groups[0].tetrahedra, ElementsAre(0u));
    EXPECT_EQ(mesh.groups[1].name, "the clamp");
    EXPECT_THAT(mesh.groups[1].vertices, ElementsAre(0u, 1u, 2u));
    EXPECT_TRUE(mesh.groups[1].tetrahedra.empty());
  }
  const TetrahedralMesh binary = read_tetrahedral_mesh(folder.write("b.msh", gmsh_binary_2()));
  ASSERT_EQ(binary.groups.size(), 1u);
  EXPECT_EQ(binary.groups[0].name, "bone");
  EXPECT_THAT(binary.groups[0].tetrahedra, ElementsAre(0u));
  // An element that is listed again belongs to both groups.
  std::string twice = with(kGmsh2, old, with(names, "2 5 \"the clamp\"", "3 8 \"stiff\""));
  twice = with(twice, "$Elements\n4", "$Elements\n5");
  twice.insert(twice.find("$EndElements"), "5 4 2 8 1 2 1 3 4\n");
  const TetrahedralMesh both = read_tetrahedral_mesh(folder.write("c.msh", twice));
  EXPECT_THAT(both.groups[0].tetrahedra, ElementsAre(0u));
  EXPECT_THAT(both.groups[1].tetrahedra, ElementsAre(0u));
  for (const char* bad : {"3 7 soft", "x 7 \"soft\"", "3 7 \"soft"}) {
    const auto path = folder.write("d.msh", with(kGmsh2, "3 7 \"soft\"", bad));
    EXPECT_THAT(input_error([&] { read_tetrahedral_mesh(path); }),
                HasSubstr("expected a dimension, a number and a name in quotes"));
  }
}

TEST(TetrahedralMeshFile, binary_gmsh_that_is_cut_or_swapped_is_refused) {
  const ScratchFolder folder;
  for (const std::string& whole : {gmsh_binary_2(), gmsh_binary_4()}) {
    const std::size_t end = whole.find("\n$EndElements");
    for (std::size_t size = 0; size < end; ++size) {
      const auto path = folder.write("cut.msh", whole.substr(0, size));
      EXPECT_THAT(input_error([&] { read_tetrahedral_mesh(path); }), HasSubstr("cut.msh")) << size;
    }
    std::string swapped = whole;
    swapped.replace(swapped.find(" 1 8\n") + 5, 4, std::string("\0\0\0\1", 4));
    EXPECT_THAT(input_error([&] { read_tetrahedral_mesh(folder.write("a.msh", swapped)); }),
                HasSubstr("found numbers whose bytes have the other order"));
  }
}

TEST(TetrahedralMeshFile, elements_of_two_groups_count_once) {
  const ScratchFolder folder;
  std::string text = kGmsh2;
  text.replace(text.find("$Elements\n4"), 11, "$Elements\n5");
  text.insert(text.find("$EndElements"), "5 4 2 8 1 2 1 3 4\n");  // that of group 7, turned
  const TetrahedralMesh mesh = read_tetrahedral_mesh(folder.write("a.msh", text));
  expect_two_tetrahedra(mesh);
  EXPECT_EQ(mesh.repeated, 1u);
}

TEST(TetrahedralMeshFile, medit) {
  const ScratchFolder folder;
  const std::string text =
      "MeshVersionFormatted 2\n# a comment\nDimension\n3\nVertices 6\n5 5 5 0\n0 0 0 0\n1 0 0 0\n0 "
      "1 0 0\n0 0 1 0\n"
      "1 1 1 0\nTriangles\n1\n1 2 3 1\nTetrahedra\n2\n2 3 4 5 7\n3 4 6 5 3\nRequiredVertices 1 "
      "2\nEnd\n";
  const TetrahedralMesh mesh = read_tetrahedral_mesh(folder.write("a.mesh", text));
  expect_two_tetrahedra(mesh);
  EXPECT_EQ(mesh.left_out.count, 1u);
  EXPECT_EQ(mesh.left_out.first_tag, 1);
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto path =
        folder.write("bad.mesh", changed.replace(changed.find(from), from.size(), to));
    return input_error([&] { read_tetrahedral_mesh(path); });
  };
  EXPECT_THAT(error("MeshVersionFormatted", "Mesh"), HasSubstr("bad.mesh: line 1: found no"));
  EXPECT_THAT(error("Dimension\n3", "Dimension\n2"),
              HasSubstr("line 4: found the dimension 2, expected 3"));
  EXPECT_THAT(error("0 1 0 0\n", "0 x 0 0\n"),
              HasSubstr("line 9: found \"x\", expected a finite number"));
  EXPECT_THAT(error("2 3 4 5 7", "2 3 4 9 7"),
              HasSubstr("found a tetrahedron with vertex 9, expected 1 to 6"));
  EXPECT_THAT(error("2 3 4 5 7", "0 3 4 5 7"),
              HasSubstr("found vertex 0, expected a number from 1"));
  EXPECT_THAT(error("Tetrahedra\n2", "Hexahedra\n2"), HasSubstr("found \"Hexahedra\""));
  EXPECT_THAT(error("Tetrahedra\n2", "Tetrahedra\n900"),
              HasSubstr("bad.mesh: line 19: found \"RequiredVertices\""));
  EXPECT_THAT(error("Vertices 6", "Vertices -6"), HasSubstr("found -6, expected a count"));
}

TEST(TetrahedralMeshFile, nodes_that_are_left_out_are_reported) {
  const ScratchFolder folder;
  std::string last = kGmsh2;
  last.erase(last.find("9 5 5 5\n"), 8);
  last.insert(last.find("$EndNodes"), "9 5 5 5\n");
  for (const auto& [text, renumbers] :
       {std::pair<std::string, bool>{kGmsh2, true}, {kGmsh4, true}, {last, false}}) {
    const LeftOutVertices left = read_tetrahedral_mesh(folder.write("a.msh", text)).left_out;
    EXPECT_EQ(left.count, 1u);
    EXPECT_EQ(left.first_tag, 9);
    EXPECT_EQ(left.renumbers, renumbers);
  }
}

TEST(TetrahedralMeshFile, windows_line_ends_are_accepted) {
  const ScratchFolder folder;
  std::string text;
  for (const char c : std::string(kGmsh4)) {
    if (c == '\n') text.push_back('\r');
    text.push_back(c);
  }
  expect_two_tetrahedra(read_tetrahedral_mesh(folder.write("a.msh", text)));
}

TEST(TetrahedralMeshFile, tetgen_counts_from_zero_or_one) {
  const ScratchFolder folder;
  for (const int first : {0, 1}) {
    std::string nodes = "# made by hand\n5 3 0 1\n", elements = "2 4 1\n";
    const char* points[] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1", "1 1 1"};
    for (int i = 0; i < 5; ++i) nodes += fmt::format("{}  {} 1\n", first + i, points[i]);
    elements += fmt::format("{} {} {} {} {} 7\n", first, first, first + 1, first + 2, first + 3);
    elements += fmt::format("{} {} {} {} {} 3  # the other\n", first + 1, first + 1, first + 2,
                            first + 4, first + 3);
    const auto node_file = folder.write("t.1.node", nodes);
    const auto element_file = folder.write("t.1.ele", elements);
    expect_two_tetrahedra(read_tetrahedral_mesh(element_file));
    expect_two_tetrahedra(read_tetrahedral_mesh(node_file));
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(TetrahedralMeshFile, invalid_files_are_refused_with_their_line) {
  const ScratchFolder folder;
  const auto error = [&](const std::string& text) {
    const auto path = folder.write("bad.msh", text);
    return input_error([&] { read_tetrahedral_mesh(path); });
  };
  EXPECT_THAT(error("$NOD\n1\n1 0 0 0\n$ENDNOD\n"),
              AllOf(HasSubstr("bad.msh: line 1: found Gmsh format 1"), HasSubstr("gmsh -save")));
  EXPECT_THAT(error(replaced(kGmsh2, "2.2 0 8", "4 0 8")), HasSubstr("2.2 or 4.1"));
  EXPECT_THAT(error(replaced(kGmsh2, "3 4 2 7 1 1 2 3 4", "3 4 2 7 1 1 2 3 77")),
              AllOf(HasSubstr("line 21"), HasSubstr("node 77")));
  EXPECT_THAT(error(replaced(kGmsh2, "3 4 2 7 1 1 2 3 4", "3 5 2 7 1 1 2 3 4 1 2 3 4")),
              HasSubstr("hexahedra"));
  EXPECT_THAT(error(replaced(kGmsh2, "3 4 2 7 1 1 2 3 4", "3 4 2 7 1 1 2 3")),
              HasSubstr("found 8 numbers"));
  EXPECT_THAT(error(replaced(kGmsh2, "2 1 0 0", "2 1 x 0")),
              AllOf(HasSubstr("line 12"), HasSubstr("\"x\"")));
  EXPECT_THAT(error(replaced(kGmsh2, "2 1 0 0", "2 1 nan 0")), HasSubstr("finite"));
  EXPECT_THAT(error(replaced(kGmsh2, "2 1 0 0", "1 1 0 0")), HasSubstr("node 1 twice"));
  EXPECT_THAT(error(replaced(kGmsh2, "$EndNodes", "$EndElements")), HasSubstr("$EndNodes"));
  EXPECT_THAT(error(std::string(kGmsh2).substr(0, std::string(kGmsh2).find("6 1 1 1"))),
              HasSubstr("end of the file"));
  EXPECT_THAT(error("solid x\n"), HasSubstr("$MeshFormat"));
  EXPECT_THAT(error(""), HasSubstr("end of the file"));
  EXPECT_THAT(error(replaced(replaced(kGmsh2, "3 4 2 7 1 1 2 3 4\n", ""), "4 4 2 0 3 2 3 6 4\n", "")
                        .replace(std::string(kGmsh2).find("$Elements\n4"), 11, "$Elements\n2")),
              HasSubstr("no tetrahedron"));
  EXPECT_THAT(error(replaced(kGmsh2, "3 4 2 7 1 1 2 3 4", "3 4 2 7 1 1 2 3 3")),
              AllOf(HasSubstr("tetrahedron 0"), HasSubstr("twice")));
  // The four corners in the plane z = 0.
  EXPECT_THAT(error(replaced(kGmsh2, "4 0 0 1", "4 1 1 0")),
              AllOf(HasSubstr("tetrahedron 0"), HasSubstr("plane")));
  EXPECT_THAT(input_error([&] { read_tetrahedral_mesh(folder.path() / "none.msh"); }),
              HasSubstr("no such file"));
  EXPECT_THAT(input_error([&] { read_tetrahedral_mesh(folder.write("a.obj", "")); }),
              HasSubstr("volume mesh format"));
  folder.write("t.node", "3 3 0 0\n0 0 0 0\n1 1 0 0\n3 0 1 0\n");
  folder.write("t.ele", "1 4 0\n0 0 1 2 3\n");
  EXPECT_THAT(input_error([&] { read_tetrahedral_mesh(folder.path() / "t.ele"); }),
              AllOf(HasSubstr("t.node: line 4"), HasSubstr("point 2")));
}

TEST(TetrahedralMesh, boundary_is_closed_outward_and_encloses_the_volume) {
  const TetrahedralMesh mesh = tetrahedral_block(4, 2, 3, 0.1);
  const BoundarySurface surface = boundary_surface(mesh, "block");
  // Two triangles for each of the 2 (4*2 + 4*3 + 2*3) faces of the cubes.
  EXPECT_EQ(surface.mesh.triangles.size(), 104u);
  EXPECT_EQ(surface.mesh.vertices.size(), 5u * 3u * 4u - 3u * 1u * 2u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& t : surface.mesh.triangles) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_TRUE(edges.insert({t[c], t[(c + 1) % 3]}).second);
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a}));
  EXPECT_NEAR(signed_volume(surface.mesh), volume(mesh), 1e-14 * volume(mesh));
  for (std::size_t v = 0; v < surface.mesh.vertices.size(); ++v) {
    EXPECT_EQ(surface.mesh.vertices[v], mesh.vertices[surface.volume_vertex[v]]);
  }
}

TEST(TetrahedralMesh, elements_that_overlap_are_refused) {
  TetrahedralMesh mesh = tetrahedral_block(1, 1, 1, 0.1);
  mesh.tetrahedra.push_back(mesh.tetrahedra[2]);
  EXPECT_THAT(input_error([&] { boundary_surface(mesh, "block"); }),
              AllOf(HasSubstr("block: tetrahedron 6"), HasSubstr("tetrahedron 2")));
}

}  // namespace
}  // namespace haptic
