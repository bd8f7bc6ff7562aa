#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Singular values below this fraction of the largest one count as degenerate (Barbic 2007, 4.10).
inline constexpr double kDegenerateRatio = 1e-3;

struct EquilibriumStep {
  Vector6 step;        ///< (Dx [m]; Dw [rad])
  int degenerate = 0;  ///< directions taken from `toward_manipulandum`, 0..6
};

/// One Newton step toward zero wrench on the SO, A z = -wrench. In rank-deficient directions of A
/// the step goes straight to M (docs/methods/contact-and-coupling.md, "Degenerate directions").
///
/// A mixes N/m and N·m, so rank is determined with rotations measured in metres at distance
/// `length`. A well-conditioned system (by the Frobenius bound on its condition number) is solved
/// by LU, any other by a 6x6 SVD. Finite input gives finite output; never allocates.
///
/// @param A       d(force; torque)/d(Dx; Dw), sum of coupling and contact
/// @param wrench  (force [N]; torque [N·m]) on the SO, sum of coupling and contact
/// @param toward_manipulandum  (x_m - x_s [m]; rotation vector SO -> M [rad])
/// @param length  bounding radius of the held body [m], > 0
EquilibriumStep equilibrium_step(const Matrix6& A, const Vector6& wrench,
                                 const Vector6& toward_manipulandum, double length) HAPTIC_REALTIME;

}  // namespace haptic
