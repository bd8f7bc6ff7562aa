#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tests/host/formats/reader_outcome.h"

namespace haptic {
namespace {

using testing::HasSubstr;

const std::string kFacet =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

std::string binary_stl(std::uint32_t counted, std::size_t present, std::string title = {}) {
  title.resize(80);
  std::string bytes = title + bytes_of(counted);
  const std::array<float, 12> facet = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.1F, 0};
  for (std::size_t t = 0; t < present; ++t) bytes += bytes_of(facet) + bytes_of(std::uint16_t{0});
  return bytes;
}

TEST(StlReader, binary) {
  const PolygonSoup soup = read_stl(binary_stl(2, 2), "a");
  EXPECT_EQ(soup.vertices.size(), 6u);
  EXPECT_EQ(soup.face_ends, (std::vector<std::uint32_t>{3, 6}));
  EXPECT_EQ(soup.vertices[5], Vector3(0, double{0.1F}, 0));
  EXPECT_EQ(soup.last_digit, double{std::numeric_limits<float>::epsilon()});
}

TEST(StlReader, size_decides_about_a_title_that_begins_with_solid) {
  EXPECT_EQ(outcome(read_stl, binary_stl(2, 2, "solid facet")), "6 vertices, 2 faces");
  // Without a zero byte, even.
  std::string full(80, ' ');
  full.replace(0, 5, "solid");
  EXPECT_EQ(outcome(read_stl, binary_stl(2, 2, full)), "6 vertices, 2 faces");
}

TEST(StlReader, a_few_bytes_may_follow) {
  EXPECT_EQ(outcome(read_stl, binary_stl(2, 2) + std::string(49, '\1')), "6 vertices, 2 faces");
  EXPECT_EQ(outcome(read_stl, binary_stl(2, 2, "solid") + std::string(16, '\0')),
            "6 vertices, 2 faces");
}

TEST(StlReader, counted_triangles_are_the_ones_that_are_there) {
  EXPECT_EQ(outcome(read_stl, binary_stl(100, 2)),
            "a: found 184 bytes (is it cut off?), expected the 5084 of the 100 triangles that its "
            "header counts");
  EXPECT_EQ(outcome(read_stl, binary_stl(0, 2)),
            "a: found 184 bytes, 2 triangles more than its header counts, expected the 84 bytes of "
            "0 triangles");
  EXPECT_EQ(outcome(read_stl, binary_stl(4294967295u, 2)),
            "a: found 184 bytes (is it cut off?), expected the 214748364834 of the 4294967295 "
            "triangles that its "
            "header counts");
  EXPECT_EQ(outcome(read_stl, std::string(20, '\0')),
            "a: found 20 bytes (is it cut off?), expected an STL mesh: text, or at least 84 bytes");
  EXPECT_EQ(outcome(read_stl, "not a mesh at all"),
            "a: found 17 bytes (is it cut off?), expected an STL mesh: text, or at least 84 bytes");
}

TEST(StlReader, coordinates_are_finite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(), 2e30F}) {
    std::string bytes = binary_stl(2, 2);
    bytes.replace(84 + 50 + 12 + 4, 4, bytes_of(bad));
    EXPECT_THAT(outcome(read_stl, bytes), testing::StartsWith("a: triangle 2: coordinates 0, "));
  }
}

TEST(StlReader, text_in_any_case_and_form) {
  std::string upper = "SOLID\n" + kFacet + "ENDSOLID\n";
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string carriage = "solid\n" + kFacet + "endsolid\n";
  for (char& c : carriage) c = c == '\n' ? '\r' : c;
  for (const std::string& text : {"solid name with facet\n" + kFacet + "endsolid name",
                                  "\n\n  solid\n" + kFacet + "endsolid\n", upper, carriage,
                                  "\xEF\xBB\xBFsolid\n" + kFacet + "endsolid\x20\r\n\x1a",
                                  "solid\n" + kFacet + "endsolid a b c\n\n\n"}) {
    EXPECT_EQ(outcome(read_stl, text), "3 vertices, 1 faces") << text;
  }
  EXPECT_EQ(outcome(read_stl, "solid a\n" + kFacet + "endsolid a\nsolid b\n" + kFacet + kFacet +
                                  "endsolid b"),
            "9 vertices, 3 faces");
  EXPECT_EQ(outcome(read_stl, "solid\nendsolid"), "0 vertices, 0 faces");
}

TEST(StlReader, text_without_its_end_is_cut_off) {
  const std::string text = "solid c\n" + kFacet + kFacet + "endsolid";
  for (std::size_t size = 8; size < text.size(); ++size) {
    EXPECT_THAT(outcome(read_stl, text.substr(0, size)), testing::StartsWith("a: ")) << size;
  }
  EXPECT_EQ(outcome(read_stl, "solid c\n" + kFacet),
            "a: found its end (is it cut off?), expected \"facet\" or \"endsolid\"");
}

TEST(StlReader, invalid_text_is_named_by_its_line) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = "solid\n" + kFacet + "endsolid\n";
    return outcome(read_stl, text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(with("vertex 1 0 0", "vertex 1 x 0"),
            "a: line 5: found \"x\", expected a finite coordinate");
  EXPECT_EQ(with("vertex 1 0 0", "vertex 1 inf 0"),
            "a: line 5: found \"inf\", expected a finite coordinate");
  EXPECT_EQ(with("vertex 1 0 0", "vertex 1 0"),
            "a: line 6: found \"vertex\", expected a finite coordinate");
  EXPECT_EQ(with("vertex 1 0 0\n", ""),
            "a: line 6: found \"endloop after 2 vertices\", expected three vertices");

  EXPECT_EQ(with("endsolid\n", "endsolid\nmore"),
            "a: line 10: found \"more\", expected \"solid\" or the end of the file");
  EXPECT_EQ(with("endfacet", "facet"), "a: line 8: found \"facet\", expected \"endfacet\"");
}

}  // namespace
}  // namespace haptic
