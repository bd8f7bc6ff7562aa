#pragma once

#include <memory>
#include <string>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_settings.h"

namespace haptic::cloth {

/// The integrator that a scene names, for substeps of `dt`. Not for ClothMethod::kImplicitEuler,
/// which solves contact too (ContactStep).
/// @param system  with its constraints; outlives the integrator
/// @param state   at which limits of explicit steps are found
/// @param source  scene file, for messages
/// @throws InputError if an explicit method is not stable with this step: with the limit; or if the
///         matrix of forces of a cloth is too large
std::unique_ptr<ClothIntegrator> make_cloth_integrator(const ClothSettings& settings,
                                                       ClothSystem& system, const ClothState& state,
                                                       double dt, const std::string& source);

}  // namespace haptic::cloth
