#include "rt/contact/motion_odometer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rt/geometry/signed_field.h"

namespace haptic {
namespace {

constexpr double kIsometry = 1e-13;

bool is_rotation(const Matrix3& A) HAPTIC_REALTIME {
  // False for a NaN.
  return (A.transpose() * A - Matrix3::Identity()).squaredNorm() < kIsometry * kIsometry;
}

bool all_finite(std::span<const double> values) HAPTIC_REALTIME {
  return std::ranges::all_of(values, [](double x) HAPTIC_REALTIME { return std::isfinite(x); });
}

/// Upper bound on the spectral norm of the difference of two rotations. Its singular values are
/// 2 sin(theta/2), twice, and 0, so its Frobenius norm is sqrt(2) times the spectral norm.
double turn(const Matrix3& difference) HAPTIC_REALTIME {
  const double norm = difference.norm();
  return norm == 0.0 ? 0.0 : norm * (std::numbers::sqrt2 / 2.0) + 10.0 * kIsometry;
}

}  // namespace

MotionOdometer::MotionOdometer(const TraversalLayout& shell, const SignedField& field)
    : field_(&field),
      extent_(shell.rest_extent()),
      modal_extent_(shell.modal_extent().begin(), shell.modal_extent().end()),
      reach_(field.reach()),
      q_(shell.dimension(), 0.0),
      field_q_(field.dimension(), 0.0),
      field_step_(field.dimension(), 0.0) {
  size_ = extent_ + (std::isfinite(reach_) ? reach_ : 0.0);
  farthest_ = 1e3 * size_;
}

void MotionOdometer::advance(const Matrix3& rotation, const Vector3& offset,
                             std::span<const double> q,
                             std::span<const double> field_q) HAPTIC_REALTIME {
  const bool was_known = known_;
  known_ = is_rotation(rotation) && offset.allFinite() && all_finite(q) && all_finite(field_q);
  const double step = motion(rotation, offset, q, field_q);
  if (!was_known || !known_ || !(step < std::numeric_limits<double>::max())) {
    clear_history();
  } else if (step > 0.0) {
    reading_ = std::nextafter(reading_ + step, std::numeric_limits<double>::infinity());
  }
  rotation_ = rotation;
  offset_ = offset;
  field_origin_.noalias() = -(rotation.transpose() * offset);
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(field_q.begin(), field_q.end(), field_q_.begin());
  margin_ = 1e-12 * (size_ + (known_ ? std::min(offset.norm(), farthest_) : 0.0)) +
            std::ldexp(reading_, -51);
}

double MotionOdometer::motion(const Matrix3& rotation, const Vector3& offset,
                              std::span<const double> q,
                              std::span<const double> field_q) HAPTIC_REALTIME {
  double extent = extent_, deformation = 0.0;
  for (std::size_t j = 0; j < q.size(); ++j) {
    extent += modal_extent_[j] * std::abs(q_[j]);
    deformation += modal_extent_[j] * std::abs(q[j] - q_[j]);
  }
  if (!field_q.empty()) {
    for (std::size_t j = 0; j < field_q.size(); ++j) field_step_[j] = field_q[j] - field_q_[j];
    deformation += field_->deformation_bound(field_step_);
  }
  const double turned = turn(rotation - rotation_);
  const Vector3 origin = -(rotation.transpose() * offset);
  const double of_shell = (offset - offset_).norm() + turned * extent;
  const double of_field = (origin - field_origin_).norm() + (turned > 0.0 ? turned * reach_ : 0.0);
  return (std::min(of_shell, of_field) + deformation) * (1.0 + 1e-12);
}

}  // namespace haptic
