#pragma once

#include <array>
#include <cstdint>

#include "shared/math/pose.h"

namespace haptic::cloth {

/// A site of a cloth that touches another surface, or may within the step.
///
/// The spring of stiffness k between them pushes with k max(0, -gap) along the normal. Friction is
/// a spring of the same stiffness in the tangent plane, up to mu times the normal force.
/// Source: docs/methods/cloth.md, "Contact in the step".
struct ClothContact {
  static constexpr std::uint32_t kNoPartner = 0xffffffff;

  /// The site is sum weights[k] x[particles[k]], k < count. Weights sum to 1.
  std::array<std::uint32_t, 3> particles{};
  std::array<double, 3> weights{1.0, 0.0, 0.0};
  std::uint32_t count = 1;            ///< 1 to 3
  Vector3 normal = Vector3::UnitZ();  ///< unit, of the force on the cloth, world
  double gap = 0.0;                   ///< at the start of the step [m]; negative: overlap
  double stiffness = 0.0;             ///< k >= 0 [N/m]
  double friction = 0.0;              ///< mu >= 0
  double part = 1.0;                  ///< of the friction of one point that several contacts hold
  /// Tangential way of the site from its friction anchor on the other surface at the start [m].
  Vector3 stretch = Vector3::Zero();
  /// At the end of the last step [N]; 0 of a contact that did not press. A first guess only.
  double last_normal_force = 0.0;
  Vector3 surface_velocity = Vector3::Zero();  ///< of the other surface without a partner [m/s]
  std::uint32_t partner = kNoPartner;          ///< body that gives way
};

/// What a contact did in a step.
struct ContactForce {
  Vector3 force = Vector3::Zero();    ///< on the cloth, normal and tangential, world [N]
  double normal = 0.0;                ///< part along the normal, >= 0 [N]
  double gap = 0.0;                   ///< at the end [m]
  Vector3 slip = Vector3::Zero();     ///< by which the anchor was dragged in the step [m]
  Vector3 stretch = Vector3::Zero();  ///< from the anchor at the end, after the slip [m]
  bool slides = false;                ///< friction at its limit
};

}  // namespace haptic::cloth
