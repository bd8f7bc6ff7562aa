#pragma once

#include <span>
#include <string>

#include "shared/artifact/model_file.h"

namespace haptic {

/// Checks the numbers themselves, of sections whose shapes fit each other: floats are finite,
/// indices are below what they count (triangles, elements, fixed vertices, groups, tree points,
/// domains), names of groups are printable.
/// @returns empty if all fit, else one line "<section>: found ..., expected ..."
std::string bad_value(std::span<const Section> sections);

}  // namespace haptic
