#include "lab/cloth/velocity_limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::lab {

VelocityLimiter::VelocityLimiter(const cloth::ClothSystem& system, double most)
    : first_(system.springs().springs().first),
      second_(system.springs().springs().second),
      longest_(system.springs().springs().rest) {
  if (!std::isfinite(most) || most < 1.0) {
    throw InputError("", "largest stretch", fmt::format("{}", most), "a number >= 1");
  }
  for (double& length : longest_) length *= most;
}

std::size_t VelocityLimiter::apply(const cloth::ParticleConstraints& constraints,
                                   const Vector3& v_other, std::span<const double> v_object,
                                   std::span<const double> x,
                                   std::span<double> v) const HAPTIC_REALTIME {
  const std::span<const double> w = constraints.inverse_masses();
  std::size_t limited = 0;
  for (std::size_t s = 0; s < first_.size(); ++s) {
    const std::size_t i = first_[s], j = second_[s];
    const Vector3 apart = cloth::at(x, j) - cloth::at(x, i);
    const double length = std::sqrt(apart.squaredNorm());
    if (!(length > longest_[s]) || (w[i] == 0.0 && w[j] == 0.0)) continue;
    const Vector3 d = apart / length;
    const double along_i = d.dot(cloth::at(v, i)), along_j = d.dot(cloth::at(v, j));
    if (along_j <= along_i) continue;
    Vector3 motion = v_other;
    if (!v_object.empty()) motion += 0.5 * (cloth::at(v_object, i) + cloth::at(v_object, j));
    const double speed = std::sqrt(motion.squaredNorm());
    const double c = speed > 0.0 ? d.dot(motion) / speed : 0.0;
    double to_i = 0.5 * (along_i + along_j), to_j = to_i;
    if (w[i] == 0.0 || (w[j] != 0.0 && c < -kAcross)) {
      to_i = to_j = along_i;
    } else if (w[j] == 0.0 || c > kAcross) {
      to_i = to_j = along_j;
    }
    Vector3 change_i = (to_i - along_i) * d, change_j = (to_j - along_j) * d;
    constraints.filter(i, Eigen::Map<Vector3>(change_i.data()));
    constraints.filter(j, Eigen::Map<Vector3>(change_j.data()));
    cloth::at(v, i) += change_i;
    cloth::at(v, j) += change_j;
    ++limited;
  }
  return limited;
}

}  // namespace haptic::lab
