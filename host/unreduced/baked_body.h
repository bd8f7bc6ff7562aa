#pragma once

#include <optional>
#include <vector>

#include "host/fem/stvk_model.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// The unreduced body of a baked model: mesh, material groups and fixed vertices of the file.
/// @param elastic of an unreduced run; StVK is that of the file's reduction
/// @param mass    of an unreduced run; absent: that of the file (read_baked_mass)
/// @throws InputError if the file is that of a rigid body, a section is invalid or a group has no
///         form in the elastic model
StvkModel read_baked_body(const ModelFile& model, ElasticModel elastic = ElasticModel::kStvk,
                          std::optional<MassKind> mass = {});

/// Its mesh. @throws InputError as read_baked_body
SolidMesh read_baked_mesh(const ModelFile& model);

/// The mass matrix that the basis of the file is orthonormal in.
MassKind read_baked_mass(const ModelFile& model);

/// The materials of the file: its groups, or the one that the attributes of /mesh name.
/// @throws InputError if a section or an attribute is invalid
MaterialGroups read_baked_materials(const ModelFile& model);

/// What the file says of its hexahedra beside their corners.
CellSettings read_baked_cells(const ModelFile& model);

/// Strain-rate damping phi, psi of the file [Pa s]; zeros where it has none.
std::vector<LameParameters> read_baked_viscosity(const ModelFile& model);

/// The basis of the file, 3n x r. @throws InputError if it has none
Eigen::MatrixXd read_baked_basis(const ModelFile& model);

}  // namespace haptic
