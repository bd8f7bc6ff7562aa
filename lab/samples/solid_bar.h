#pragma once

#include <functional>

#include "host/cells/cut_cells.h"
#include "host/fem/stvk_model.h"

namespace haptic {

/// A body of a bake: voxels of a surface, cut by it, with or without a plane that is held.
class CutBody {
 public:
  struct Settings {
    double edge = 0.0;         ///< of a voxel [m]
    double held_below = -1.0;  ///< of x from the lower bound [m]; negative: free
    bool published = false;    ///< whole voxels, pointwise strain
    Material material{1e6, 0.3, 1000.0};
  };
  CutBody(const TriangleMesh& surface, const Settings& settings);

  const StvkModel& model() const { return model_; }
  double mass() const;                  ///< of its mass matrix [kg]
  double first_free_frequency() const;  ///< after the six rigid modes [Hz]
  double first_held_frequency() const;  ///< Hz
  /// Force per displacement of the face of x = upper bound under a uniform traction [N/m].
  /// @param direction of both, unit
  double end_stiffness(const Vector3& direction) const;
  /// Nodal forces (3n) of a traction on that face: a unit force, or a unit couple about x whose
  /// traction grows with the distance from the axis.
  Eigen::VectorXd end_force(const Vector3& direction) const;
  Eigen::VectorXd end_couple() const;

 private:
  Eigen::VectorXd end_load(const std::function<Vector3(const Vector3&)>& traction) const;
  struct Made {
    VoxelMesh grid;
    SolidMesh mesh;
    std::vector<std::uint32_t> held;
  };
  static Made make(const TriangleMesh& surface, const Settings& settings);
  CutBody(const TriangleMesh& surface, Made made);

  BoundingBox box_;
  VoxelMesh grid_;
  StvkModel model_;
};

/// A bar along x with its lower corner at the origin.
TriangleMesh bar_surface(const Vector3& size);
/// A regular prism of 96 sides along x whose section has the area of the circle.
TriangleMesh round_bar_surface(double radius, double length);
/// Turned about an axis through the origin.
TriangleMesh turned(const TriangleMesh& mesh, const Vector3& axis, double degrees);

}  // namespace haptic
