#include <Eigen/Cholesky>
#include <algorithm>

#include "rt/worlds/condensed/tool_contact.h"
#include "rt/worlds/condensed/turned.h"
#include "rt/worlds/condensed/vector_products.h"

namespace haptic::condensed {

HeldResponse ToolContact::response(const HeldBody& held,
                                   const HeldBody::StepSystem& system) HAPTIC_REALTIME {
  if (rows_ == 0) return {};
  const SymmetricView matrix{matrix_.data(), rows_, 3 * capacity_};
  for (std::size_t i = 0; i < rows_; ++i) {
    slips_[i] = demand_[i] - dot(matrix.row(i), force_.data(), rows_);
  }
  // The coupling is the same about every axis, so its stiffness has the same values in the model's.
  const Matrix6 world = system.undelayed.llt().solve(Matrix6::Identity());
  const Matrix6 mobility = turned(world, to_model_);
  const ContactResponse::Solution solution{
      .compliance = {body_matrix_.data(), rows_, 3 * capacity_},
      .jacobians = jacobians_,
      .normals = normals_,
      .forces = forces(),
      .slips = slips_,
      .friction = friction_};
  HeldResponse response;
  if (!response_.find(solution, mobility, system.stiffness, system.held_back, response)) return {};
  const Matrix3 to_world = to_model_.transpose();
  response.manipulandum = held.manipulandum();
  response.free = turned(response.free, to_world);
  response.contact = turned(response.contact, to_world);
  response.pushed = turned(response.pushed, to_world);
  response.release = turned(response.release, to_world);
  response.max_motion = held.max_motion();
  response.max_rotation = held.max_rotation();
  return response;
}

}  // namespace haptic::condensed
