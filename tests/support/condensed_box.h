#pragma once

#include <array>
#include <filesystem>

namespace haptic {

/// A condensed box that `haptic bake` would make, with its lowest layer of nodes (y) fixed. The
/// origin is its centre. Its surface is divided as its mesh, three squares along an element.
struct CondensedBoxSettings {
  std::array<double, 3> size = {0.1, 0.1, 0.1};  ///< m
  int resolution = 4;                            ///< elements along the longest side
  int modes = 10;                                ///< at most the free degrees of freedom
  bool double_precision = true;
  double youngs_modulus = 1e4;  ///< Pa
  double poisson_ratio = 0.3;
  double density = 1000.0;  ///< kg/m^3
  std::array<double, 2> damping_ratios = {0.02, 0.02};
};

/// Bakes it to `path`, with a scratch mesh and recipe beside it. A cube of n^3 elements, n >= 3,
/// has n (n + 1)^2 free nodes, of which (n - 3)^3 belong to inner elements alone and are not
/// retained: 384 of 448 are for n = 7.
void bake_condensed_box(const std::filesystem::path& path,
                        const CondensedBoxSettings& settings = {});

}  // namespace haptic
