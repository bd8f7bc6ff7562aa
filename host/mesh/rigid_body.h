#pragma once

#include "host/mesh/tetrahedral_mesh.h"
#include "host/mesh/triangle_mesh.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// Mass properties of a homogeneous body, model frame.
struct RigidProperties {
  double mass = 0.0;                  ///< kg
  Vector3 centre = Vector3::Zero();   ///< centre of mass [m]
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre of mass, model axes [kg m^2]
};

/// Exact integrals over the polyhedron bounded by a closed, outward surface, summed over signed
/// tetrahedra from a point near the surface.
/// @param density kg/m^3, > 0
/// @throws InputError if density is not positive or the enclosed volume is not
RigidProperties rigid_properties(const TriangleMesh& closed_surface, double density);

/// The same over the tetrahedra of a volume mesh.
/// @throws InputError if density is not positive
RigidProperties rigid_properties(const TetrahedralMesh& mesh, double density);

/// The same for the cubes of a voxel mesh; used for open surfaces, accurate to a voxel.
/// @throws InputError if density is not positive
RigidProperties rigid_properties(const VoxelMesh& voxels, double density);

}  // namespace haptic
