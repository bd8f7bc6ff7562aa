#pragma once

#include <span>
#include <vector>

#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/corotated_shape.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The shape of a condensed body without its local dents: the displacement by its lowest modes
/// alone. Contacts of points take their normals from it, and slide along it.
///
/// A dent under a point is as sharp as the elements are small, so its normals turn over while the
/// point moves by a part of an element. Normals of the displayed shape feed that back into the
/// contact force, which shakes the body; those of the smooth shape turn with the body as a whole.
/// Source: docs/methods/static-dynamic.md, "Detection".
class SmoothShape {
 public:
  /// Modes that take part. Of a body's many modes the higher ones are as sharp as a dent.
  static constexpr std::size_t kMaxModes = 20;

  /// @param dynamics, corotated  outlive this object; corotated: none of a linear shape
  SmoothShape(const CondensedDynamics& dynamics, const CorotatedShape* corotated);

  /// Takes the modes of the displayed pose, and the turns of the last CorotatedShape::update.
  void update() HAPTIC_REALTIME;
  void reset() HAPTIC_REALTIME;
  /// Displacements of the condensed nodes: s values [m].
  std::span<const double> u() const HAPTIC_REALTIME { return u_; }

 private:
  const CondensedDynamics* dynamics_;
  const CorotatedShape* corotated_;
  std::vector<const double*> modes_;  // columns of U1
  std::vector<double> u_;
};

}  // namespace haptic::condensed
