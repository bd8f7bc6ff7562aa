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

namespace haptic {

/// All joints of a scene, as links in the system of a step.
///
/// An equation C = 0 of a joint is a very stiff spring of the stretch C. Its stretch at the step's
/// end is a function of the motions x; `shift` corrects what is linear in x by the true error at
/// the solution, and the system is solved again. Bodies that deform have ball joints only.
/// Allocates in the constructor only.
///
/// A step:  place() each body that moves;  begin();  add_to(solver);  solve;
///          find_errors(); while the error() of a joint > 1: shift() it, or relinearise() it where
///          that converges slowly; solve again; settle().
/// Source: docs/methods/multibody.md, "Joints".
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
  /// Begins a step: the targets move on, the angles of servos are followed.
  void begin() HAPTIC_REALTIME;
  /// Adds the links of all joints. @pre the solver's matrix is filled, and it has no links
  void add_to(ContactSolver& solver) HAPTIC_REALTIME;
  /// Keeps the forces of the solution for the next step.
  void settle(const ContactSolver& solver) HAPTIC_REALTIME;
  /// The errors of all joints at the solution.
  void find_errors(const ContactSolver& solver) HAPTIC_REALTIME;
  /// Largest of a joint, as a multiple of what is permitted.
  double error(std::uint32_t joint) const HAPTIC_REALTIME { return joints_[joint].error; }
  /// First block of the solver that a joint couples. @pre add_to()
  std::uint32_t block(std::uint32_t joint) const HAPTIC_REALTIME {
    return joints_[joint].support->blocks[0];
  }
  /// Shifts the links of a joint by its errors. @pre find_errors() of this solution
  void shift(std::uint32_t joint, ContactSolver& solver) HAPTIC_REALTIME;
  /// Replaces the links of a joint by those that are linear about the solution, with their forces.
  /// Then the forces have the directions of the step's end. @pre as of shift()
  void relinearise(std::uint32_t joint, ContactSolver& solver) HAPTIC_REALTIME;
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

  /// Angle or offset of a joint with a servo, at the start of the last step. It counts turns.
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
    bool is_pressed = false;
    double coordinate = 0.0;
    Vector3 force = Vector3::Zero();  // of the last step, on the second body [N]
    const RowSupport* support = nullptr;
    std::uint32_t first_link = 0;
    std::array<double, Joint::kMostRows> left{};  // errors that the step leaves
    double error = 0.0;                           // largest, of what is permitted
  };

  void follow_button(State& joint) HAPTIC_REALTIME;
  const JointedBody& body(const State& joint, std::size_t end) const HAPTIC_REALTIME {
    return bodies_[joint.ends[end].body()];
  }
  void add_tension(ContactSolver& solver) HAPTIC_REALTIME;
  void use_blocks_of(State& joint, ContactSolver& solver) HAPTIC_REALTIME;
  void write(const State& joint, const JointRow& row, const Matrix3 (&turns)[2],
             std::span<double> to) const HAPTIC_REALTIME;
  double compliance(const State& joint, const JointRow& row) HAPTIC_REALTIME;
  void add_servo(const State& joint, ContactSolver& solver) HAPTIC_REALTIME;
  JointSide moved(const State& joint, std::size_t end,
                  const ContactSolver& solver) const HAPTIC_REALTIME;

  double dt_;
  std::vector<JointedBody> bodies_;
  std::vector<State> joints_;
  std::vector<Target> targets_;
  std::uint32_t links_ = 0, buttons_ = 0;
  std::vector<double> errors_;  // Joint::kMostRows of each joint
  std::vector<double> change_;  // elements of a row for reduced coordinates
};

}  // namespace haptic
