#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "rt/geometry/analytic_shape.h"

namespace haptic {

/// What gives a body its geometry: a baked model (path of the file) or a shape given by formulas.
using BodySource = std::variant<std::filesystem::path, AnalyticShape>;

/// As telemetry and logs write it: the path, or AnalyticShape::text().
std::string text_of(const BodySource& source);
/// The source of such a text. @throws InputError if it begins like a shape and is none
BodySource parse_source(std::string_view text);

}  // namespace haptic
