#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Shows the steps of a cloth at the rate of the hand, one step late and without jumps:
/// X(t) = (1 - a) X_n + a X_n+1 while the step after n + 1 is computed.
/// Source: docs/methods/cloth.md, "Two rates"; Zhuang & Canny 2000.
class StepInterpolation {
 public:
  /// @param x  particles before the first step [m], 3n values
  explicit StepInterpolation(std::span<const double> x);

  /// The next step has been computed. @param x  particles [m], 3n values
  void push(std::span<const double> x) HAPTIC_REALTIME;

  /// @param a    time since the last `push` in steps of the cloth; held at 0 and at 1
  /// @param out  particles [m], 3n values
  void sample(double a, std::span<double> out) const HAPTIC_REALTIME;

 private:
  cloth::ParticleVectors before_, after_;  // m, X_n and X_n+1
};

}  // namespace haptic::lab
