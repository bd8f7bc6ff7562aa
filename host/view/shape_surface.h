#pragma once

#include "host/view/deformed_surface.h"
#include "rt/geometry/analytic_shape.h"

namespace haptic {

/// Surface of a shape given by formulas at a pose, with its exact normals. A plane, which is
/// infinite, is shown as a square of its size.
DisplaySurface shape_surface(const AnalyticShape& shape, const Pose& pose);

}  // namespace haptic
