#pragma once

#include <cstdint>
#include <span>

#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Reduced StVK strain energy as its distinct coefficients (spec reduced-dynamics 2.7):
///   W(q) = 1/2 P_ij q_i q_j + 1/3 Q_ijk q_i q_j q_k + 1/4 S_ijkl q_i q_j q_k q_l   (full sums)
/// with totally symmetric P, Q, S stored once per i <= j <= k <= l, last index fastest.
/// A read-only view: the coefficients belong to the model file and outlive it.
class ReducedEnergy {
 public:
  /// @throws InputError if a span's length does not fit r
  ReducedEnergy(std::uint32_t r, std::span<const double> quadratic, std::span<const double> cubic,
                std::span<const double> quartic);
  explicit ReducedEnergy(const ModelFile& model);

  std::uint32_t dimension() const HAPTIC_REALTIME;

  /// Working memory of one evaluation, owned by the caller so that the view stays const.
  class Workspace;

  /// W(q) [J]. @param q r values
  double energy(std::span<const double> q) const HAPTIC_REALTIME;
  /// Force R = dW/dq [r] and stiffness K = dR/dq [r x r, symmetric, both triangles], one pass.
  void force_and_stiffness(std::span<const double> q, std::span<double> force,
                           std::span<double> stiffness) const HAPTIC_REALTIME;
};

}  // namespace haptic
