#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/formats/reader_outcome.h"

namespace haptic {
namespace {

using Indices = std::vector<std::uint32_t>;

const std::string kThree = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

PolygonSoup read(const std::string& text) {
  return read_obj(text, "a");
}

TEST(ObjReader, vertices_in_double_precision_and_faces_of_any_size) {
  const PolygonSoup soup =
      read("v 4000.1 5e6 -.5\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 2 3\n");
  EXPECT_EQ(soup.vertices[0], Vector3(4000.1, 5e6, -0.5));
  EXPECT_EQ(soup.corners, (Indices{0, 1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(soup.face_ends, (Indices{4, 7}));
  EXPECT_EQ(soup.face_begin(1), 4u);
}

TEST(ObjReader, last_digit_is_that_of_the_largest_coordinate) {
  EXPECT_DOUBLE_EQ(read("v 0.000001 12.345678 1\n").last_digit, 1e-6);
  EXPECT_EQ(read(kThree).last_digit, 0.0);
}

TEST(ObjReader, references_of_every_kind) {
  for (const char* const face :
       {"f 1/5 2/6 3/7", "f 1//5 2//6 3//7", "f 1/5/5 2/6/6 3/7/7", "f -3 -2 -1", "f\t1  2 3 ",
        "  f 1 2 3", "f 1 2 3 # comment", "f 1 2 3#", "f 1 \\\n2 3", "f 1 2\\\r\n 3", "f \\\n1 2 3",
        "f 1 2 3\\"}) {
    EXPECT_EQ(read(kThree + face).corners, (Indices{0, 1, 2})) << face;
  }
}

TEST(ObjReader, faces_may_come_before_their_vertices) {
  EXPECT_EQ(outcome(read_obj, "f 1 2 3\n" + kThree), "3 vertices, 1 faces");
}

TEST(ObjReader, other_statements_and_their_backslashes_do_not_hide_a_line) {
  for (const char* const line : {"# C:\\models\\", "mtllib C:\\models\\", "g part\\", "g a \\", "o",
                                 "s off", "vt 0 0", "vn 0 0 1", "usemtl x", "l 1 2", "p 1", ""}) {
    EXPECT_EQ(outcome(read_obj, std::string(line) + "\n" + kThree + line + "\nf 1 2 3"),
              "3 vertices, 1 faces")
        << line;
  }
}

TEST(ObjReader, further_numbers_of_a_vertex_are_left_out) {
  EXPECT_EQ(read("v 1 2 3 1.0\nv 1 2 3 0.5 0.5 0.5\n").vertices[1], Vector3(1, 2, 3));
}

TEST(ObjReader, byte_order_mark_and_line_ends) {
  EXPECT_EQ(outcome(read_obj, "\xEF\xBB\xBF" + kThree + "f 1 2 3"), "3 vertices, 1 faces");
  EXPECT_EQ(outcome(read_obj, "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r"), "3 vertices, 1 faces");
}

TEST(ObjReader, invalid_lines_are_named) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"v 0 0 0\nv 1 0\n", "a: vertex 2 (line 2): fewer than three coordinates"},
      {"v 0 nan 0\n", "a: vertex 1 (line 1): coordinate nan, expected a finite number up to 1e+30"},
      {"v 0 1e400 0\n",
       "a: vertex 1 (line 1): coordinate 1e400, expected a finite number up to 1e+30"},
      {"v 0 0,1 0\n", "a: vertex 1 (line 1): coordinate 0,1, expected a finite number up to 1e+30"},
      {"v 2e30 0 0\n",
       "a: vertex 1 (line 1): coordinate 2e30, expected a finite number up to 1e+30"},
      {kThree + "f 1 2\n", "a: line 4: found a face with 2 corners, expected three or more"},
      {kThree + "f\n", "a: line 4: found a face with 0 corners, expected three or more"},
      {kThree + "f 1 2 0\n",
       "a: line 4: found a face with vertex 0, expected a number of a vertex from 1, or from -1 "
       "backwards"},
      {kThree + "f 1 2 -4\n",
       "a: line 4: found a face with vertex -4, expected a number of a vertex from 1, or from -1 "
       "backwards"},
      {kThree + "f 1 2 x/3\n",
       "a: line 4: found a face with vertex x/3, expected a number of a vertex from 1, or from -1 "
       "backwards"},
      {kThree + "f 1 2 99999999999999999999\n",
       "a: line 4: found a face with vertex 99999999999999999999, expected a number of a vertex "
       "from 1, or from "
       "-1 backwards"},
      {kThree + "f 1 2 \\\nf 2 3 1\n",
       "a: line 5: found a face with vertex f, expected a number of a vertex from 1, or from -1 "
       "backwards"},
      {"f 1 2 7\nf 1 2 5\n" + kThree,
       "a: line 1: found vertex 7, expected one of the 3 of the file"},
      {std::string("v 0 0 0\n\0\0", 10), "a: found a zero at byte 8, expected an OBJ mesh (text)"},
  };
  for (const auto& test : cases) EXPECT_EQ(outcome(read_obj, test.text), test.message);
}

TEST(ObjReader, a_face_has_at_most_10000_corners) {
  const std::string vertex = "v 0 0 0\n";
  EXPECT_EQ(outcome(read_obj, vertex + "f" + repeated(" 1 \\\n1", 5'000)), "1 vertices, 1 faces");
  EXPECT_EQ(outcome(read_obj, vertex + "f" + repeated(" 1 \\\n1", 5'001)),
            "a: line 5002: found a face with more corners, expected at most 10000");
}

}  // namespace
}  // namespace haptic
