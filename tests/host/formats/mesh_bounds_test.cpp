#include "host/formats/mesh_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "host/formats/mesh_file.h"
#include "shared/error.h"
#include "tests/host/mesh/mesh_test_support.h"

namespace haptic {
namespace {

using testing::HasSubstr;

/// Why bytes are refused; what becomes of them otherwise.
std::string outcome(const std::string& extension, std::string bytes) {
  try {
    demand_mesh_bounds("a" + extension, extension, bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return bytes;
}

std::string ply(const std::string& format, const std::string& vertices, const std::string& faces,
                const std::string& body, const std::string& more = {}) {
  return "ply\nformat " + format + " 1.0\n" + more + "element vertex " + vertices +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + faces +
         "\nproperty list uchar int vertex_indices\nend_header\n" + body;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string binary_stl(unsigned char triangles, std::size_t present) {
  std::string bytes(84 + 50 * present, '\0');
  bytes[80] = static_cast<char>(triangles);
  return bytes;
}

TEST(MeshBounds, counts_that_a_ply_file_has_no_bytes_for_are_refused) {
  const std::string body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2";
  EXPECT_EQ(outcome(".ply", ply("ascii", "3", "1", body)), ply("ascii", "3", "1", body));
  EXPECT_THAT(outcome(".ply", ply("ascii", "4000000000", "1", body)),
              HasSubstr("a.ply: element vertex: found a count of 4000000000 in a file of "));
  EXPECT_THAT(outcome(".ply", ply("ascii", "18446744073709551615", "1", body)),
              HasSubstr("element vertex: found a count of 18446744073709551615"));
  EXPECT_THAT(outcome(".ply", ply("ascii", "99999999999999999999", "1", body)),
              HasSubstr("element vertex: found 99999999999999999999, expected a count"));
  EXPECT_THAT(outcome(".ply", ply("ascii", "3", "-1", body)),
              HasSubstr("element face: found -1, expected a count"));
  const std::string binary(3 * 12 + 13, '\0');
  EXPECT_EQ(outcome(".ply", ply("binary_little_endian", "3", "1", binary)),
            ply("binary_little_endian", "3", "1", binary));
  EXPECT_THAT(outcome(".ply", ply("binary_little_endian", "5", "1", binary)),
              HasSubstr("element vertex: found a count of 5 in"));
  EXPECT_THAT(outcome(".ply", ply("binary_little_endian", "3", "15", binary)),
              HasSubstr("element face: found a count of 15 in"));
}

TEST(MeshBounds, a_ply_header_has_a_bounded_length) {
  const std::string body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  EXPECT_THAT(outcome(".ply", ply("ascii", "3", "1", body, repeated("comment x\n", 100'000))),
              HasSubstr("found no end of the header in the first 256 KiB, expected a PLY mesh"));
  EXPECT_THAT(
      outcome(".ply",
              ply("ascii", "3", "1", body, repeated("element e 0\nproperty float x\n", 200))),
      HasSubstr("found 101 elements with 100 properties in the header, expected at most 100"));
}

TEST(MeshBounds, a_binary_stl_has_the_bytes_of_its_triangles) {
  EXPECT_EQ(outcome(".stl", binary_stl(2, 2)), binary_stl(2, 2));
  EXPECT_EQ(outcome(".stl", binary_stl(100, 2)),
            "a.stl: found 184 bytes (is it cut off?), expected the 5084 of its 100 triangles");
  EXPECT_EQ(outcome(".stl", std::string(20, '\0')),
            "a.stl: found 20 bytes (is it cut off?), expected an STL mesh: text, or at least 84 "
            "bytes");
  std::string titled = binary_stl(100, 2);
  titled.replace(0, 5, "solid");
  EXPECT_THAT(outcome(".stl", titled), HasSubstr("the 5084 of its 100 triangles"));
}

TEST(MeshBounds, an_stl_text_has_an_end) {
  const std::string text = "\n solid c\nfacet normal 0 0 1\nouter loop\n";
  EXPECT_EQ(outcome(".stl", text),
            "a.stl: found no \"endsolid\" (is it cut off?), expected a whole STL mesh");
  EXPECT_EQ(outcome(".stl", text + "ENDSOLID"), text + "ENDSOLID");
}

TEST(MeshBounds, lines_of_an_obj_without_an_effect_on_its_shape_are_blanked) {
  EXPECT_EQ(outcome(".obj", "# a \\\nv 0 0 0\ng b \\\nc\nvn 0 0 1\n usemtl d\nf 1 \\\n2 3\no e"),
            "     \nv 0 0 0\n     \n \nvn 0 0 1\n         \nf 1 \\\n2 3\n   ");
  EXPECT_EQ(outcome(".obj", std::string("v 0 0 0\n\0\0", 10)),
            "a.obj: found a zero at byte 8, expected an OBJ mesh (text)");
}

TEST(MeshBounds, a_face_has_at_most_10000_corners) {
  EXPECT_EQ(outcome(".obj", "v 0 0 0\nf" + repeated(" 1 \\\n1", 5'001)),
            "a.obj: line 5002: found a face with more corners, expected at most 10000");
  EXPECT_THAT(outcome(".obj", "f" + repeated(" 1", 10'000)), testing::StartsWith("f 1 1"));
}

TEST(MeshBounds, a_hundred_thousand_groups_are_one_mesh) {
  const ScratchFolder folder;
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  for (int i = 0; i < 100'000; ++i) text += "g group" + std::to_string(i) + "\nf 1 2 3\n";
  EXPECT_EQ(read_mesh(folder.write("groups.obj", text)).triangles.size(), 100'000u);
}

TEST(MeshBounds, half_an_stl_is_told_by_its_own_name) {
  const ScratchFolder folder;
  std::string message;
  try {
    read_mesh(folder.write("half.stl", binary_stl(0, 1)));
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_THAT(message, testing::Not(HasSubstr("magic")));
}

}  // namespace
}  // namespace haptic
