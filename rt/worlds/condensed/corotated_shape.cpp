#include "rt/worlds/condensed/corotated_shape.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/condensed/modal_rotations.h"
#include "shared/assert.h"

namespace haptic::condensed {

namespace {

/// Below it, the first terms of the series are exact to rounding.
constexpr double kSmallAngle = 1e-4;
/// Of central differences [rad]: their error is a hundred times the rounding.
constexpr double kDifference = 1e-5;

}  // namespace

Matrix3 mean_rotation(const Vector3& w) HAPTIC_REALTIME {
  const double angle = w.norm();
  const Matrix3 cross = skew(w);
  if (angle < kSmallAngle) return Matrix3::Identity() + 0.5 * cross + cross * cross / 6.0;
  const double squared = angle * angle;
  return Matrix3::Identity() + (1.0 - std::cos(angle)) / squared * cross +
         (1.0 - std::sin(angle) / angle) / squared * cross * cross;
}

CorotatedShape::CorotatedShape(const ModelFile& file, const ContactCompliance& contacts)
    : contacts_(&contacts),
      rotations_(modal_rotations(file, contacts.model(), contacts.modes())),
      turn_(contacts.dof(), 0.0),
      modal_(contacts.dof(), 0.0),
      rows_(std::max<std::size_t>(1, contacts.modes())) {}

void CorotatedShape::update(std::span<const double> q, std::span<const double> linear,
                            std::span<double> shape) HAPTIC_REALTIME {
  const std::size_t s = contacts_->dof(), modes = contacts_->modes();
  HAPTIC_ASSERT(q.size() == modes && linear.size() == s && shape.size() == s);
  std::fill(turn_.begin(), turn_.end(), 0.0);
  std::fill(modal_.begin(), modal_.end(), 0.0);
  for (std::size_t mode = 0; mode < modes; ++mode) rows_[mode] = &rotations_[mode * s];
  contacts_->kernels().add(rows_.data(), q.data(), modes, s, turn_.data());
  for (std::size_t mode = 0; mode < modes; ++mode) rows_[mode] = contacts_->mode(mode).data();
  contacts_->kernels().add(rows_.data(), q.data(), modes, s, modal_.data());
  for (std::size_t i = 0; i < s; i += 3) {
    const Vector3 w(turn_[i], turn_[i + 1], turn_[i + 2]);
    const Vector3 modal(modal_[i], modal_[i + 1], modal_[i + 2]);
    const Vector3 statics = Vector3(linear[i], linear[i + 1], linear[i + 2]) - modal;
    const Vector3 u = mean_rotation(w) * modal + rotated(rotation_exponential(w), statics);
    for (std::size_t a = 0; a < 3; ++a) shape[i + a] = u[static_cast<Eigen::Index>(a)];
  }
}

Matrix3 CorotatedShape::frame_at(const ContactRow& row, std::span<const double> linear,
                                 std::span<double> gradient,
                                 std::size_t stride) const HAPTIC_REALTIME {
  const auto vector = [&](std::span<const double> of) HAPTIC_REALTIME {
    const std::array<double, 3> v = displacement_at(row, of);
    return Vector3(v[0], v[1], v[2]);
  };
  const Vector3 w = vector(turn_), modal = vector(modal_), statics = vector(linear) - modal;
  const auto displacement = [&](const Vector3& turn) HAPTIC_REALTIME {
    return Vector3(mean_rotation(turn) * modal + rotated(rotation_exponential(turn), statics));
  };
  const Matrix3 mean = mean_rotation(w);
  Matrix3 by_turn;  // derivative of the displacement by w
  for (Eigen::Index a = 0; a < 3; ++a) {
    const Vector3 step = kDifference * Vector3::Unit(a);
    by_turn.col(a) = (displacement(w + step) - displacement(w - step)) / (2.0 * kDifference);
  }
  const std::size_t s = contacts_->dof();
  for (std::size_t mode = 0; mode < contacts_->modes(); ++mode) {
    const Vector3 column = mean * vector(contacts_->mode(mode)) +
                           by_turn * vector(std::span(rotations_).subspan(mode * s, s));
    for (std::size_t a = 0; a < 3; ++a) {
      gradient[a * stride + mode] = column[static_cast<Eigen::Index>(a)];
    }
  }
  return rotation_exponential(w).toRotationMatrix();
}

void CorotatedShape::turn_modal(std::span<double> u) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(u.size() == turn_.size());
  for (std::size_t i = 0; i < u.size(); i += 3) {
    const Vector3 turned =
        mean_rotation({turn_[i], turn_[i + 1], turn_[i + 2]}) * Vector3(u[i], u[i + 1], u[i + 2]);
    for (std::size_t a = 0; a < 3; ++a) u[i + a] = turned[static_cast<Eigen::Index>(a)];
  }
}

void CorotatedShape::reset() HAPTIC_REALTIME {
  std::fill(turn_.begin(), turn_.end(), 0.0);
  std::fill(modal_.begin(), modal_.end(), 0.0);
}

}  // namespace haptic::condensed
