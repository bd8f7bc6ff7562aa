#include "host/view/colour_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "host/view/distance_colours.h"

namespace haptic {
namespace {

constexpr int kColumns = 5, kLines = 7;

/// A letter of 5 x 7 dots, a number for each line from the top, the left dot in its highest bit.
struct Glyph {
  char letter;
  std::array<std::uint8_t, kLines> lines;
};
constexpr std::array kFont = std::to_array<Glyph>({
    {' ', {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00000}},
    {'+', {0b00000, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0b00000}},
    {'-', {0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000}},
    {'.', {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100}},
    {'0', {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110}},
    {'1', {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'2', {0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111}},
    {'3', {0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110}},
    {'4', {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010}},
    {'5', {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110}},
    {'6', {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110}},
    {'7', {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000}},
    {'8', {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110}},
    {'9', {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100}},
    {'=', {0b00000, 0b00000, 0b11111, 0b00000, 0b11111, 0b00000, 0b00000}},
    {'a', {0b00000, 0b00000, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111}},
    {'c', {0b00000, 0b00000, 0b01110, 0b10000, 0b10000, 0b10001, 0b01110}},
    {'d', {0b00001, 0b00001, 0b01101, 0b10011, 0b10001, 0b10001, 0b01111}},
    {'e', {0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110}},
    {'i', {0b00100, 0b00000, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'m', {0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10001, 0b10001}},
    {'n', {0b00000, 0b00000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001}},
    {'s', {0b00000, 0b00000, 0b01110, 0b10000, 0b01110, 0b00001, 0b11110}},
    {'t', {0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110}},
    {'x', {0b00000, 0b00000, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001}},
    {'y', {0b00000, 0b00000, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110}},
    {'z', {0b00000, 0b00000, 0b11111, 0b00010, 0b00100, 0b01000, 0b11111}},
});
constexpr std::array<std::uint8_t, kLines> kUnknown = {0b11111, 0b10001, 0b10001, 0b10001,
                                                       0b10001, 0b10001, 0b11111};

using Rgb = std::array<float, 3>;

void fill(Image& image, int x, int y, int width, int height, const Rgb& colour) {
  for (int row = std::max(y, 0); row < std::min(y + height, image.height); ++row) {
    for (int column = std::max(x, 0); column < std::min(x + width, image.width); ++column) {
      const std::size_t at =
          3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
               static_cast<std::size_t>(column));
      for (std::size_t c = 0; c < 3; ++c) {
        image.rgb[at + c] = static_cast<std::uint8_t>(std::lround(255.0F * colour[c]));
      }
    }
  }
}

int width_of(std::string_view text, int scale) {
  return (kColumns + 1) * scale * static_cast<int>(text.size());
}

}  // namespace

void draw_text(Image& image, int x, int y, int scale, std::string_view text) {
  constexpr Rgb kInk = {0.1F, 0.1F, 0.1F};
  for (const char letter : text) {
    const auto* const found = std::ranges::find(kFont, letter, &Glyph::letter);
    const auto& lines = found == kFont.end() ? kUnknown : found->lines;
    for (int line = 0; line < kLines; ++line) {
      for (int column = 0; column < kColumns; ++column) {
        if (((lines[static_cast<std::size_t>(line)] >> (kColumns - 1 - column)) & 1) == 0) continue;
        fill(image, x + scale * column, y + scale * line, scale, scale, kInk);
      }
    }
    x += (kColumns + 1) * scale;
  }
}

std::string slice_title(const SliceChoice& choice) {
  return fmt::format("distance at {} = {:.4g} m", "xyz"[choice.axis], choice.offset);
}

void draw_distance_bar(Image& image, double range, const SliceChoice& choice) {
  const int scale = std::max(1, image.height / 400);
  const int margin = 10 * scale, height = 12 * scale, line = (kLines + 4) * scale;
  const std::string title = slice_title(choice);
  const int width = std::max(180 * scale, width_of(title, scale));
  const int left = margin, top = image.height - margin - height - line;
  constexpr Rgb kPaper = {1.0F, 1.0F, 1.0F}, kFrame = {0.1F, 0.1F, 0.1F};
  fill(image, left - 6 * scale, top - line - 6 * scale, width + 12 * scale,
       height + 2 * line + 12 * scale, kPaper);
  draw_text(image, left, top - line, scale, title);
  fill(image, left - 1, top - 1, width + 2, height + 2, kFrame);
  for (int i = 0; i < width; ++i) {
    const float fraction = 2.0F * (static_cast<float>(i) + 0.5F) / static_cast<float>(width) - 1.0F;
    fill(image, left + i, top, 1, height, distance_colour(fraction));
  }
  fill(image, left + width / 2 - scale / 2, top, scale, height, {0.0F, 0.0F, 0.0F});
  const int below = top + height + 4 * scale;
  const std::string lowest = fmt::format("-{:.4g}", range), highest = fmt::format("+{:.4g}", range);
  draw_text(image, left, below, scale, lowest);
  draw_text(image, left + width / 2 - width_of("0", scale) / 2, below, scale, "0");
  draw_text(image, left + width - width_of(highest, scale), below, scale, highest);
}

}  // namespace haptic
