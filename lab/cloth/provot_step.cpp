#include "lab/cloth/provot_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haptic::lab {

double provot_step(const cloth::ClothSystem& system) {
  double most = 0.0, least = HUGE_VAL;
  for (const double k : system.springs().springs().stiffness) most = std::max(most, k);
  for (const double w : system.constraints().inverse_masses()) {
    if (w > 0.0) least = std::min(least, 1.0 / w);
  }
  return most > 0.0 ? std::numbers::pi * std::sqrt(least / most) : HUGE_VAL;
}

}  // namespace haptic::lab
