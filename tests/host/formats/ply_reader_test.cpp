#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/host/formats/reader_outcome.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using Indices = std::vector<std::uint32_t>;

const std::string kBody = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2";

std::string ply(const std::string& format, const std::string& vertices, const std::string& faces,
                const std::string& body, const std::string& more = {}) {
  return "ply\nformat " + format + " 1.0\n" + more + "element vertex " + vertices +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + faces +
         "\nproperty list uchar int vertex_indices\nend_header\n" + body;
}

template <typename T>
std::string bytes_in_order(T value, bool big_endian) {
  std::string bytes = bytes_of(value);
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

TEST(PlyReader, text) {
  const PolygonSoup soup = read_ply(
      ply("ascii", "4", "2", "0 0 0\n1 0 0\n1 1.23456 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n"), "a");
  EXPECT_EQ(soup.vertices[2], Vector3(1, 1.23456, 0));
  EXPECT_EQ(soup.corners, (Indices{0, 1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(soup.face_ends, (Indices{4, 7}));
  EXPECT_DOUBLE_EQ(soup.last_digit, 1e-5);
}

// As VCGLIB writes faces with the colours of their corners.
TEST(PlyReader, a_row_of_text_ends_with_its_line) {
  const PolygonSoup soup = read_ply(
      ply("ascii", "3", "2", "0 0 0 9\n1 0 0 9\n1 1 0 9\n3 0 1 2 9 1 1 1\n3 0 2 1 7\n"), "a");
  EXPECT_EQ(soup.corners, (Indices{0, 1, 2, 0, 2, 1}));
  EXPECT_THAT(outcome(read_ply, ply("ascii", "3", "1", "0 0 0 1 0 0 1 1 0\n3 0 1 2\n")),
              testing::HasSubstr("found no value for"));
}

TEST(PlyReader, binary_of_both_byte_orders_and_any_types) {
  for (const bool big : {false, true}) {
    std::string text =
        std::string("ply\nformat binary_") + (big ? "big" : "little") +
        "_endian 1.0\nelement vertex 3\nproperty uchar red\nproperty double x\nproperty short y\n"
        "property float z\nproperty list ushort double weights\nelement range 1\nproperty int8 n\n"
        "element face 1\nproperty int flags\nproperty list uint ushort vertex_index\nend_header\n";
    for (int v = 0; v < 3; ++v) {
      text += bytes_in_order(std::uint8_t{200}, big) + bytes_in_order(0.1 * v, big) +
              bytes_in_order(static_cast<std::int16_t>(-300 * v), big) + bytes_in_order(0.5F, big) +
              bytes_in_order(std::uint16_t{1}, big) + bytes_in_order(9.0, big);
    }
    text += bytes_in_order(std::int8_t{-1}, big) + bytes_in_order(7, big) + bytes_in_order(3u, big);
    for (const std::uint16_t v : std::array<std::uint16_t, 3>{0, 2, 1})
      text += bytes_in_order(v, big);
    const PolygonSoup soup = read_ply(text, "a");
    EXPECT_EQ(soup.vertices[2], Vector3(0.2, -600, 0.5));
    EXPECT_EQ(soup.corners, (Indices{0, 2, 1}));
    EXPECT_DOUBLE_EQ(soup.last_digit, 0.5 * 0x1p-23);  // z; y is exact, x is finer
  }
}

TEST(PlyReader, data_may_begin_with_a_line_feed) {
  // 0x0A as the first byte, behind each of the ways to end a line.
  const std::string body = bytes_of(std::uint8_t{10}) + std::string(8, '\0') +
                           std::string(1, '\3') + std::string(3, '\0');
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar "
      "y\nproperty uchar z\n"
      "element face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char c : header) text += c == '\n' ? end : std::string(1, c);
    const PolygonSoup soup = read_ply(text + body, "a");
    EXPECT_EQ(soup.vertices[0], Vector3(10, 0, 0));
    EXPECT_EQ(soup.vertices.size(), 3u);
  }
}

TEST(PlyReader, comments_anywhere_in_the_header) {
  for (const char* const line : {"comment x", "obj_info y", "", "comment end_header"}) {
    std::string text = ply("ascii", "3", "1", kBody, std::string(line) + "\n");
    EXPECT_EQ(outcome(read_ply, text), "3 vertices, 1 faces");
    text = ply("ascii", "3", "1", kBody);
    text.insert(text.find("property"), std::string(line) + "\n");
    EXPECT_EQ(outcome(read_ply, text), "3 vertices, 1 faces");
  }
}

TEST(PlyReader, strips_of_triangles) {
  const std::string text =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
      "z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 3 2 1\n";
  const PolygonSoup soup = read_ply(text, "a");
  EXPECT_EQ(soup.corners, (Indices{0, 1, 2, 1, 3, 2, 3, 2, 1}));
  EXPECT_EQ(soup.face_count(), 3u);
}

TEST(PlyReader, counts_have_their_bytes) {
  EXPECT_EQ(outcome(read_ply, ply("ascii", "3", "1", kBody)), "3 vertices, 1 faces");
  EXPECT_THAT(outcome(read_ply, ply("ascii", "4000000000", "1", kBody)),
              HasSubstr("a: element vertex: found a count of 4000000000 in a file of "));
  EXPECT_THAT(outcome(read_ply, ply("ascii", "18446744073709551615", "1", kBody)),
              HasSubstr("element vertex: found a count of 18446744073709551615"));
  EXPECT_THAT(
      outcome(read_ply, ply("ascii", "99999999999999999999", "1", kBody)),
      HasSubstr(
          "line 3: found 99999999999999999999 as the count of element vertex, expected a count"));
  EXPECT_THAT(outcome(read_ply, ply("ascii", "3", "-1", kBody)),
              HasSubstr("found -1 as the count of element face, expected a count"));
  EXPECT_THAT(outcome(read_ply, ply("ascii", "3", "", kBody)),
              HasSubstr("found nothing as the count"));
  const std::string binary = std::string(3 * 12, '\0') + '\3' + std::string(12, '\0');
  EXPECT_EQ(outcome(read_ply, ply("binary_little_endian", "3", "1", binary)),
            "3 vertices, 1 faces");
  EXPECT_THAT(outcome(read_ply, ply("binary_little_endian", "5", "1", binary)),
              HasSubstr("element vertex: found a count of 5 in"));
  EXPECT_THAT(outcome(read_ply, ply("binary_little_endian", "3", "15", binary)),
              HasSubstr("element face: found a count of 15 in"));
}

TEST(PlyReader, a_list_is_no_longer_than_the_file) {
  std::string text =
      ply("binary_little_endian", "3", "1", std::string(36, '\0') + '\xff' + std::string(12, '\0'));
  EXPECT_THAT(outcome(read_ply, text), HasSubstr("a: face 1: found 255 entries in vertex_indices"));
  text = text.replace(text.find("uchar int"), 9, "int uchar");
  text.resize(text.size() - 13);
  EXPECT_THAT(outcome(read_ply, text + bytes_of(std::int32_t{-1})),
              HasSubstr("a: face 1: found -1 entries in vertex_indices"));
  EXPECT_THAT(outcome(read_ply, ply("ascii", "3", "1", "0 0 0\n1 0 0\n0 1 0\n200 0 1 2")),
              HasSubstr("a: face 1 (line 13): found 200 entries"));
}

TEST(PlyReader, a_file_that_is_cut_anywhere_is_refused) {
  for (const std::string& whole :
       {ply("ascii", "3", "1", kBody),
        ply("binary_big_endian", "3", "1", std::string(36, '\0') + '\3' + std::string(12, '\0'))}) {
    EXPECT_EQ(outcome(read_ply, whole), "3 vertices, 1 faces");
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THAT(outcome(read_ply, whole.substr(0, size)), testing::StartsWith("a: ")) << size;
    }
  }
}

TEST(PlyReader, nothing_but_blanks_follows) {
  EXPECT_EQ(outcome(read_ply, ply("ascii", "3", "1", kBody + "\n\n ")), "3 vertices, 1 faces");
  EXPECT_EQ(outcome(read_ply, ply("ascii", "3", "1", kBody + "\n3 0 1 2\n")),
            "a: found more (line 14) than its header counts, expected the end of the file");
  const std::string binary = std::string(36, '\0') + '\3' + std::string(12, '\0');
  EXPECT_EQ(outcome(read_ply, ply("binary_little_endian", "3", "1", binary + "\r\n")),
            "3 vertices, 1 faces");
  EXPECT_EQ(outcome(read_ply, ply("binary_little_endian", "3", "1", binary + "1234")),
            "a: found more than its header counts, expected the end of the file");
}

TEST(PlyReader, the_header_has_a_bounded_length) {
  EXPECT_EQ(outcome(read_ply, ply("ascii", "3", "1", kBody, repeated("comment x\n", 100'000))),
            "a: found no end of the header in the first 256 KiB, expected a PLY mesh");
  EXPECT_EQ(outcome(read_ply, ply("ascii", "3", "1", kBody,
                                  repeated("element e 0\nproperty float x\n", 101))),
            "a: line 203: found one more element, expected at most 100");
  EXPECT_EQ(outcome(read_ply, ply("ascii", "3", "1", kBody,
                                  "element e 0\n" + repeated("property float x\n", 1001))),
            "a: line 1004: found one more property, expected at most 1000");
}

TEST(PlyReader, invalid_headers_are_named) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = ply("ascii", "3", "1", kBody);
    return outcome(read_ply, text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(with("ply\n", "plx\n"), "a: found no \"ply\" in its first line, expected a PLY mesh");
  EXPECT_EQ(with("format ascii 1.0\n", ""),
            "a: found no \"format\" in its header, expected a PLY mesh");
  EXPECT_THAT(with("ascii", "utf8"), HasSubstr("line 2: found the format \"utf8\""));
  EXPECT_THAT(with("float y", "half y"), HasSubstr("line 5: found the type \"half\""));
  EXPECT_THAT(with("float y", "float"), HasSubstr("line 5: found a property without a name"));
  EXPECT_THAT(with("float y", "float v"),
              HasSubstr("element vertex: found 0 properties y, expected one"));
  EXPECT_THAT(with("float y", "float x"),
              HasSubstr("element vertex: found 2 properties x, expected one"));
  EXPECT_THAT(with("vertex_indices", "corners"),
              HasSubstr("element face: found 0 properties vertex_indices, expected one"));
  EXPECT_THAT(with("list uchar", "list float"),
              HasSubstr("found a list whose length is not whole"));
  EXPECT_THAT(with("end_header\n", "ends\n"), HasSubstr("line 9: found \"ends\""));
  EXPECT_THAT(with("format ascii", "property int x\nformat ascii"),
              HasSubstr("line 2: found a property before any element"));
}

TEST(PlyReader, invalid_rows_are_named) {
  const auto body = [&](const std::string& rows) {
    return outcome(read_ply, ply("ascii", "3", "1", rows));
  };
  EXPECT_EQ(body("0 0 0\n1 nan 0\n0 1 0\n3 0 1 2"),
            "a: vertex 2 (line 11): found y = nan, expected a finite number up to 1e+30");
  EXPECT_EQ(
      body("0 0 0\n1 x 0\n0 1 0\n3 0 1 2"),
      "a: vertex 2 (line 11): found no value for y (is the file cut off?), expected a number");
  EXPECT_EQ(body("0 0 0\n1 0 0\n0 1 0\n2 0 1"),
            "a: face 1 (line 13): found a face with 2 corners, expected 3 to 10000");
  EXPECT_EQ(body("0 0 0\n1 0 0\n0 1 0\n3 0 1 9"),
            "a: face 1: found vertex 9, expected an index below 3");
  EXPECT_EQ(body("0 0 0\n1 0 0\n0 1 0\n3 0 1 -1"),
            "a: face 1 (line 13): found vertex -1, expected an index from 0");
  EXPECT_EQ(body("0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5"),
            "a: face 1 (line 13): found no value for vertex_indices (is the file cut off?), "
            "expected a number");
}

}  // namespace
}  // namespace haptic
