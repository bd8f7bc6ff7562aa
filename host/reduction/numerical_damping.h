#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/dynamics/reduced_energy.h"
#include "shared/progress.h"

namespace haptic {

struct NumericalDampingSettings {
  double dt = 1e-3;                       ///< s, > 0
  std::uint32_t iterations = 1;           ///< Newton iterations a step, >= 1
  double small = 0.0, large = 0.0;        ///< largest displacement at the release [m], > 0
  double periods = 20.0;                  ///< of the mode, simulated after the release; >= 1
  Progress progress = {};                 ///< told the fraction of the modes
  std::uint32_t largest_steps = 100'000;  ///< of one release; limits the number of periods
};

/// One eigenvector of K(0), released at rest without physical damping.
struct ModeDamping {
  double frequency_Hz = 0.0;      ///< linear
  double steps_per_period = 0.0;  ///< 1 / (frequency dt)
  /// Fraction of the energy that the integrator removes per linear period, over the simulated
  /// periods. Negative: it adds energy; infinite: the release diverged.
  double loss_small = 0.0, loss_large = 0.0;
};

/// Numerical damping of each frequency of a reduced model: the loss arises from large motions
/// and the single Newton step, not with the scheme (docs/methods/reduced-dynamics.md, "Time scaling
/// and numerical damping").
struct NumericalDampingReport {
  double largest_frequency_Hz = 0.0;
  double central_difference_limit_s = 0.0;  ///< 2 / w_max at rest; infinite without stiffness
  std::vector<ModeDamping> modes;           ///< of positive eigenvalue, ascending
};

/// Measures it with NewmarkIntegrator.
/// @param basis  3n x r row-major, for the size of a release
/// @throws InputError if a setting is out of range or the basis does not fit
NumericalDampingReport measure_numerical_damping(const ReducedEnergy& energy,
                                                 std::span<const double> basis,
                                                 const NumericalDampingSettings& settings);

}  // namespace haptic
