// How the end of a step follows what presses the cloth (docs/methods/cloth.md, "Two rates").
#include <algorithm>
#include <array>

#include "rt/worlds/cloth/contact/contact_step.h"

namespace haptic::cloth {

/// The system with the contacts and frictions that the step ended with.
bool ContactStep::prepare_response() HAPTIC_REALTIME {
  partners_.clear_stiffness();
  rows_.prepare(partners_);
  if (!partners_.factor()) return false;
  preconditioner_.set(matrix_, system().constraints());
  rows_.add_to(preconditioner_);
  preconditioner_.factor();
  return true;
}

/// change_ = H^-1 residual_.
void ContactStep::solve_response() HAPTIC_REALTIME {
  const double tolerance = settings_.solver.tolerance * settings_.solver.tolerance;
  system().constraints().filter(residual_);
  std::fill(change_.begin(), change_.end(), 0.0);
  const double first = gradients_.size(preconditioner_, residual_);
  (void)gradients_.begin(
      {matrix_, system().constraints(), preconditioner_, rows_, partners_, tolerance * first},
      first, residual_, change_);
  preconditioner_.correct(residual_, change_);
}

Matrix3 ContactStep::point_response() HAPTIC_REALTIME {
  Matrix3 response = Matrix3::Zero();
  if (!prepare_response()) return response;
  for (Eigen::Index c = 0; c < 3; ++c) {
    std::fill(residual_.begin(), residual_.end(), 0.0);
    rows_.point().add_hand_motion(Vector3::Unit(c), residual_);
    solve_response();
    response.col(c) = rows_.point().mean_motion(change_);
  }
  return response;
}

bool ContactStep::partner_response(std::uint32_t partner, const Matrix6& matrix,
                                   Matrix6& response) HAPTIC_REALTIME {
  constexpr std::array<double, 6> kNoLoad{};
  partners_.set(partner, {matrix.data(), 36}, kNoLoad);
  if (!prepare_response()) return false;
  for (Eigen::Index c = 0; c < 6; ++c) {
    const Vector6 load = Vector6::Unit(c);
    partners_.clear_load(false);
    partners_.add_load(partner, {load.data(), 6});
    partners_.solve();
    const std::span<const double> y = partners_.motion(partner);
    response.col(c) = Eigen::Map<const Vector6>(y.data());
    std::fill(residual_.begin(), residual_.end(), 0.0);
    rows_.add_partner_motion(partner, partners_, residual_);
    solve_response();
    partners_.clear_load(false);
    rows_.add_load_of(change_, partner, partners_);
    partners_.solve();
    response.col(c) += Eigen::Map<const Vector6>(partners_.motion(partner).data());
  }
  return true;
}

}  // namespace haptic::cloth
