#pragma once

#include "rt/worlds/cloth/cloth_system.h"

namespace haptic::lab {

/// Provot's estimate pi sqrt(m_min / k_max) [s], over springs and free particles; infinite without
/// springs. It is the half period of one spring and no limit of a cloth: Verlet needs 0.32 of it
/// on a chain, and less with shear.
double provot_step(const cloth::ClothSystem& system);

}  // namespace haptic::lab
