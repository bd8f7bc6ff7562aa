#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// Selects mesh vertices on one side of an axis-aligned plane.
struct PlaneConstraint {
  enum class Side : std::uint8_t { kBelow, kAbove };
  int axis = 0;              ///< 0, 1, 2 for x, y, z
  Side side = Side::kBelow;  ///< inclusive
  double distance = 0.0;     ///< from the lower bound of the scaled surface along the axis [m]
};

/// Selects mesh vertices in a closed box; corners count from the same lower bound [m].
struct BoxConstraint {
  Vector3 min = Vector3::Zero();
  Vector3 max = Vector3::Zero();
};

/// Selects mesh vertices in a ball; the centre counts from the same lower bound [m].
struct SphereConstraint {
  Vector3 centre = Vector3::Zero();
  double radius = 0.0;
};

/// Selects mesh vertices in a round cylinder with flat ends; points count from the same lower
/// bound [m].
struct CylinderConstraint {
  Vector3 from = Vector3::Zero(), to = Vector3::Zero();  ///< ends of its axis
  double radius = 0.0;
};

/// Depth of a point in a region: the distance to its border [m]. Negative outside, where the
/// magnitude is at most the distance. @param x from the lower bound [m]
double depth_in(const PlaneConstraint& plane, const Vector3& x);
double depth_in(const BoxConstraint& box, const Vector3& x);
double depth_in(const SphereConstraint& sphere, const Vector3& x);
double depth_in(const CylinderConstraint& cylinder, const Vector3& x);

/// The [constraints] table of a recipe. A vertex is fixed if any entry selects it.
struct Constraints {
  std::vector<PlaneConstraint> planes;
  std::vector<BoxConstraint> boxes;
  std::vector<SphereConstraint> spheres = {};
  std::vector<CylinderConstraint> cylinders = {};
  /// Balls about the point of the surface that is nearest to a centre; the bake moves them there.
  std::vector<SphereConstraint> patches = {};
  std::vector<std::uint32_t> vertices;  ///< mesh vertex ids

  bool empty() const {
    return planes.empty() && boxes.empty() && spheres.empty() && cylinders.empty() &&
           patches.empty() && vertices.empty();
  }
};

/// The largest depth in one of the regions; minus infinity without one.
double depth_in(const Constraints& constraints, const Vector3& x);

/// Mesh vertices that `constraints` fix, ascending, each once.
/// @param lower_bound lower corner of the scaled surface's bounding box [m]
/// @param source      file named in errors (the recipe)
/// @throws InputError if an axis, distance, box or id is out of range, or if no vertex or every
///         vertex is selected (constraints not empty); empty constraints give an empty list
std::vector<std::uint32_t> fixed_vertices(std::span<const Vector3> vertices,
                                          const Vector3& lower_bound,
                                          const Constraints& constraints,
                                          const std::string& source);
inline std::vector<std::uint32_t> fixed_vertices(const VoxelMesh& mesh, const Vector3& lower_bound,
                                                 const Constraints& constraints,
                                                 const std::string& source) {
  return fixed_vertices(mesh.vertices, lower_bound, constraints, source);
}

}  // namespace haptic
