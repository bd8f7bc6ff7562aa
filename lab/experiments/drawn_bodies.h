#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "lab/experiments/experiment.h"
#include "lab/experiments/made_scene.h"
#include "shared/math/pose.h"

namespace haptic {

/// Numbers drawn from a seed. The same on every machine: those of <random> are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  double logarithmic(double low, double high);
  std::size_t below(std::size_t count) { return random_() % count; }
  Quaternion orientation();

 private:
  std::mt19937_64 random_;
};

/// Names of rigid models NAME.h5 with points and a field, made from the meshes beside the project,
/// or from catalogue shapes where there are none.
/// @param length  the longest side of each [m]
std::vector<std::string> bake_drawn_bodies(const Experiment& experiment, MadeScene& files,
                                           double length);

/// The same of bodies that deform, of each mesh one for every modulus, with points and without a
/// field: the lower 15 % fixed, damping ratios of the first and last linear mode 0.03 and 0.06.
/// @param moduli  Young's [Pa]
std::vector<std::string> bake_drawn_soft_bodies(const Experiment& experiment, MadeScene& files,
                                                double length, std::span<const double> moduli);

}  // namespace haptic
