#pragma once

#include <cstdint>

namespace haptic {

/// A shell point that a traversal found inside a field.
struct TouchingPoint {
  std::uint32_t point;  ///< index into the shell
  /// 1; below it, a point of the finest level in use while that level is faded in or out, so that
  /// the force is continuous across a change of level.
  float weight;
  double distance;  ///< < 0 [m]
  bool operator==(const TouchingPoint&) const = default;
};

/// A shell point that a traversal found in a field or near it.
struct NearPoint {
  std::uint32_t point;  ///< index into the shell
  double room;          ///< radius about it that is free of contact [m]; < 0 in contact
  bool operator==(const NearPoint&) const = default;
};

}  // namespace haptic
