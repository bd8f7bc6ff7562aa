#pragma once

#include <filesystem>
#include <vector>

#include "host/bake/verify.h"
#include "shared/progress.h"

namespace haptic {

/// Checks a body that deforms against the object that it is of: mass, centre and inertia against
/// those of its surface, first frequency and stiffness against the same body with elements of half
/// the size, whose difference is the discretisation error, and the part of the compliance that the
/// basis has. The model file is enough: its recipe and surface are in it.
/// @throws InputError if the model is not a deformable body, or its elements cannot be halved
///         (mesh.resolution above 256, or vertices of voxels that are fixed by number);
///         OperationError if a solver fails
std::vector<VerifiedFigure> verify_physics(const std::filesystem::path& path,
                                           const Progress& progress = {});

}  // namespace haptic
