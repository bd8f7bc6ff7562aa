#include "rt/geometry/analytic_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <system_error>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kPrefix = "shape:";

struct Kind {
  std::string_view name;
  std::size_t count;
  std::array<std::string_view, 3> sizes;
};

constexpr std::array<Kind, 5> kKinds = {{{"sphere", 1, {"radius"}},
                                         {"box", 3, {"x", "y", "z"}},
                                         {"plane", 1, {"size"}},
                                         {"capsule", 2, {"radius", "length"}},
                                         {"torus", 2, {"radius", "tube"}}}};

const Kind& row_of(ShapeKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string AnalyticShape::text() const {
  std::string line = fmt::format("{}{}", kPrefix, name_of(kind));
  const auto names = shape_sizes(kind);
  // {} writes the shortest text that parses to the same double.
  for (std::size_t i = 0; i < names.size(); ++i) line += fmt::format(" {}={}", names[i], size[i]);
  return line;
}

std::uint64_t AnalyticShape::hash() const {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

double AnalyticShape::radius() const {
  switch (kind) {
    case ShapeKind::kSphere:
      return size[0];
    case ShapeKind::kBox:
      return 0.5 * std::hypot(size[0], size[1], size[2]);
    case ShapeKind::kPlane:
      return 0.5 * std::numbers::sqrt2 * size[0];
    case ShapeKind::kCapsule:
      return size[0] + 0.5 * size[1];
    case ShapeKind::kTorus:
      return size[0] + size[1];
  }
  return 0.0;
}

std::span<const std::string_view> shape_sizes(ShapeKind kind) {
  return {row_of(kind).sizes.data(), row_of(kind).count};
}

std::string_view name_of(ShapeKind kind) {
  return row_of(kind).name;
}

std::optional<ShapeKind> shape_kind(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].name == name) return static_cast<ShapeKind>(i);
  }
  return {};
}

bool is_shape(std::string_view text) {
  return text.starts_with(kPrefix);
}

AnalyticShape parse_shape(std::string_view text) {
  const auto refuse = [&](std::string_view found) {
    throw InputError(std::string(text), "", found,
                     "a shape such as \"shape:sphere radius=0.03\", sizes > 0 [m]");
  };
  std::string_view rest = text;
  if (!is_shape(text)) refuse("found no shape");
  rest.remove_prefix(kPrefix.size());
  const auto word = [&] {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return found;
  };
  const std::optional<ShapeKind> kind = shape_kind(word());
  if (!kind) refuse("found an unknown kind");
  AnalyticShape shape;
  shape.kind = kind.value();
  const auto names = shape_sizes(shape.kind);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view found = word();
    const std::size_t value = names[i].size() + 1;
    if (!found.starts_with(names[i]) || found.size() <= value || found[value - 1] != '=') {
      refuse(fmt::format("found '{}' for {}", found, names[i]));
    }
    const char* end = found.data() + found.size();
    const auto [stopped, error] = std::from_chars(found.data() + value, end, shape.size[i]);
    if (error != std::errc() || stopped != end || !(shape.size[i] > 0.0) ||
        !std::isfinite(shape.size[i])) {
      refuse(fmt::format("found '{}'", found));
    }
  }
  if (!rest.empty()) refuse(fmt::format("found '{}' after the last size", rest));
  return shape;
}

}  // namespace haptic
