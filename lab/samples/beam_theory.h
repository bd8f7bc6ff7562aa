#pragma once

namespace haptic {

/// A straight prismatic bar as beam theory has it.
struct TheoreticalBeam {
  double length;          ///< m
  double area;            ///< m^2
  double second_moment;   ///< of the section about the axis of bending [m^4]
  double shear_factor;    ///< of the section
  double youngs_modulus;  ///< Pa
  double shear_modulus;   ///< Pa
  double density;         ///< kg/m^3
};

/// Force per displacement of a cantilever's tip [N/m], Timoshenko.
double tip_stiffness(const TheoreticalBeam& beam);

/// First bending frequency [Hz] of Timoshenko's beam, clamped at one end or free: Rayleigh-Ritz
/// with Legendre polynomials of degree 12 for deflection and rotation, which no element of the
/// product shares.
double first_frequency(const TheoreticalBeam& beam, bool clamped);

/// Shear factor of a rectangle and of a circle (Cowper 1966).
double rectangle_shear_factor(double poisson_ratio);
double circle_shear_factor(double poisson_ratio);

}  // namespace haptic
