#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/stability_limit.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Whether the step is stable with the contacts that press, for
/// ModalCoupling::kStaticsDriveDynamics: contacts without force do not act on the modes. The tool
/// counts as held in place, which is the stiffest that it can be.
class PressingStability {
 public:
  /// @param dynamics  outlives this object
  explicit PressingStability(const CondensedDynamics& dynamics);

  /// @param forces  3 a contact, of the step [N] @param changed  whether a contact came, moved or
  ///                went since the last call
  /// @returns false if a step with these forces amplifies the motion of the modes. Without a change
  ///          of the pressing contacts the result is that of the last call
  bool stable(std::span<const double> forces, bool changed) HAPTIC_REALTIME;

 private:
  bool gather(std::span<const double> forces) HAPTIC_REALTIME;

  const CondensedDynamics* dynamics_;
  StabilityLimit limit_;
  std::size_t stride_;
  std::vector<std::size_t> pressing_;
  std::size_t count_ = 0;
  std::vector<double> matrix_, modes_;
  bool stable_ = true;
};

}  // namespace haptic::condensed
