#include "rt/geometry/body_source.h"

namespace haptic {

std::string text_of(const BodySource& source) {
  const auto* const shape = std::get_if<AnalyticShape>(&source);
  return shape ? shape->text() : std::get<std::filesystem::path>(source).string();
}

BodySource parse_source(std::string_view text) {
  if (is_shape(text)) return parse_shape(text);
  return std::filesystem::path(text);
}

}  // namespace haptic
