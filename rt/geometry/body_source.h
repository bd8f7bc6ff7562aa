#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "rt/geometry/analytic_shape.h"

namespace haptic {

/// Source of a body's geometry: a baked model (path of the file) or a shape in closed form.
using BodySource = std::variant<std::filesystem::path, AnalyticShape>;

/// The text that telemetry and logs store: the path, or AnalyticShape::text().
std::string text_of(const BodySource& source);
/// The inverse of text_of. @throws InputError if the text has the prefix of a shape but is invalid
BodySource parse_source(std::string_view text);

}  // namespace haptic
