#include "rt/worlds/cloth/contact/contact_preconditioner.h"

#include <Eigen/LU>
#include <algorithm>

namespace haptic::cloth {
namespace {

/// Inverse of B in the space of the particle's constraint.
Matrix3 inverse_where_free(const Matrix3& B, const ParticleConstraints& constraints,
                           std::size_t particle) HAPTIC_REALTIME {
  if (constraints.hold(particle) == ParticleConstraints::Hold::kFree) return B.inverse();
  Matrix3 S = Matrix3::Identity();
  for (int k = 0; k < 3; ++k) constraints.filter(particle, Eigen::Map<Vector3>(S.col(k).data()));
  const Matrix3 whole = S * B * S + B.trace() * (Matrix3::Identity() - S);
  return whole.inverse();
}

}  // namespace

ContactPreconditioner::ContactPreconditioner(std::size_t particles)
    : inverse_(particles), blocks_(particles), touched_(particles), is_touched_(particles) {}

void ContactPreconditioner::set(std::span<const double> diagonal, const ContactRows& rows,
                                const ParticleConstraints& constraints, double h) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < touched_count_; ++k) is_touched_[touched_[k]] = 0;
  touched_count_ = 0;
  for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = 1.0 / diagonal[i];
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!rows.presses(k)) continue;
    const ClothContact& contact = rows.contact(k);
    for (std::uint32_t c = 0; c < contact.count; ++c) {
      const std::uint32_t i = contact.particles[c];
      if (is_touched_[i] == 0) {
        is_touched_[i] = 1;
        touched_[touched_count_++] = i;
        blocks_[i] = diagonal[i] * Matrix3::Identity();
      }
      const double weight = h * contact.weights[c];
      blocks_[i] += weight * weight * rows.stiffness(k);
    }
  }
  for (std::size_t k = 0; k < touched_count_; ++k) {
    const std::uint32_t i = touched_[k];
    blocks_[i] = inverse_where_free(blocks_[i], constraints, i);
  }
}

void ContactPreconditioner::apply(std::span<const double> from,
                                  std::span<double> to) const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < inverse_.size(); ++i) at(to, i) = inverse_[i] * at(from, i);
  for (std::size_t k = 0; k < touched_count_; ++k) {
    at(to, touched_[k]) = blocks_[touched_[k]] * at(from, touched_[k]);
  }
}

}  // namespace haptic::cloth
