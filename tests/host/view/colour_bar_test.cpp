#include "host/view/colour_bar.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/view/distance_colours.h"

namespace haptic {
namespace {

Image blank(int width, int height) {
  return {width, height,
          std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width * height), 7)};
}

int ink(const Image& image) {
  int count = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) count += image.rgb[i] != 7;
  return count;
}

TEST(ColourBar, a_letter_has_its_dots_at_every_scale_and_nothing_is_drawn_outside) {
  Image small = blank(20, 20), large = blank(40, 40), outside = blank(20, 20);
  draw_text(small, 2, 2, 1, "1");
  draw_text(large, 2, 2, 2, "1");
  EXPECT_EQ(ink(small), 10);  // dots of "1"
  EXPECT_EQ(ink(large), 4 * ink(small));
  draw_text(outside, -100, 500, 3, "0123");
  draw_text(outside, 19, 19, 3, "8");
  EXPECT_LE(ink(outside), 1);
}

TEST(ColourBar, every_letter_of_a_title_is_in_the_font) {
  // An unknown letter is the box that '#' is.
  Image box = blank(6, 8);
  draw_text(box, 0, 0, 1, "#");
  for (const char letter : slice_title({"b", 0, -1.5e-10}) + slice_title({"b", 1, 123456789.0}) +
                               slice_title({"b", 2, 0.0246897}) + "0123456789") {
    Image one = blank(6, 8);
    draw_text(one, 0, 0, 1, std::string(1, letter));
    EXPECT_NE(one.rgb, box.rgb) << letter;
  }
  EXPECT_EQ(slice_title({"b", 0, 0.01}), "distance at x = 0.01 m");
}

TEST(ColourBar, the_bar_goes_from_the_colour_of_the_inside_to_that_of_the_outside) {
  Image image = blank(640, 300);
  draw_distance_bar(image, 0.05, {"b", 0, 0.0});
  const auto count = [&](const std::array<float, 3>& colour) {
    int found = 0;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
      bool same = true;
      for (std::size_t c = 0; c < 3; ++c) {
        same = same && std::abs(image.rgb[i + c] - 255.0F * colour[c]) < 4.0F;
      }
      found += same;
    }
    return found;
  };
  EXPECT_GT(count(distance_colour(-1.0F)), 10);  // a column at least
  EXPECT_GT(count(distance_colour(1.0F)), 10);
  Image tiny = blank(16, 16);
  draw_distance_bar(tiny, 0.05, {"b", 0, 0.0});  // stays inside
}

}  // namespace
}  // namespace haptic
