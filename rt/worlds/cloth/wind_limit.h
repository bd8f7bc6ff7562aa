#pragma once

#include "rt/worlds/cloth/air.h"

namespace haptic::cloth {

/// Fastest wind in which a step shows what a cloth does [m/s]: it carries a free particle by at
/// most half a cell in one step from rest,
///   h w q / (1 + q) = cell / 2,   q = h (p w / rho + k_d / m),
/// rho the areal density: exact for drag, while pressure alone carries it by h w q / (1 + 2 q). The
/// step is solved for threads in the directions that
/// they have at its start, so in a faster wind a thread beside a pinned particle is stretched
/// before it pulls. Infinite without pressure and drag. Source: docs/methods/cloth.md, "Air".
/// @param mass  of a particle [kg]  @param cell  length of a thread between two particles [m]
/// @param dt  h [s]
double wind_limit(const AirSettings& air, double mass, double cell, double dt);

}  // namespace haptic::cloth
