#include "host/fem/neo_hookean_material.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "shared/math/pose.h"

namespace haptic {

NeoHookeanMaterial::NeoHookeanMaterial(const LameParameters& lame, const Matrix3& F)
    : lame_(lame), F_(F), inverse_transpose_(Matrix3::Identity()) {
  // J - 1 from G = F - I: exact to rounding for small G too.
  const Matrix3 G = F - Matrix3::Identity();
  const double trace = G.trace();
  const double growth = trace + 0.5 * (trace * trace - (G * G).trace()) + G.determinant();
  if (growth > -1.0) {
    inverse_transpose_ = F.inverse().transpose();
    log_volume_ = std::log1p(growth);
  } else {
    log_volume_ = std::numeric_limits<double>::quiet_NaN();
  }
}

double NeoHookeanMaterial::energy_density() const {
  if (std::isnan(log_volume_)) return std::numeric_limits<double>::infinity();
  // |F|^2 - 3 = 2 tr G + |G|^2, whose first part ln J cancels for small G.
  const Matrix3 G = F_ - Matrix3::Identity();
  return lame_.mu * (0.5 * G.squaredNorm() + (G.trace() - log_volume_)) +
         0.5 * lame_.lambda * log_volume_ * log_volume_;
}

Matrix3 NeoHookeanMaterial::stress() const {
  return lame_.mu * (F_ - inverse_transpose_) + lame_.lambda * log_volume_ * inverse_transpose_;
}

// d ln J = F^-T : dF,  d F^-T = -F^-T dF^T F^-T.
Matrix3 NeoHookeanMaterial::stress_change(const Matrix3& dF) const {
  const double log_change = inverse_transpose_.cwiseProduct(dF).sum();
  return lame_.mu * dF +
         (lame_.mu - lame_.lambda * log_volume_) * inverse_transpose_ * dF.transpose() *
             inverse_transpose_ +
         lame_.lambda * log_change * inverse_transpose_;
}

}  // namespace haptic
