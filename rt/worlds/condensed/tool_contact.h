#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "rt/bodies/held_body.h"
#include "rt/worlds/condensed/condensed_contact.h"
#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/cone_solver.h"
#include "rt/worlds/condensed/constraint_solver.h"
#include "rt/worlds/condensed/contact_response.h"
#include "rt/worlds/condensed/coulomb_newton.h"
#include "rt/worlds/condensed/stick_solver.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The forces between a condensed body and the tool in the hand, and the motion of the tool, solved
/// together at the end of the step.
///
/// The tool moves by z (6) with A z = b - J^T lambda (HeldBody::StepSystem), and the body's contact
/// points by free + S lambda. What a contact demands, target + J z = free + S lambda, becomes
///   (S + J A^-1 J^T) lambda = target + J A^-1 b - free
/// under lambda . push >= 0 and Coulomb's law. The tool's part makes the matrix positive definite
/// as far as six degrees of freedom reach, and the step stable whatever the body's compliance.
/// Where z would be more than the tool may move in a cycle, A is larger: a damper slows it down,
/// and contact still pushes no harder than coupling and damper do. Source:
/// docs/methods/static-dynamic.md, "Tool".
class ToolContact {
 public:
  /// @param capacity  of contacts @param stick  whether the law is going to be kStick
  explicit ToolContact(std::size_t capacity, bool stick = false);

  struct Law {
    double friction = 0.0;  ///< Coulomb's coefficient; kStick: no sliding
    double slip = 0.0;      ///< of a contact below the limit of friction, dt / viscosity [m/N]
    static constexpr double kStick = 1e9;
  };

  /// Frames in which the dynamics sees the contacts of a body whose parts have turned.
  struct Frames {
    std::span<const Matrix3> turns{};  ///< from the dynamics' axes to the model's; empty: the same
    std::span<const Vector3> free{};   ///< displacement of each contact without force, model axes
    /// Gradient of the contacts by the modes, 3c x m, row-major, and that which the dynamics has,
    /// turned; what a modal force of 1 adds to each mode in the step, m.
    std::span<const double> gradient{}, turned_modes{}, response{};
  };

  /// Forces of the contacts and motion of the tool.
  /// @param contacts  in the order of dynamics.contacts() @param dynamics  after prepare()
  /// @param held      the tool, with `system` of this step
  /// @param body      pose of the condensed body, world
  void solve(std::span<const CondensedContact> contacts, const CondensedDynamics& dynamics,
             const HeldBody& held, const HeldBody::StepSystem& system, const Pose& body,
             const Law& law, const Frames& frames) HAPTIC_REALTIME;

  /// As before the first step: no contact.
  void reset() HAPTIC_REALTIME;

  /// The forces for CondensedDynamics::advance: in the axes of the frames.
  std::span<const double> forces_in_frames() const HAPTIC_REALTIME {
    return std::span(frames_.turns.empty() ? force_ : frame_force_).first(rows_);
  }
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

  /// How the held body of the last step gives way to the hand, world axes; none if no contact
  /// presses. @param system  of that step, without its static damping
  HeldResponse response(const HeldBody& held, const HeldBody::StepSystem& system) HAPTIC_REALTIME;

 private:
  using Jacobian = ContactResponse::Jacobian;
  struct ToolSystem {
    Matrix6 mobility;  // A^-1, model axes
    Vector6 load;      // b
  };

  void assemble(std::span<const CondensedContact> contacts, const CondensedDynamics& dynamics,
                const Law& law) HAPTIC_REALTIME;
  void turn_body_matrix(const SymmetricView& S) HAPTIC_REALTIME;
  double gradient_part(std::size_t row, std::size_t column) const HAPTIC_REALTIME;
  void turn_forces(std::span<const double> from, std::vector<double>& to,
                   bool into_frames) const HAPTIC_REALTIME;
  void add_tool() HAPTIC_REALTIME;
  void find_forces() HAPTIC_REALTIME;
  bool all_stick() const HAPTIC_REALTIME;
  void demand(std::span<const CondensedContact> contacts, const CondensedDynamics& dynamics,
              const Vector6& tool) HAPTIC_REALTIME;
  Vector6 solve_damped(std::span<const CondensedContact> contacts,
                       const CondensedDynamics& dynamics, const ToolSystem& tool,
                       const Vector6& damping) HAPTIC_REALTIME;
  Vector6 reaction() const HAPTIC_REALTIME;

  std::size_t capacity_, rows_ = 0;
  std::vector<double> matrix_, body_matrix_;  // 3c x 3c, rows of 3 capacity
  std::vector<double> demand_, normals_, friction_, force_, frame_force_;
  Frames frames_;                                 // of this step
  std::vector<Jacobian> jacobians_, mobilities_;  // J and J A^-1
  Vector6 motion_ = Vector6::Zero();
  Wrench wrench_;
  double residual_ = 0.0;
  Matrix3 to_model_ = Matrix3::Identity();  // from world axes
  std::vector<double> slips_;               // 3c, of response()
  ContactResponse response_;
  CoulombNewton newton_;
  ConeSolver cone_;
  ConstraintSolver direct_;
  std::optional<StickSolver> stick_;
};

}  // namespace haptic::condensed
