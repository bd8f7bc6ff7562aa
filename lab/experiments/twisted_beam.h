#pragma once

#include <Eigen/Core>
#include <functional>
#include <numbers>
#include <vector>

#include "host/fem/stvk_model.h"
#include "rt/dynamics/reduced_energy.h"

namespace haptic {

inline constexpr double kTurnDegree = std::numbers::pi / 180.0;

/// A beam of 20 x 2 x 3 cubes of 0.05 m, held at x = 0, its end face, and the positions of the end
/// face after a rotation.
struct TwistedBeam {
  explicit TwistedBeam(ElasticModel elastic = ElasticModel::kStvk);

  Eigen::Vector2d arm(int v) const { return (model.mesh().vertex(v) - centre).tail<2>(); }
  /// Displacement of the end face, (y, z) per vertex, turned by `angle` [rad] about the axis.
  Eigen::VectorXd target(double angle) const;
  /// Rows (y, z) of the end face of 3n x c.
  Eigen::MatrixXd end_rows(const Eigen::MatrixXd& U) const;
  /// Angle of the rotation that best fits the end face [rad], on the branch next to `before`.
  double turned(const Eigen::VectorXd& u, double before) const;
  /// How much a mode twists the section: y-z curl over the end face relative to its size there.
  double twist_fraction(const Eigen::VectorXd& mode) const;

  StvkModel model;
  std::vector<int> end;
  Vector3 centre = Vector3::Zero();
};

/// Minimum of W(x) + k/2 |S x - t|^2 by Newton with backtracking and a shift where the matrix is
/// indefinite: stiff springs pull each end vertex to its position in the turned section, across the
/// axis. The three callbacks define x: the full body or reduced coordinates.
struct HeldEnd {
  std::function<double(const Eigen::VectorXd&)> energy;
  std::function<Eigen::VectorXd(const Eigen::VectorXd&)> force;
  /// Solves (K(x) + k S^T S + shift) d = b; false where it is not positive definite.
  std::function<bool(const Eigen::VectorXd&, double, const Eigen::VectorXd&, Eigen::VectorXd&)>
      solve;
  Eigen::MatrixXd S;

  /// @throws OperationError if there is no equilibrium in 200 iterations
  void move_to(const Eigen::VectorXd& t, Eigen::VectorXd& x) const;
};

/// Coordinates of a basis. @param energy outlives the result
HeldEnd held_subspace(const TwistedBeam& beam, const Eigen::MatrixXd& U,
                      const ReducedEnergy& energy);
/// Free dofs of the whole body. @param beam outlives the result
HeldEnd held_body(const TwistedBeam& beam);

}  // namespace haptic
