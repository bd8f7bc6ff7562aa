#pragma once

#include <string>
#include <string_view>

#include "host/view/field_slice.h"
#include "host/view/image.h"

namespace haptic {

/// Draws a text with its upper left corner at x, y; what is outside the image is left out. The
/// font has digits, `+ - . =`, space and the small letters of the texts that are drawn here.
/// @param scale pixels of a dot of the 5 x 7 letters; an unknown letter is a box
void draw_text(Image& image, int x, int y, int scale, std::string_view text);

/// What the bar of a slice says, "distance at x = 0.01 m".
std::string slice_title(const SliceChoice& choice);

/// Draws the colours of distances with their values in m into the lower left corner.
void draw_distance_bar(Image& image, double range, const SliceChoice& choice);

}  // namespace haptic
