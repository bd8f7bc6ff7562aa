#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/fem/material.h"

namespace haptic {

/// What the reduced energy is made from: plain views, row-major.
struct PolynomialInput {
  std::span<const double> vertices;         ///< n x 3 [m]
  std::span<const std::uint32_t> elements;  ///< m x 8, VTK hexahedron order
  std::span<const double> basis;            ///< 3n x r; rows of constrained vertices are zero
  std::uint32_t dimension = 0;              ///< r, 1..64
  LameParameters material;  ///< homogeneous; mu > 0, 3 lambda + 2 mu > 0 (lambda < 0 is fine)
};

/// How, not what: the result is the same bit for bit for every number of threads.
struct PolynomialSettings {
  std::uint32_t threads = 0;  ///< 0: all the machine's
  /// Called with the fraction done, from any thread, one call at a time.
  std::function<void(double)> progress = {};
  bool recognise_voxels = true;  ///< false: 27 Gauss points even on equal boxes
};

/// Distinct coefficients of the quartic energy in the layout of rt/dynamics/reduced_energy.h.
struct ReducedPolynomials {
  std::uint32_t dimension = 0;
  std::vector<double> quadratic;  ///< C(r+1,2)
  std::vector<double> cubic;      ///< C(r+2,3)
  std::vector<double> quartic;    ///< C(r+3,4)
};

/// Energy-Gram product of spec reduced-dynamics 2.7 over all elements, with 27 Gauss points each,
/// or, where all elements are equal axis-aligned boxes, with the 63 samples that are exact there.
/// @throws InputError if sizes, indices or the material do not fit, a value is not finite, or an
///         element is inverted
ReducedPolynomials reduced_polynomials(const PolynomialInput& input,
                                       const PolynomialSettings& settings = {});

}  // namespace haptic
