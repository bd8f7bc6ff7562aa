#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/contact_traversal.h"
#include "rt/contact/modal_coordinates.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;
class SignedField;

/// Which derivative of the contact wrench the coupling uses (spec contact-and-coupling 2.22, choice
/// 15). kDirect is the derivative in world axes; kMirror is the derivative in axes that turn with
/// the held body, kDirect plus the cross-product matrices of force and torque.
enum class ContactGradient : std::uint8_t { kMirror, kDirect };

struct ContactSettings {
  double stiffness = 200.0;          ///< k_C per point [N/m]
  std::uint32_t scaling_count = 10;  ///< L of the L/l scaling
  bool safe_culling = true;          ///< cull with the interpolation slack of 2.16
  ContactGradient gradient = ContactGradient::kMirror;
};

/// One point in contact.
struct Contact {
  std::uint32_t point;  ///< index into the shell
  Vector3 position;     ///< m, world
  Vector3 normal;       ///< inward unit normal of the shell point, world
  double depth;         ///< -d > 0 [m]
  Vector3 force;        ///< on the held body, after L/l scaling [N], world
};

/// Contact of one shell with one field at one instant. Forces, gradients and reduced forces carry
/// the same L/l factor, so action equals reaction. Gradients follow the text in taking the field's
/// gradient to be the shell normal (choice 16).
struct ContactResult {
  Wrench on_held;                      ///< about the held body's origin, world axes
  Matrix6 gradient = Matrix6::Zero();  ///< d(force, torque of on_held)/d(Dx, Dw of the held body)
  std::uint32_t contacts = 0;
  std::uint32_t visited_nodes = 0;
};

/// Which body of the pair the hand holds; the wrench and the gradient are of that body.
enum class HeldSide : std::uint8_t { kField, kShell };

/// Points of one body against the field of another: contact law over what a traversal finds,
/// gradients and the projection on the shell's reduced coordinates (spec
/// contact-and-coupling 2.3, 2.6, 2.22). A pose that is not finite gives no contact.
class ContactPair {
 public:
  /// The three outlive the pair. Allocates all working memory; `evaluate` allocates nothing.
  /// @throws InputError if a setting is out of range or shell and tree do not belong together
  ContactPair(const PointShell& shell, const PointTree& tree, const SignedField& field,
              const ContactSettings& settings, HeldSide held);

  /// Whole traversal. @param shell_q r reduced coordinates of the shell's body (empty if rigid)
  const ContactResult& evaluate(const Pose& shell_pose, const Pose& field_pose,
                                std::span<const double> shell_q) HAPTIC_REALTIME;
  /// The same from all points, without the tree: the oracle of tests and `--brute-force`.
  const ContactResult& evaluate_brute_force(const Pose& shell_pose, const Pose& field_pose,
                                            std::span<const double> shell_q) HAPTIC_REALTIME;

  /// Contacts of the last evaluation, ordered by point index.
  std::span<const Contact> contacts() const HAPTIC_REALTIME;
  /// sum U_s^T (force on the shell), shell's material frame [r]; of the last evaluation.
  std::span<const double> reduced_force() const HAPTIC_REALTIME;

  void set_stiffness(double stiffness) HAPTIC_REALTIME;
  double stiffness() const HAPTIC_REALTIME;

 private:
  /// Affine map of the shell's material frame.
  struct Placement {
    Matrix3 rotation = Matrix3::Identity();
    Vector3 offset = Vector3::Zero();
    Vector3 operator()(const Vector3& p) const HAPTIC_REALTIME { return rotation * p + offset; }
  };
  void begin(const Pose& shell_pose, const Pose& field_pose,
             std::span<const double> shell_q) HAPTIC_REALTIME;
  const ContactResult& accumulate(std::span<const TouchingPoint> touching) HAPTIC_REALTIME;
  void finish_gradient() HAPTIC_REALTIME;

  const PointShell* shell_;
  ContactSettings settings_;
  HeldSide held_;
  ContactTraversal traversal_;

  // Of the current evaluation.
  ModalCoordinates q_;
  Placement to_world_;
  Vector3 held_origin_ = Vector3::Zero();

  // Working memory.
  std::vector<Contact> contacts_;      // room for every point
  std::vector<double> reduced_force_;  // r
  ContactResult result_;
};

}  // namespace haptic
