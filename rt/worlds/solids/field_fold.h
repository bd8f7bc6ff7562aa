#pragma once

#include <cstdint>

#include "shared/math/pose.h"

namespace haptic::solids {

/// Most links that hold points in folds of a field in a step.
constexpr std::uint32_t kMaxFoldLinks = 64;
constexpr std::uint32_t kNoFold = ~std::uint32_t{0};

/// What is kept of a normal contact of the solver to linearise it again within a step.
struct Linearised {
  std::uint32_t point = 0;
  std::uint32_t fold = kNoFold;  ///< its FieldFold
  double unit_stiffness = 0.0;   ///< where the gradient has length 1 [N/m]; 0: not linearised again
  Vector3 place = Vector3::Zero();   ///< about which the arms of its row are taken, world [m]
  Vector3 normal = Vector3::Zero();  ///< of its first row, world
};

/// The value of a field at a point, linear in the motion: offset + gradient . motion.
struct FieldPlane {
  Vector3 gradient = Vector3::Zero();  ///< world
  double offset = 0.0;                 ///< m
};

/// A contact whose field's gradient turns within the step.
struct FieldFold {
  std::uint32_t normal = 0;  ///< the contact's index in the solver
  FieldPlane start,
      end;  ///< tangent where the point was linearised first, and where a solution took it
  std::uint32_t link = kNoFold;  ///< of the solver
  bool ties = false;             ///< whether the link holds the point where both planes are equal
};

/// A field where a solution takes a point.
struct EndSample {
  Vector3 gradient = Vector3::Zero();   ///< world
  double value = 0.0, predicted = 0.0;  ///< of the field; by the point's row [m]
};

/// A point with a row, at the end of a step.
struct EndDepth {
  std::uint32_t pair, point;
  double depth;  ///< along the normal of its row [m]
};

}  // namespace haptic::solids
