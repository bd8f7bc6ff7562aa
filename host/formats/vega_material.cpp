#include <Eigen/LU>

#include "host/formats/vega_mesh.h"

namespace haptic {
namespace {

constexpr int kPairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

}  // namespace

Eigen::Matrix<double, 6, 6> Orthotropy::elasticity() const {
  // Normal part from the symmetric compliance, shear part G, in the local frame.
  Eigen::Matrix3d compliance;
  compliance << 1.0 / e1, -nu12 / e1, -nu31 / e3,  //
      -nu12 / e1, 1.0 / e2, -nu23 / e2,            //
      -nu31 / e3, -nu23 / e2, 1.0 / e3;
  const Eigen::Matrix3d normal = compliance.inverse();
  const double shear[6] = {0.0, 0.0, 0.0, g12, g31, g23};

  const auto local = [&](int a, int b, int c, int d) {
    if (a == b && c == d) return 0.5 * (normal(a, c) + normal(c, a));
    if (a == b || c == d) return 0.0;
    if (!((a == c && b == d) || (a == d && b == c))) return 0.0;
    return shear[a + b + 2];  // 0+1 -> 3, 0+2 -> 4, 1+2 -> 5
  };
  const auto& R = axes;
  Eigen::Matrix<double, 6, 6> C;
  for (int p = 0; p < 6; ++p) {
    for (int s = p; s < 6; ++s) {
      const int i = kPairs[p][0], j = kPairs[p][1], k = kPairs[s][0], l = kPairs[s][1];
      double sum = 0.0;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          for (int c = 0; c < 3; ++c)
            for (int d = 0; d < 3; ++d)
              sum += R(i, a) * R(j, b) * R(k, c) * R(l, d) * local(a, b, c, d);
      C(p, s) = C(s, p) = sum;
    }
  }
  return C;
}

}  // namespace haptic
