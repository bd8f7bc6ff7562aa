#pragma once

#include "host/fem/hexahedron_quadrature.h"
#include "host/fem/tetrahedron_geometry.h"
#include "tests/host/fem/random_element.h"

namespace haptic {

/// No two edges alike.
inline TetrahedronCorners some_tetrahedron() {
  TetrahedronCorners corners;
  corners << 0.1, 1.2, 0.3, -0.1,  //
      0.0, 0.2, 0.9, 0.3,          //
      -0.2, 0.1, 0.1, 1.1;
  return corners;
}

/// An element of each kind, for typed tests.
struct Hexahedra {
  using Rule = HexahedronQuadrature;
  static CornerVectors corners() { return skewed_corners(); }
  static Rule rule(const CornerVectors& corners) { return hexahedron_quadrature(corners); }
};

struct Tetrahedra {
  using Rule = TetrahedronGeometry;
  static TetrahedronCorners corners() { return some_tetrahedron(); }
  static Rule rule(const TetrahedronCorners& corners) { return tetrahedron_geometry(corners); }
};

}  // namespace haptic
