#pragma once

#include <cstdint>
#include <optional>

#include "rt/contact/contact_traversal.h"

namespace haptic {

/// Which derivative of the contact wrench the coupling uses: kDirect in world axes; kMirror in axes
/// that turn with the held body, kDirect plus the cross-product matrices of force and torque.
/// Source: docs/methods/contact-and-coupling.md, "Contact gradients".
enum class ContactGradient : std::uint8_t { kMirror, kDirect };

/// Scale of the forces of the l points of a contact, the same for wrench, gradient and reduced
/// forces (docs/methods/contact-and-coupling.md, "Scaling").
enum class ContactScaling : std::uint8_t {
  kPublished,  ///< L / max(L, l)
  kSmooth,   ///< L / max(L, l_eff), l_eff = sum smoothstep(depth / d0): no jump when a point enters
  kPerSite,  ///< L / max(L, l of the site), for each connected patch of contact
  kNone,     ///< 1
};

/// Direction of a point's force (docs/methods/contact-and-coupling.md, "Point contact").
enum class ContactNormals : std::uint8_t {
  kShell,  ///< the shell point's normal: smooth where the field's gradient jumps
  kField   ///< the gradient of a rigid field: every point's force is that of a potential
};

/// Coulomb friction of every point against an anchor on the field's body.
struct FrictionSettings {
  double static_coefficient = 0.0;    ///< mu_s >= 0; 0: no friction
  double dynamic_coefficient = 0.0;   ///< mu_d in [0, mu_s]
  std::optional<double> stiffness{};  ///< of a sticking point [N/m]; absent: the contact's

  bool operator==(const FrictionSettings&) const = default;
};

struct ContactSettings {
  /// k_C per point [N/m]; of a foundation, per area of the points [N/m^3].
  double stiffness = 200.0;
  /// Whether a point's stiffness is `stiffness` times its area, projected on its force.
  bool foundation = false;
  /// Of the spring on which all points together are mounted [N/m]; 0: none. See ContactWall.
  double wall = 0.0;
  std::uint32_t scaling_count = 10;  ///< L of the L/l scaling
  ContactScaling scaling = ContactScaling::kPublished;
  std::optional<double> scaling_depth{};  ///< d0 of kSmooth [m]; absent: 1/20 of the field's edge
  ContactNormals normals = ContactNormals::kShell;
  double damping = 0.0;  ///< c of the factor 1 + c * (rate of depth) [s/m], >= 0
  FrictionSettings friction{};
  ContactGradient gradient = ContactGradient::kMirror;
  TraversalSettings traversal{};

  bool operator==(const ContactSettings&) const = default;
};

/// Whether the stiffness of the contact as a whole is given, not that of a point.
inline bool has_known_stiffness(const ContactSettings& s) {
  return s.foundation || s.wall > 0.0;
}

/// Which body of the pair the hand holds; wrench and gradients are those of that body.
enum class HeldSide : std::uint8_t { kField, kShell, kNeither };

}  // namespace haptic
