#include "host/fem/solid_material.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "shared/error.h"

namespace haptic {
namespace {

// Inside the constructor's initialiser: the Lame constants of a bad ratio are not numbers.
const Material& checked(const Material& material) {
  if (!(material.youngs_modulus > 0.0) || !std::isfinite(material.youngs_modulus)) {
    throw InputError("material", "youngs_modulus",
                     fmt::format("found {} Pa", material.youngs_modulus), "a number > 0");
  }
  if (!(material.poisson_ratio > -1.0 && material.poisson_ratio < 0.5)) {
    throw InputError("material", "poisson_ratio", fmt::format("found {}", material.poisson_ratio),
                     "a number in (-1, 0.5)");
  }
  return material;
}

}  // namespace

SolidMaterial::SolidMaterial(const Material& material)
    : SolidMaterial(checked(material).lame(), material.density) {}

ElasticityMatrix SolidMaterial::elasticity() const {
  return is_isotropic() ? isotropic_elasticity(lame()) : std::get<ElasticityMatrix>(law_);
}

void SolidMaterial::require_valid(const std::string& key) const {
  if (!(density_ > 0.0) || !std::isfinite(density_)) {
    throw InputError("material", key, fmt::format("found density {} kg/m^3", density_),
                     "a number > 0");
  }
  if (is_isotropic()) {
    const auto& [lambda, mu] = lame();
    if (!(mu > 0.0 && 3.0 * lambda + 2.0 * mu > 0.0 && std::isfinite(lambda) &&
          std::isfinite(mu))) {
      throw InputError("material", key, fmt::format("found lambda = {}, mu = {} Pa", lambda, mu),
                       "mu > 0 and 3 lambda + 2 mu > 0");
    }
    return;
  }
  const ElasticityMatrix C = elasticity();
  if (!C.allFinite()) {
    throw InputError("material", key, "found an elasticity matrix with a value that is not finite",
                     "21 finite numbers [Pa]");
  }
  const double asymmetry = (C - C.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-12 * C.cwiseAbs().maxCoeff()) {
    throw InputError(
        "material", key,
        fmt::format("found an elasticity matrix whose triangles differ by {:.3g} Pa", asymmetry),
        "a symmetric one");
  }
  // A factor of a singular matrix may round to success: rank counts relative to the largest entry.
  const double smallest = smallest_stiffness(C);
  if (C.llt().info() != Eigen::Success || !(smallest > 1e-13 * C.cwiseAbs().maxCoeff())) {
    throw InputError("material", key,
                     fmt::format("found an elasticity matrix with eigenvalue {:.6g} Pa", smallest),
                     "a positive definite one");
  }
}

}  // namespace haptic
