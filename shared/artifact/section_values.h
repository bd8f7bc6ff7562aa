#pragma once

#include <span>
#include <string>

#include "shared/artifact/model_file.h"

namespace haptic {

/// Checks the values of sections whose shapes already fit each other: floats are finite, indices
/// are in range (triangles, elements, fixed vertices, groups, tree points, domains), names of
/// groups are printable.
/// @returns empty if all fit, else one line "<section>: found ..., expected ..."
std::string bad_value(std::span<const Section> sections);

}  // namespace haptic
