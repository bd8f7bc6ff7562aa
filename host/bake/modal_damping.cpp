#include "host/bake/modal_damping.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "host/reduction/damping_ratios.h"

namespace haptic {

RayleighDamping modal_damping(const Recipe& recipe, std::span<const double> eigenvalues,
                              StageProgress& progress) {
  const Eigen::Map<const Eigen::VectorXd> lambda(eigenvalues.data(),
                                                 static_cast<Eigen::Index>(eigenvalues.size()));
  const RayleighDamping damping =
      rayleigh_from_damping_ratios(lambda, recipe.damping_ratios[0], recipe.damping_ratios[1]);
  const double last = damping_ratio(damping, std::sqrt(eigenvalues.back()));
  if (std::abs(last - recipe.damping_ratios[1]) > 1e-6) {
    progress.warn(
        fmt::format("damping ratio of the last mode {:.3g} instead of {:.3g}: Rayleigh "
                    "damping cannot vary more over these frequencies",
                    last, recipe.damping_ratios[1]));
  }
  return damping;
}

}  // namespace haptic
