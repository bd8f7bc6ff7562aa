#pragma once

#include <cstdint>

#include "rt/worlds/condensed/contact_row.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// A point in which tool and body touch or may touch within the step. Vectors are in the axes of
/// the body's model.
struct CondensedContact {
  std::uint32_t key = 0;  ///< of FieldContacts (a point or part of an edge) or StylusContacts
  ContactRow row;         ///< displacement of the body's material point
  Vector3 push = Vector3::Zero();   ///< unit; in which the tool pushes the body
  Vector3 point = Vector3::Zero();  ///< of the tool at the start of the step [m]
  /// Displacement of the body's material point with which it touches the tool at the tool's present
  /// pose [m]; by the part along `push` that it lacks, it has to move.
  Vector3 target = Vector3::Zero();
  double least_friction = 0.0;  ///< lower bound of the coefficient of friction
  double gap = 0.0;             ///< from tool to body along -push, negative inside [m]
};

}  // namespace haptic::condensed
