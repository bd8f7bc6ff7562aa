#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/contact_scale.h"
#include "rt/contact/contact_settings.h"
#include "rt/contact/contact_wall.h"
#include "rt/contact/friction_anchors.h"
#include "rt/contact/touching_point.h"
#include "rt/coupling/grasp.h"
#include "rt/geometry/modal_coordinates.h"
#include "shared/math/pose.h"
#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;
class SignedField;

/// State of one body of a pair.
struct BodyMotion {
  Pose pose{};
  Twist twist{};                        ///< of the material origin, world axes
  std::span<const double> q{}, qdot{};  ///< r values each; empty if rigid, empty qdot: at rest
  Grasp grasp{};                        ///< of the held body: its torques and turns count about it
  Vector3 grasp_position() const HAPTIC_REALTIME { return grasp.frame(pose).position; }
};

/// State of friction at a point.
enum class ContactGrip : std::uint8_t { kNone, kSticks, kSlides };

/// One point in contact.
struct Contact {
  std::uint32_t point;  ///< index into the shell
  Vector3 position;     ///< m, world
  Vector3 normal;       ///< unit vector of the force on the shell, world (ContactNormals)
  double depth;         ///< -d > 0 [m]
  /// On the held body (on the field's if neither is held), scaled, friction included [N], world.
  Vector3 force;
  std::uint32_t site = 0;  ///< of ContactScaling::kPerSite; else 0
  ContactGrip grip = ContactGrip::kNone;
  double stiffness = 0.0;  ///< k_C, scaled and weighted, without damping [N/m]
  double scale = 1.0;      ///< factor of ContactScaling in `stiffness`
  /// At the end of the last step, if friction was settled there [N]; < 0: unknown.
  double last_normal_force = -1.0;
  double give = 0.0;   ///< depth up to which the point does not press, that of a wall [m]
  double slope = 1.0;  ///< length of the gradient of the field's value along the normal

  /// Depth that its spring feels, >= 0 [m].
  double pressed_depth() const HAPTIC_REALTIME { return std::max(0.0, depth - give); }
};

/// Contact of one shell with one field at one instant. Forces, gradients and reduced forces have
/// the same scale, so action equals reaction. Gradients assume that the field's gradient equals the
/// shell normal (Barbic 2007, Section 4.2) and that the scale is constant.
struct ContactResult {
  Wrench on_held;                      ///< about the held body's grasp, world axes
  Matrix6 gradient = Matrix6::Zero();  ///< d(force, torque of on_held)/d(Dx, Dw of the held body)
  Matrix6 damping = Matrix6::Zero();   ///< d(force, torque)/d(velocity, angular velocity)
  /// Sum of the magnitudes of the normal forces of all points, scaled [N]; where opposite walls
  /// cancel, the net force is much smaller.
  double pressed = 0.0;
  /// Part of on_held that is carried over from a change of levels, which has no gradient, and by
  /// how much its fading changed the force in this cycle [N] (LevelFade).
  Wrench carried;
  double carried_change = 0.0;
  std::uint32_t contacts = 0;
  std::uint32_t visited_nodes = 0;
  std::uint32_t level = 0;  ///< deepest level of the point tree rendered, from 1
};

/// Forces of touching points on both bodies (docs/methods/contact-and-coupling.md, "Friction",
/// "Point contact", "Contact gradients"). For a point at d < 0 of weight s = area weight * scale:
///
///   normal force  m = s k_C (-d) max(0, 1 + c * rate of depth)      along the normal
///   friction   sticks: s k_t * (tangential offset from its anchor), up to mu_s m;  slides: mu_d m
///
/// With a wall, -d is the depth beyond D / g, where D is its give in the values of the field and g
/// the field's slope, so that the forces are those of sum k (value - D)^2 / 2 + K D^2 / 2 with the
/// D at which it is least: K D = sum k (value - D).
///
/// With the damping factor (Hunt and Crossley 1975) the force is continuous at d = 0 and never
/// attracts.
class ContactLaw {
 public:
  /// Shell, field and weights outlive the law. Allocates all working memory; `apply` allocates
  /// nothing.
  /// @param area_weights  one per shell point, mean about 1; empty: all 1
  /// @throws InputError if a setting or a weight is out of range
  ContactLaw(const PointShell& shell, const PointTree& tree, const SignedField& field,
             const ContactSettings& settings, HeldSide held,
             std::span<const float> area_weights = {});

  /// @param q         reduced coordinates of the shell's body; a deforming field is in its state
  /// @param touching  ascending by point
  /// @param level     deepest level rendered, from 1
  const ContactResult& apply(const BodyMotion& shell, const BodyMotion& field,
                             const ModalCoordinates& q, std::span<const TouchingPoint> touching,
                             std::uint32_t level) HAPTIC_REALTIME;

  /// Another shell and field from the next call on. @pre they have the same data
  void serve(const PointShell& shell, const SignedField& field) HAPTIC_REALTIME {
    shell_ = &shell;
    field_ = &field;
  }
  const ContactResult& result() const HAPTIC_REALTIME { return result_; }
  std::span<const Contact> contacts() const HAPTIC_REALTIME {
    return {contacts_.data(), result_.contacts};
  }
  /// sum U_s^T (force on the shell), shell's material frame [r].
  std::span<const double> reduced_force_of_shell() const HAPTIC_REALTIME { return shell_force_; }
  /// sum U^T (force on the field's body), field's material frame [r].
  std::span<const double> reduced_force_of_field() const HAPTIC_REALTIME { return field_force_; }

  /// D of a wall in the last call of `apply`, a value of the field [m]; 0 without contact.
  double give() const HAPTIC_REALTIME { return give_; }
  /// Factor of a point's stiffness: of a foundation, what the area's projection on the force
  /// leaves.
  /// @param direction  of the force on the shell, its material frame
  double projection(std::uint32_t point, const Vector3& direction,
                    const ModalCoordinates& q) const HAPTIC_REALTIME;
  /// Of the last call of `apply`.
  const ContactScale& scale() const HAPTIC_REALTIME { return scale_; }
  const ContactSettings& settings() const HAPTIC_REALTIME { return settings_; }
  void set_stiffness(double stiffness) HAPTIC_REALTIME;
  /// Whether the forces of the step's end are found elsewhere. `apply` then computes no gradients
  /// and no damping; friction springs are not shortened, and settle() sets their anchors.
  void set_end_of_step(bool end) HAPTIC_REALTIME { end_of_step_ = end; }
  /// Sets the friction anchor of a point that comes into contact during the step.
  /// @param position  at the start of the step [m], world
  void place_anchor(std::uint32_t point, const Vector3& position) HAPTIC_REALTIME {
    anchors_.place(point, *field_,
                   field_to_world_.transpose() * (position - field_motion_.pose.position));
  }
  /// Sets the state of a point's friction at the step's end. @param settled  with `drag` in world
  /// axes
  void settle(std::uint32_t point, FrictionAnchors::Settled settled) HAPTIC_REALTIME {
    settled.drag = field_to_world_.transpose() * settled.drag;
    anchors_.settle(point, *field_, settled);
  }
  /// Removes all friction anchors.
  void clear_history() HAPTIC_REALTIME { anchors_.clear_history(); }
  /// As after an apply() without touching points.
  void clear() HAPTIC_REALTIME;

 private:
  /// Position and normal of a touching point.
  struct Place {
    std::uint32_t point;
    double distance;                // < 0 [m]
    double slope_squared;           // of the distance along the normal; multiplies the stiffness
    double slope;                   // Contact::slope
    Vector3 position, normal, arm;  // world
    Vector3 n_shell;                // shell's material frame
    Vector3 p_field, n_field;       // field's material frame
  };
  struct Friction {
    Vector3 on_shell = Vector3::Zero();    // N, world
    Vector3 slope = Vector3::Zero();       // d(on_shell)/d(normal force), of a sliding point
    Matrix3 stiffness = Matrix3::Zero();   // -d(on_shell)/d(point - anchor)
    Vector3 anchor_arm = Vector3::Zero();  // from the held body's grasp, world
    ContactGrip grip = ContactGrip::kNone;
    double last_normal_force = -1.0;
  };

  bool has_friction() const HAPTIC_REALTIME { return settings_.friction.static_coefficient > 0.0; }
  Place place(const TouchingPoint& touching) const HAPTIC_REALTIME;
  double depth_rate(const Place& at) HAPTIC_REALTIME;
  Friction friction_force(const Place& at, double weight, double gain) HAPTIC_REALTIME;
  Friction friction_spring(const Place& at, double weight) HAPTIC_REALTIME;
  void add(const TouchingPoint& touching, double weight, std::uint32_t site,
           std::uint32_t index) HAPTIC_REALTIME;
  void find_give(std::span<const TouchingPoint> touching) HAPTIC_REALTIME;
  void finish_gradient() HAPTIC_REALTIME;

  const PointShell* shell_;
  const SignedField* field_;
  ContactSettings settings_;
  HeldSide held_;
  ContactScale scale_;
  FrictionAnchors anchors_;
  bool end_of_step_ = false;

  // Of the current call of `apply`.
  BodyMotion shell_motion_, field_motion_;
  const ModalCoordinates* q_ = nullptr;
  ModalCoordinates qdot_;
  Matrix3 shell_to_world_ = Matrix3::Identity(), field_to_world_ = Matrix3::Identity();
  Vector3 held_grasp_ = Vector3::Zero();
  double give_ = 0.0;
  // Sums over the points that press against a wall, for its part of the gradient.
  Vector6 wall_push_ = Vector6::Zero(), wall_way_ = Vector6::Zero();
  double wall_stiffness_ = 0.0;

  // Working memory.
  HugeVector<Contact> contacts_;  // capacity for every point
  std::vector<double> shell_force_, field_force_, scratch_;
  std::vector<ContactWall::Spring> springs_;  // of a wall
  ContactResult result_;
};

}  // namespace haptic
