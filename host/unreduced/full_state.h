#pragma once

#include <Eigen/Core>
#include <string_view>

#include "host/fem/stvk_model.h"

namespace haptic {

/// State of an unreduced body on its free dofs.
struct FullState {
  Eigen::VectorXd u;  ///< m
  Eigen::VectorXd v;  ///< m/s
  Eigen::VectorXd a;  ///< m/s^2

  static FullState at_rest(int free_dofs);
  bool is_finite() const { return u.allFinite() && v.allFinite() && a.allFinite(); }
};

/// @throws InputError naming `who` unless `x` has 3n values
void require_full_size(std::string_view who, const StvkModel& model,
                       const Eigen::Ref<const Eigen::VectorXd>& x);

/// State at u, v (3n) with a = 0. @throws InputError if a size does not fit u, v or f, or a value
/// is not finite
FullState make_full_state(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& u,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          const Eigen::Ref<const Eigen::VectorXd>& f);

/// Checks the bodies whose energy is infinite where an element is inverted, the neo-Hookean ones.
/// @param u 3n [m]
/// @throws OperationError naming `who`, the element and its det F
void require_not_inverted(std::string_view who, const StvkModel& model,
                          const Eigen::Ref<const Eigen::VectorXd>& u);

/// (M_s (x) I3)^-1 b to rounding, by conjugate gradients (M_s is well conditioned).
/// @param scalar_mass v x v @param b 3v
Eigen::VectorXd solve_mass(const SparseMatrix& scalar_mass, const Eigen::VectorXd& b);

}  // namespace haptic
