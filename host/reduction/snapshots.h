#pragma once

#include <Eigen/Core>
#include <filesystem>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// Displacements of a full simulation (`haptic simulate --unreduced --save-every K`,
/// docs/physics.md): 3n x S [m], a column per snapshot.
/// @throws InputError if the file is not such a log, has no snapshots, only zero ones, or those of
///         another mesh (vertices differ by more than 1e-9 of the body's size)
Eigen::MatrixXd read_snapshots(const std::filesystem::path& path, const SolidMesh& mesh);

}  // namespace haptic
