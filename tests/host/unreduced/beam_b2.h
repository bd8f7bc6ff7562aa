#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "rt/dynamics/vector_views.h"
#include "tests/host/fem/bodies.h"
#include "tests/host/reduction/reduced_body.h"

namespace haptic {

// Beam B2: 20 x 2 x 3 cubes of 0.05 m held at x = 0, no repeated
// eigenvalue.
inline constexpr double kLength = 1.0;

inline StvkModel beam_b2() {
  return clamped_beam(20, 2, 3, 0.05, kRubber);
}

inline std::vector<int> end_face(const StvkModel& model) {
  std::vector<int> face;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() > kLength - 1e-9) face.push_back(v);
  }
  return face;
}

}  // namespace haptic
