#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace haptic {

enum class ShapeKind : std::uint8_t { kSphere, kBox, kPlane, kCapsule, kTorus };

/// A shape given by formulas, about the origin of its material frame [m].
struct AnalyticShape {
  ShapeKind kind = ShapeKind::kSphere;
  /// By the names of `shape_sizes`:
  /// sphere: radius; box: its three sides; plane: side of the square that is drawn (the half-space
  /// z < 0 is solid and has no end); capsule: radius, length between the centres of its caps, along
  /// z; torus: radius of its circle in the plane z = 0, radius of the tube.
  std::array<double, 3> size = {};

  /// E.g. "shape:capsule radius=0.01 length=0.05", as telemetry and logs store it; the same
  /// shape always gives the same text, and the text the same shape, bit for bit.
  std::string text() const;
  /// Identity of kind and sizes.
  std::uint64_t hash() const;
  /// Radius about the origin that holds what is drawn of it [m].
  double radius() const;

  bool operator==(const AnalyticShape&) const = default;
};

/// Names of what a shape's `size` holds, in order; also the keys of a scene.
std::span<const std::string_view> shape_sizes(ShapeKind kind);
std::string_view name_of(ShapeKind kind);
std::optional<ShapeKind> shape_kind(std::string_view name);

/// Whether `text` has the prefix of AnalyticShape::text().
bool is_shape(std::string_view text);
/// The shape of `text()`. @throws InputError
AnalyticShape parse_shape(std::string_view text);

}  // namespace haptic
