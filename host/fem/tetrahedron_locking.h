#pragma once

#include "host/fem/elasticity.h"

namespace haptic {

/// By which fraction a bar of linear tetrahedra is too stiff in bending: (3.3 + 2.3 lambda/E) / n^2
/// for n layers of tetrahedra through its thickness. Their strain is constant, so that bending
/// strains them in shear and, near nu = 1/2, in volume.
///
/// Fitted to bars of cubes that are each cut into six tetrahedra, n = 2 to 6 and nu = 0 to 0.49,
/// where it is within a third of the computed value (tests/physics).
/// @param layers > 0
double tetrahedron_bending_excess(double layers, const ElasticityMatrix& C);

}  // namespace haptic
