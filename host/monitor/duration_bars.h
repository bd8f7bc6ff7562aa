#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shared/ipc/histogram.h"

namespace haptic {

/// A histogram of durations as lines of text, `height` of them and `width` columns each:
///
///     < 16 us ############             71 %
///     < 32 us ####                     0.3 %
///    < 512 us #                        2
///
/// One line an octave, the last up to the largest duration; if there are more octaves than lines,
/// the first line has the rest. The length of a bar is logarithmic, so that one late cycle in a
/// million is seen. Shares below 0.1 % are numbers of cycles.
std::vector<std::string> duration_bars(const Histogram& histogram, std::size_t height,
                                       std::size_t width);

}  // namespace haptic
