#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// A free body of a few mass points on springs that only its deformation stretches: everything
/// about its motion has a sum over points.
struct FreePoints {
  /// Random points within 20 mm about the centre of mass, and `modes` random basis vectors that are
  /// mass-orthonormal and have no momentum of a rigid motion.
  FreePoints(int points, int modes, std::uint32_t seed);
  /// With the six modes that stretch and shear the body as a whole; far enough, they turn it inside
  /// out. @param eigenvalue  of all springs [s^-2]
  static FreePoints stretching(int points, double eigenvalue, std::uint32_t seed);

  Eigen::Matrix3Xd places;           ///< from the centre of mass [m]
  Eigen::VectorXd masses;            ///< kg
  Eigen::MatrixXd basis;             ///< 3n x r, rows (x,y,z) per point [kg^-1/2]
  double damping = 0.0;              ///< alpha [1/s]
  std::vector<double> eigenvalues;   ///< of the springs, one per mode [s^-2]
  Vector3 centre{0.01, -0.02, 0.0};  ///< of mass, model frame [m]

  /// Position of point i from the centre of mass, and its velocity, in the body's axes.
  Vector3 position(int i, const Eigen::VectorXd& q) const {
    return places.col(i) + basis.middleRows(3 * i, 3) * q;
  }
  Vector3 velocity(int i, const Eigen::VectorXd& qdot) const {
    return basis.middleRows(3 * i, 3) * qdot;
  }
  Matrix3 inertia(const Eigen::VectorXd& q) const;
  /// sum m u x u'.
  Vector3 spin(const Eigen::VectorXd& q, const Eigen::VectorXd& qdot) const;

  /// Jacobian of the velocity of point i, in the body's axes, by (w; q'): 3 x (3 + r).
  Eigen::MatrixXd jacobian(int i, const Eigen::VectorXd& q) const;
  /// Acceleration of point i that (w; q') alone cause, in the body's axes.
  Vector3 convective(int i, const Vector3& w, const Eigen::VectorXd& q,
                     const Eigen::VectorXd& qdot) const;
  /// A (w'; q'') = b of all points without external forces; w in the body's axes.
  struct Equations {
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
  };
  Equations equations(const Vector3& w, const Eigen::VectorXd& q,
                      const Eigen::VectorXd& qdot) const;

  /// A model with these points as mesh, shell (normals towards the centre) and surface, of which
  /// each three are a triangle.
  void write(const std::filesystem::path& path) const;

 private:
  /// Sets the basis to these columns without rigid motions, mass-orthonormal.
  void set_basis(const Eigen::MatrixXd& columns);
};

}  // namespace haptic
