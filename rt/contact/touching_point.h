#pragma once

#include <cstdint>

namespace haptic {

/// A shell point that a traversal found inside a field.
struct TouchingPoint {
  std::uint32_t point;  ///< index into the shell
  std::uint32_t level;  ///< of the point tree, from 1: the coarsest that has the point
  double distance;      ///< < 0 [m]
  bool operator==(const TouchingPoint&) const = default;
};

/// A shell point that a traversal found in a field or near it.
struct NearPoint {
  std::uint32_t point;  ///< index into the shell
  double room;          ///< radius about it that is free of contact [m]; < 0 in contact
  bool operator==(const NearPoint&) const = default;
};

}  // namespace haptic
