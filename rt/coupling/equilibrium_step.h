#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Singular values below this part of the largest one count as degenerate (Barbic 2007, 4.10).
inline constexpr double kDegenerateRatio = 1e-3;

struct EquilibriumStep {
  Vector6 step;        ///< (Dx [m]; Dw [rad])
  int degenerate = 0;  ///< directions taken from `toward_manipulandum`, 0..6
};

/// One Newton step to where the wrench on the SO vanishes, A z = -wrench. Where A has lost rank the
/// step goes straight to M (docs/methods/contact-and-coupling.md, "Degenerate directions").
///
/// A mixes N/m and N·m, so ranks are judged on the system with rotations measured in metres at
/// distance `length`. A well-conditioned system (shown by the Frobenius bound on its condition
/// number) goes through LU, any other through a 6x6 SVD. Finite in, finite out; never allocates.
///
/// @param A       d(force; torque)/d(Dx; Dw), sum of coupling and contact
/// @param wrench  (force [N]; torque [N·m]) on the SO, sum of coupling and contact
/// @param toward_manipulandum  (x_m - x_s [m]; rotation vector SO -> M [rad])
/// @param length  bounding radius of the held body [m], > 0
EquilibriumStep equilibrium_step(const Matrix6& A, const Vector6& wrench,
                                 const Vector6& toward_manipulandum, double length) HAPTIC_REALTIME;

}  // namespace haptic
