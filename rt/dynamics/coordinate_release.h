#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/realtime.h"

namespace haptic {

/// A linear stiffness in addition to that of the energy, c K0, for the coordinates from `first` on:
/// new coordinates of a body are released by it, with c = 1/s - 1 and s from 0 to 1, so that their
/// compliance grows in a straight line. K0 is the stiffness at rest, positive semidefinite. Where c
/// falls, the stored energy c q.K0 q / 2 falls, so a release adds none to the body.
/// Source: docs/methods/reduced-dynamics.md, "Truncation".
struct CoordinateRelease {
  std::span<const double> stiffness{};  ///< K0, r x r, symmetric; a view [1/s^2]
  std::uint32_t dimension = 0;          ///< r
  std::uint32_t first = 0;              ///< < r
  double factor = 0.0;                  ///< c >= 0; 0: nothing is added

  bool active() const HAPTIC_REALTIME { return factor > 0.0; }
  /// force += c K0 q. @param q, force  r values
  void add_force(std::span<const double> q, std::span<double> force) const HAPTIC_REALTIME {
    for (std::size_t i = first; i < dimension && active(); ++i) {
      force[i] += factor * product(i, q);
    }
  }
  /// values += c K0. @param values  r x r, symmetric
  void add_stiffness(std::span<double> values) const HAPTIC_REALTIME {
    for (std::size_t i = first; i < dimension && active(); ++i) {
      const std::size_t row = i * dimension;
      for (std::size_t j = first; j < dimension; ++j)
        values[row + j] += factor * stiffness[row + j];
    }
  }
  /// c q.K0 q / 2 [J]
  double energy(std::span<const double> q) const HAPTIC_REALTIME {
    double sum = 0.0;
    for (std::size_t i = first; i < dimension && active(); ++i) sum += q[i] * product(i, q);
    return 0.5 * factor * sum;
  }

 private:
  double product(std::size_t i, std::span<const double> q) const HAPTIC_REALTIME {
    double sum = 0.0;
    for (std::size_t j = first; j < dimension; ++j) sum += stiffness[i * dimension + j] * q[j];
    return sum;
  }
};

}  // namespace haptic
