#include "host/formats/interpolation_file.h"

#include <cmath>

#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

class InterpolationFile : public VegaTestFolder {};

TEST_F(InterpolationFile, text_is_read_as_documented) {
  const Interpolation w = read_interpolation(
      write("a.interp", "0 4 0.250000 2 0.750000\n1 0 1.000000 1 0.000000\n2 3 0.0 3 0.0\n"), 5);
  EXPECT_EQ(w.corners, 2u);
  EXPECT_EQ(w.point_count(), 3u);
  EXPECT_EQ(w.vertices, (std::vector<std::uint32_t>{4, 2, 0, 1, 3, 3}));
  EXPECT_EQ(w.weights[1], 0.75);
}

TEST_F(InterpolationFile, text_and_binary_are_read_back_bit_for_bit) {
  Interpolation w;
  w.corners = 4;
  for (std::uint32_t p = 0; p < 40; ++p) {
    const double a = 1.0 / (p + 3.0), b = 2.0 / (p + 7.0), c = 0.1;
    w.vertices.insert(w.vertices.end(), {p, p + 1, p + 2, p + 3});
    w.weights.insert(w.weights.end(), {a, b, c, 1.0 - a - b - c});
  }
  for (const auto form : {InterpolationForm::kText, InterpolationForm::kBinary}) {
    write_interpolation(folder_ / "a.interp", w, form);
    const Interpolation again = read_interpolation(folder_ / "a.interp", 43);
    EXPECT_EQ(again.corners, w.corners);
    EXPECT_EQ(again.vertices, w.vertices);
    EXPECT_EQ(again.weights, w.weights);
  }
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.interp"), 8u + 12 * 160);
}

TEST_F(InterpolationFile, the_basis_of_the_surface_is_the_weighted_mean) {
  Interpolation w{2, {0, 1}, {0.25, 0.75}};
  const std::vector<double> basis = {1, 10, 2, 20, 3, 30, 5, 50, 6, 60, 7, 70};  // 2 vertices, r 2
  EXPECT_EQ(interpolated_basis(w, basis, 2), (std::vector<float>{4, 40, 5, 50, 6, 60}));
}

TEST_F(InterpolationFile, damaged_lines_are_refused_by_number) {
  const auto message = [&](std::string_view text) {
    return refusal([&] { read_interpolation(write("a.interp", text), 5); });
  };
  EXPECT_NE(message("0 1 1\n2 1 1\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("0 1 0.5 2 0.5\n1 1 1\n").find("found 1 pairs"), std::string::npos);
  EXPECT_NE(message("0 1 0.5 2 0.6\n").find("sum to 1.1"), std::string::npos);
  EXPECT_NE(message("0 5 1\n").find("vertex 5"), std::string::npos);
  EXPECT_NE(message("0 1 nan\n").find("pairs"), std::string::npos);
  EXPECT_NE(message("\n\n").find("no line"), std::string::npos);
}

}  // namespace
}  // namespace haptic
