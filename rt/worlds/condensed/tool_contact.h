#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "rt/bodies/held_body.h"
#include "rt/worlds/condensed/condensed_contact.h"
#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/cone_solver.h"
#include "rt/worlds/condensed/constraint_solver.h"
#include "rt/worlds/condensed/coulomb_newton.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The forces between a condensed body and the tool in the hand, and the motion of the tool, solved
/// together at the end of the step.
///
/// The tool moves by z (6) with A z = b - J^T lambda (HeldBody::StepSystem), and the body's contact
/// points by free + S lambda. What a contact demands, target + J z = free + S lambda, becomes
///   (S + J A^-1 J^T) lambda = target + J A^-1 b - free
/// under lambda . push >= 0 and Coulomb's law. The tool's part makes the matrix positive definite
/// as far as six degrees of freedom reach, and the step stable whatever the body's compliance.
/// Source: docs/methods/static-dynamic.md, "Tool".
class ToolContact {
 public:
  /// @param capacity  of contacts
  explicit ToolContact(std::size_t capacity);

  struct Law {
    double friction = 0.0;       ///< Coulomb's coefficient; kStick: no sliding
    double slip = 0.0;           ///< of a contact below the limit of friction, dt / viscosity [m/N]
    static constexpr double kStick = 1e9;
  };

  /// Forces of the contacts and motion of the tool.
  /// @param contacts  in the order of dynamics.contacts() @param dynamics  after prepare()
  /// @param held      the tool, with `system` of this step
  /// @param body      pose of the condensed body, world
  void solve(std::span<const CondensedContact> contacts, const CondensedDynamics& dynamics,
             const HeldBody& held, const HeldBody::StepSystem& system, const Pose& body,
             const Law& law) HAPTIC_REALTIME;

  /// On the body, model axes: 3 a contact [N].
  std::span<const double> forces() const HAPTIC_REALTIME { return std::span(force_).first(rows_); }
  /// Motion of the tool's grasp, world axes [m, rad]; at most that of a cycle.
  const Vector6& motion() const HAPTIC_REALTIME { return motion_; }
  /// On the tool about its grasp, world axes.
  const Wrench& wrench() const HAPTIC_REALTIME { return wrench_; }
  /// Largest displacement by which the conditions of contact are violated [m].
  double residual() const HAPTIC_REALTIME { return residual_; }
  /// Whether contact i presses, and whether its force is at the limit of friction.
  bool presses(std::size_t i) const HAPTIC_REALTIME;
  bool slides(std::size_t i, const Law& law) const HAPTIC_REALTIME;

 private:
  using Jacobian = Eigen::Matrix<double, 3, 6>;

  void assemble(std::span<const CondensedContact> contacts, const CondensedDynamics& dynamics,
                const Law& law) HAPTIC_REALTIME;
  void add_tool() HAPTIC_REALTIME;
  void find_forces(const Law& law) HAPTIC_REALTIME;
  bool all_stick(const Law& law) const HAPTIC_REALTIME;
  void demand(std::span<const CondensedContact> contacts, const CondensedDynamics& dynamics,
              const Vector6& tool) HAPTIC_REALTIME;

  std::size_t capacity_, rows_ = 0;
  std::vector<double> matrix_, body_matrix_;  // 3c x 3c, rows of 3 capacity
  std::vector<double> demand_, normals_, friction_, force_;
  std::vector<Jacobian> jacobians_, mobilities_;  // J and J A^-1
  Matrix6 mobility_ = Matrix6::Zero();            // A^-1, model axes
  Vector6 motion_ = Vector6::Zero();
  Wrench wrench_;
  double residual_ = 0.0, scale_ = 0.0;
  CoulombNewton newton_;
  ConeSolver cone_;
  ConstraintSolver direct_;
};

}  // namespace haptic
