#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Forces at the points of a regular lattice, between which the hand's loop interpolates. The
/// cloth's loop fills the points; until then they are zero.
/// Source: docs/methods/cloth.md, "Two rates"; Mazzella et al. 2002.
class ForceGrid {
 public:
  /// @param origin   first point [m]
  /// @param spacing  m, > 0
  /// @param points   along x, y and z, each >= 2
  /// @throws InputError if a value is out of its range, or there are more than 2^24 points
  ForceGrid(const Vector3& origin, double spacing, const std::array<std::uint32_t, 3>& points);

  std::size_t size() const HAPTIC_REALTIME { return forces_.size(); }
  /// Position of point i; x runs first, then y. [m]
  Vector3 point(std::size_t i) const HAPTIC_REALTIME;
  void set(std::size_t i, const Vector3& force) HAPTIC_REALTIME { forces_[i] = force; }

  /// Trilinear; zero outside of the lattice and where p is not finite. [N]
  Vector3 force(const Vector3& p) const HAPTIC_REALTIME;

  /// The eight points around p, from which its force comes: those to fill first.
  /// @returns false outside of the lattice
  bool around(const Vector3& p, std::array<std::size_t, 8>& points) const HAPTIC_REALTIME;

 private:
  bool locate(const Vector3& p, std::array<std::size_t, 3>& cell,
              Vector3& inside) const HAPTIC_REALTIME;
  std::size_t index(const std::array<std::size_t, 3>& cell, unsigned corner) const HAPTIC_REALTIME;

  Vector3 origin_;
  double spacing_;
  std::array<std::uint32_t, 3> points_;
  std::vector<Vector3> forces_;
};

}  // namespace haptic::lab
