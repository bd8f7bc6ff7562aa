#pragma once

#include <cstdint>

namespace haptic {

/// A shell point that a traversal found inside a field.
struct TouchingPoint {
  std::uint32_t point;  ///< index into the shell
  std::uint32_t level;  ///< coarsest level of the point tree that has the point, from 1
  double distance;      ///< < 0 [m]
  bool operator==(const TouchingPoint&) const = default;
};

/// A shell point that a traversal found inside a field or near it.
struct NearPoint {
  std::uint32_t point;  ///< index into the shell
  double room;          ///< contact-free radius about the point [m]; in contact its distance, < 0
  bool operator==(const NearPoint&) const = default;
};

}  // namespace haptic
