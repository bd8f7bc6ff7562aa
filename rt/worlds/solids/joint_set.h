#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/contact/contact_solver.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/joint.h"
#include "rt/worlds/solids/joint_end.h"
#include "shared/math/value_ramp.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// All joints of a scene, as links in the system of a step.
///
/// An equation C = 0 of a joint is a very stiff spring of the stretch C. Its stretch at the step's
/// end is a function of the motions x; `shift` corrects what is linear in x by the true error at
/// the solution, and the system is solved again. Bodies that deform have ball joints only.
/// Allocates in the constructor only.
///
/// A step:  advance_targets();  place() each body that moves;  begin();  add_to(solver);  solve;
///          find_errors(); while the error() of a joint > 1: shift() it, or relinearise() it where
///          that converges slowly; solve again; settle().
/// Joints between bodies that are still have no part in it (leave_out).
/// Source: docs/methods/multibody.md, "Joints", "Sleeping".
class JointSet {
 public:
  /// @param dt  of a step [s]
  /// @throws InputError if none of the bodies of a joint can move, or if a joint of a body that
  ///         deforms is no ball joint, or its point is not on the surface
  JointSet(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models, double dt);

  bool empty() const HAPTIC_REALTIME { return joints_.empty(); }
  /// Number of joints.
  std::uint32_t size() const HAPTIC_REALTIME { return static_cast<std::uint32_t>(joints_.size()); }
  /// Number of links that a step has.
  std::uint32_t links() const HAPTIC_REALTIME { return links_; }

  /// Where a body is. A body that is never placed is at rest at its pose in the scene.
  void place(std::size_t body, const JointedBody::Placement& placement) HAPTIC_REALTIME {
    bodies_[body].placement = placement;
  }
  /// The buttons of the device in the next steps; a bit for each.
  void press(std::uint32_t buttons) HAPTIC_REALTIME { buttons_ = buttons; }
  /// Moves the targets of all joints on by a step, also of those that are left out.
  void advance_targets() HAPTIC_REALTIME;
  /// Whether the last advance_targets() has changed the target of a joint.
  bool is_driven(std::uint32_t joint) const HAPTIC_REALTIME { return joints_[joint].is_driven; }
  /// From here on, joints of which no body moves have no part in a step and keep their state.
  /// @param still  per body: not 0 if it does not move
  void leave_out(std::span<const char> still) HAPTIC_REALTIME;
  /// The joints that have a part in a step, ascending.
  std::span<const std::uint32_t> awake() const HAPTIC_REALTIME {
    return std::span(awake_).first(awake_count_);
  }
  /// The bodies of a joint; the number of bodies stands for the world.
  std::array<std::size_t, 2> bodies(std::uint32_t joint) const HAPTIC_REALTIME {
    return {joints_[joint].ends[0].body(), joints_[joint].ends[1].body()};
  }
  /// Time in which a servo without inertia comes closer to its target by 1/e: damping over
  /// stiffness; 0 without a servo [s].
  double relaxation_s(std::uint32_t joint) const HAPTIC_REALTIME {
    const std::optional<ServoSettings>& servo = joints_[joint].servo;
    return servo ? servo->damping / servo->stiffness : 0.0;
  }

  /// Begins a step: places the joints and updates the coordinates of the servos.
  void begin() HAPTIC_REALTIME;
  /// Adds the links of the joints. @pre the solver's matrix is filled, and it has no links
  void add_to(ContactSolver& solver) HAPTIC_REALTIME;
  /// Keeps the forces of the solution for the next step.
  void settle(const ContactSolver& solver) HAPTIC_REALTIME;
  /// The errors of the joints at the solution.
  void find_errors(const ContactSolver& solver) HAPTIC_REALTIME;
  /// Largest of a joint, as a multiple of what is permitted.
  double error(std::uint32_t joint) const HAPTIC_REALTIME { return joints_[joint].error; }
  /// First block of the solver that a joint couples. @pre add_to() with a part of this joint
  std::uint32_t block(std::uint32_t joint) const HAPTIC_REALTIME {
    return joints_[joint].support->blocks[0];
  }
  /// Shifts the links of a joint by its errors. @pre find_errors() of this solution
  void shift(std::uint32_t joint, ContactSolver& solver) HAPTIC_REALTIME;
  /// Replaces the links of a joint by those that are linear about the solution, with their forces.
  /// Then the forces have the directions of the step's end. @pre as of shift()
  void relinearise(std::uint32_t joint, ContactSolver& solver) HAPTIC_REALTIME;
  /// After the last relinearise() of a solution. @param stiffens  whether the solutions take
  /// account of how the forces of the joints turn with the bodies
  void end_relinearising(bool stiffens, ContactSolver& solver) HAPTIC_REALTIME;
  /// Whether a body of a joint has that stiffness, which must be centred anew by relinearise().
  bool is_stiffened(std::uint32_t joint) const HAPTIC_REALTIME {
    return body(joints_[joint], 0).stiffened || body(joints_[joint], 1).stiffened;
  }
  /// Targets at the values last set, angles and offsets at zero.
  void reset() HAPTIC_REALTIME;

  /// Something that an operator can set: the target of a servo or of an orientation.
  struct Target {
    std::string name;  ///< JOINT.target
    double minimum, maximum;
    std::size_t joint;
  };
  std::span<const Target> targets() const { return targets_; }
  double target(std::size_t i) const HAPTIC_REALTIME {
    return joints_[targets_[i].joint].target.value();
  }
  /// @returns false, and changes nothing, if the value is out of range
  [[nodiscard]] bool set_target(std::size_t i, double value, double over_s) HAPTIC_REALTIME;

  /// Angle or offset of a joint with a servo, at the start of the last step in which it had a part.
  /// It counts turns.
  double coordinate(std::size_t joint) const HAPTIC_REALTIME { return joints_[joint].coordinate; }

 private:
  struct State {
    Joint joint;
    JointEnd ends[2];  // the last of bodies_ is the world
    std::optional<ServoSettings> servo;
    double length;  // of its smaller body that moves: scale of the permitted errors [m]
    std::optional<TargetButton> button;
    ValueRamp target;
    double set_target;  // where the button is not pressed
    bool is_pressed = false, is_driven = false;
    double coordinate = 0.0;
    Vector3 force = Vector3::Zero();  // of the last step, on the second body [N]
    const RowSupport* support = nullptr;
    std::uint32_t first_link = 0;
    std::array<double, Joint::kMaxRows> left{};  // errors that the step leaves
    double error = 0.0;                          // largest, of what is permitted
  };

  void follow_button(State& joint) HAPTIC_REALTIME;
  const JointedBody& body(const State& joint, std::size_t end) const HAPTIC_REALTIME {
    return bodies_[joint.ends[end].body()];
  }
  void add_tension(ContactSolver& solver) HAPTIC_REALTIME;
  void add_pull(const State& joint, std::size_t end, const JointSide& side,
                const Vector3& force_on_second) HAPTIC_REALTIME;
  void use_blocks_of(State& joint, ContactSolver& solver) HAPTIC_REALTIME;
  void write(const State& joint, const JointRow& row, const Matrix3 (&turns)[2],
             std::span<double> to) const HAPTIC_REALTIME;
  double compliance(const State& joint, const JointRow& row) HAPTIC_REALTIME;
  void add_servo(const State& joint, std::span<const JointRow> rows,
                 ContactSolver& solver) HAPTIC_REALTIME;
  double inertia(const State& joint, std::span<const JointRow> rows,
                 const JointRow& row) const HAPTIC_REALTIME;
  JointSide moved(const State& joint, std::size_t end,
                  const ContactSolver& solver) const HAPTIC_REALTIME;

  double dt_;
  std::vector<JointedBody> bodies_;
  std::vector<State> joints_;
  std::vector<Target> targets_;
  std::uint32_t links_ = 0, buttons_ = 0;
  std::vector<std::uint32_t> awake_;  // joints with a part in a step: the first awake_count_
  std::vector<char> is_awake_;        // per body, and the world: whether one of them is its
  std::uint32_t awake_count_ = 0;
  std::vector<double> errors_;  // Joint::kMaxRows of each joint
  std::vector<double> change_;  // elements of a row for reduced coordinates
};

}  // namespace haptic::solids
