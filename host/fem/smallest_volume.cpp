#include "host/fem/smallest_volume.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "host/fem/element_assembly.h"

namespace haptic {

SmallestVolume smallest_volume(const SolidMesh& mesh, const Eigen::Ref<const Eigen::VectorXd>& u) {
  SmallestVolume smallest{0, std::numeric_limits<double>::infinity()};
  for (int e = 0; e < mesh.element_count(); ++e) {
    const double ratio = visit_element(mesh, e, [&](const auto& geometry, const auto&) {
      const auto& rule = rule_of(geometry);
      const auto local = gather(rule, u, mesh.element(e));
      double least = std::numeric_limits<double>::infinity();
      for (const auto& gradient : rule.gradient) {
        const Matrix3 F = Matrix3::Identity() + local * gradient.transpose();
        least = std::min(least, F.determinant());
      }
      return least;
    });
    if (ratio < smallest.ratio) smallest = {e, ratio};
  }
  return smallest;
}

}  // namespace haptic
