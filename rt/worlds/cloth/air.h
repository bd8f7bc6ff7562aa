#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A gust that blows on every particle: f_i += c v (sin(t^2) + 1/2), t in [0, period].
///
/// The frequency of sin(t^2) grows with t, so time runs to `period` and back again: the factor and
/// the magnitude of its slope are continuous. The factor is between -0.5 and 1.5.
struct Gust {
  Vector3 velocity = Vector3::Zero();  ///< m/s
  double coefficient = 0.0;            ///< c [kg/s], >= 0
  double period = 3.0;                 ///< s, > 0

  /// sin(t^2) + 1/2 at a time t >= 0 [s].
  double factor(double time) const HAPTIC_REALTIME;
};

/// A sphere in whose lee there is no wind.
struct WindShadow {
  Vector3 centre = Vector3::Zero();  ///< m
  double radius = 0.0;               ///< m, > 0
};

/// Wind on the triangles: the pressure p |u| u on the area, with u the part of the air's velocity
/// relative to the triangle that is normal to it.
struct Wind {
  Vector3 velocity = Vector3::Zero();  ///< m/s
  double pressure = 0.0;               ///< p [kg/m^3], >= 0: half the density times a coefficient
  std::vector<WindShadow> shadows = {};
  /// Width of the edge of a shadow [share of its radius], > 0; the wind is continuous across it.
  double penumbra = 0.2;
};

/// What the air does to the cloth: drag, gusts and wind.
/// Source: docs/methods/cloth.md, "Air".
struct AirSettings {
  double drag = 0.0;  ///< k_d [kg/s], >= 0: f_i += k_d (w - v_i), w the wind where the particle is
  Gust gust = {};
  Wind wind = {};
  /// What acts by area is in proportion to the particles' masses, as their areas are.
  double drag_per_area = 0.0;  ///< N s/m^3, >= 0: adds to k_d
  double gust_per_area = 0.0;  ///< N s/m^3, >= 0: adds to the coefficient of the gust
  double area_per_mass = 0.0;  ///< of the cloth [m^2/kg], >= 0

  /// k_d of a particle of this mass [kg/s].
  double drag_of(double mass) const HAPTIC_REALTIME {
    return drag + drag_per_area * area_per_mass * mass;
  }
};

/// @throws InputError if a number is out of its range or not finite
void check_air(const AirSettings& air);

/// Adds drag and gust to f [N]. masses: n values [kg]; x [m], v [m/s], f: 3n values.
void add_drag_and_gust(const AirSettings& air, std::span<const double> masses,
                       std::span<const double> x, std::span<const double> v, double time,
                       std::span<double> f) HAPTIC_REALTIME;

/// A symmetric 3 x 3 matrix of a particle.
struct SymmetricBlock {
  double xx = 0.0, yy = 0.0, zz = 0.0, yz = 0.0, xz = 0.0, xy = 0.0;

  void add_square(double factor, const Vector3& n) HAPTIC_REALTIME {
    const double x = factor * n.x(), y = factor * n.y(), z = factor * n.z();
    xx += x * n.x(), yy += y * n.y(), zz += z * n.z();
    yz += y * n.z(), xz += x * n.z(), xy += x * n.y();
  }
  Matrix3 matrix() const HAPTIC_REALTIME {
    Matrix3 m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
};

/// Adds the wind on the triangles to f, a third to each corner. Without `pressure` it does nothing.
/// @param damping  n values, or empty: to each particle's, a bound of -df/dv is added, the sum of
///                 2 p |u| A / 3 n n^T over its triangles [kg/s]
void add_wind(const Wind& wind, std::span<const std::array<std::uint32_t, 3>> triangles,
              std::span<const double> x, std::span<const double> v, std::span<double> f,
              std::span<SymmetricBlock> damping = {}) HAPTIC_REALTIME;

/// Fraction of the wind that reaches a point, 0 to 1: 0 in the lee of a sphere.
double wind_exposure(const Wind& wind, const Vector3& point) HAPTIC_REALTIME;

/// Fastest wind in which a step shows what a cloth does [m/s]: it carries a free particle by at
/// most half a cell in one step from rest,
///   h w q / (1 + q) = cell / 2,   q = h (p w / rho + k_d / m),
/// rho the areal density: exact for drag, while pressure alone carries it by h w q / (1 + 2 q). The
/// step is solved for threads in the directions that they have at its start, so in a faster wind a
/// thread beside a pinned particle is stretched before it pulls. Infinite without pressure and
/// drag. Source: docs/methods/cloth.md, "Air".
/// @param mass  of a particle [kg]  @param cell  length of a thread between two particles [m]
/// @param dt  h [s]
double wind_limit(const AirSettings& air, double mass, double cell, double dt);

}  // namespace haptic::cloth
