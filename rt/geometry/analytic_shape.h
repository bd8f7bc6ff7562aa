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

/// A shape in closed form, at the origin of its material frame [m].
struct AnalyticShape {
  ShapeKind kind = ShapeKind::kSphere;
  /// Sizes in the order of `shape_sizes`:
  /// sphere: radius; box: its three sides; plane: side of the square that is drawn (the half-space
  /// z < 0 is solid and unbounded); capsule: radius, length between the centres of its caps, along
  /// z; torus: radius of its circle in the plane z = 0, radius of the tube.
  std::array<double, 3> size = {};

  /// Text that telemetry and logs store, e.g. "shape:capsule radius=0.01 length=0.05". Equal shapes
  /// have equal texts, and parse_shape() restores the same shape, bit for bit.
  std::string text() const;
  /// Hash of kind and sizes: FNV-1a of text().
  std::uint64_t hash() const;
  /// Bounding radius about the origin of the part that is drawn [m].
  double radius() const;

  bool operator==(const AnalyticShape&) const = default;
};

/// Names of the elements of AnalyticShape::size, in order; also the keys in a scene file.
std::span<const std::string_view> shape_sizes(ShapeKind kind);
std::string_view name_of(ShapeKind kind);
std::optional<ShapeKind> shape_kind(std::string_view name);

/// Whether `text` has the prefix of AnalyticShape::text().
bool is_shape(std::string_view text);
/// Inverse of AnalyticShape::text(). @throws InputError if `text` is not a valid shape
AnalyticShape parse_shape(std::string_view text);

}  // namespace haptic
