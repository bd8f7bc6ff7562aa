#include "host/formats/vertex_list.h"

#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

class VertexList : public VegaTestFolder {};

TEST_F(VertexList, lists_are_one_based_with_commas_ranges_and_comments) {
  const auto path = write("a.bou", "# fixed\n3,1,\n12, 7:9\n\n1,\n");
  EXPECT_EQ(read_bou(path, 12), (std::vector<std::uint32_t>{0, 2, 6, 7, 8, 11}));
  EXPECT_TRUE(read_bou(write("empty.bou", "\n"), 12).empty());  // a free body
  EXPECT_TRUE(read_bou(write("none.bou", ""), 12).empty());
}

TEST_F(VertexList, what_is_written_is_read_back) {
  const std::vector<std::uint32_t> vertices = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  write_bou(folder_ / "b.bou", vertices);
  EXPECT_EQ(bytes_of(folder_ / "b.bou").substr(0, 6), "1,2,3,");
  EXPECT_EQ(read_bou(folder_ / "b.bou", 56), vertices);
}

TEST_F(VertexList, ids_outside_the_mesh_and_other_text_are_refused) {
  const auto message = [&](std::string_view text) {
    return refusal([&] { read_bou(write("c.bou", text), 5); });
  };
  EXPECT_NE(message("1,2,\n6,").find("line 2"), std::string::npos);
  EXPECT_NE(message("0").find("1 to 5"), std::string::npos);
  EXPECT_NE(message("1,-2").find("0x2d"), std::string::npos);
  EXPECT_NE(message("4:2").find("4 : 2"), std::string::npos);
  EXPECT_NE(message("2:").find("without its end"), std::string::npos);
  EXPECT_NE(message("99999999999999999999999").find("found"), std::string::npos);
}

}  // namespace
}  // namespace haptic
