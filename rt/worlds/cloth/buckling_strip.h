#pragma once

#include "shared/realtime.h"

namespace haptic::cloth {

/// A pinned strip of rest length L that its ends' approach bends into an arc (Choi & Ko 2002).
///
/// With the distance l of the ends, sinc(u) = sin(u) / u and curvature kappa:
///   l = L sinc(kappa L / 2),   E = 1/2 k_b L kappa^2,
///   dE/dl = k_b kappa^2 / (cos(kappa L / 2) - sinc(kappa L / 2)),
/// which pushes the ends apart with 12 k_b / L^2 as soon as l < L. The tension here is the larger
/// of dE/dl and c_b (l - L), so it begins at 0; the energy is that of this tension.
/// Source: docs/methods/cloth.md, "Choi and Ko's springs".
class BucklingStrip {
 public:
  struct State {
    double tension = 0.0;    ///< N, <= 0; 0 for l >= L
    double stiffness = 0.0;  ///< dT/dl [N/m], >= 0
    double energy = 0.0;     ///< J
  };

  /// @param rest     L [m], > 0
  /// @param bending  k_b [N m^2], >= 0
  /// @param bound    c_b [N/m], >= 0
  BucklingStrip(double rest, double bending, double bound);

  /// @param length  l [m], >= 0
  State at(double length) const HAPTIC_REALTIME;
  /// The same without the bound c_b, for l < L.
  State arc(double length) const HAPTIC_REALTIME;

 private:
  double rest_, bending_, bound_;
  double change_length_ = 0.0;  ///< where dE/dl = c_b (l - L); below it the arc's force is less
  double change_energy_ = 0.0;  ///< energy of the bounded part there, less the arc's
};

/// u^2 for sinc(u) = s, 0 <= s <= 1, u in [0, pi]; to 1e-14 of it.
double squared_inverse_sinc(double s) HAPTIC_REALTIME;

}  // namespace haptic::cloth
