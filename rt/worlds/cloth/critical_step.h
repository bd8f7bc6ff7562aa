#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/cloth_system.h"

namespace haptic::cloth {

/// Largest steps of explicit methods. None of these is for the loop: they allocate, and iterate
/// until they are exact.
/// Source: docs/methods/cloth.md, "Critical step".

/// Bound of the largest angular frequency [rad/s] in any state:
///   omega_max^2 <= 2 max_i (sum of k of the springs at i) / m_i,
/// since no direction of a spring is stiffer than k, stretched or not. k of an interlaced spring is
/// the largest slope of its tension.
double frequency_bound(const ClothSystem& system);

/// Bound of lambda_max(M^-1 D) [1/s] in any state, likewise: 2 max_i (sum of k_d at i) / m_i and
/// drag.
double damping_bound(const ClothSystem& system);

/// Steps that are stable in any state [s], from the bounds alone: at most those of the two
/// functions below, in one pass over the springs.
double safe_verlet_step(const ClothSystem& system);
double safe_rk4_step(const ClothSystem& system);

/// The largest eigenvalue of M^-1/2 S (-s_D D - s_K K) S M^-1/2 at positions x (SpringOperator),
/// with the constraints' projection S, by power iteration to a relative 1e-6. 0 without springs.
double largest_eigenvalue(const ClothSystem& system, std::span<const double> x, double s_D,
                          double s_K);

/// The largest angular frequency at positions x [rad/s], by power iteration. A spring that is
/// compressed counts without its negative stiffness across, so the result is not too small.
double largest_frequency(const ClothSystem& system, std::span<const double> x);

/// The largest stable step of the Verlet methods at positions x [s]: the h with
///   lambda_max(h^2 K + 2 h D) = 4   and   h lambda_max(D) <= 2
/// whichever is less; infinite without springs and drag. Exact for the motion about x, damped or
/// not: the polynomial z^2 - (2 - h^2 K - h D) z + (1 - h D) has symmetric coefficients, and leaves
/// the unit circle at z = -1 first.
double verlet_step_limit(const ClothSystem& system, std::span<const double> x);

/// A step of RK4 that is stable at positions x [s]: 2 sqrt(2) / omega_max without damping; with
/// it 2.6 divided by the larger of omega_max and lambda_max(D), since the half disc of radius 2.6
/// is inside the method's region.
double rk4_step_limit(const ClothSystem& system, std::span<const double> x);

}  // namespace haptic::cloth
