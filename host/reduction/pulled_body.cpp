#include "host/reduction/pulled_body.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "shared/error.h"

namespace haptic {

PulledBody::PulledBody(const StvkModel& model, const SparseFactorization& rest_stiffness,
                       std::uint32_t vertex, std::optional<double> stiffness) {
  if (vertex >= static_cast<std::uint32_t>(model.vertex_count()) ||
      model.free_index(static_cast<int>(vertex)) < 0) {
    throw InputError("sketch", "grab",
                     fmt::format("found vertex {}, which is fixed or does not exist", vertex),
                     "a vertex of the mesh that can move");
  }
  if (stiffness && (!(*stiffness > 0.0) || !std::isfinite(*stiffness))) {
    throw InputError("sketch", "stiffness", fmt::format("found {}", *stiffness),
                     "a number > 0 [N/m]");
  }
  const int first = 3 * model.free_index(static_cast<int>(vertex));
  Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(model.free_dof_count(), 3);
  unit.middleRows<3>(first).setIdentity();
  compliance_ = rest_stiffness.solve(unit).middleRows<3>(first);
  compliance_ = 0.5 * (compliance_ + compliance_.transpose()).eval();
  stiffness_ = stiffness ? *stiffness : 10.0 * 3.0 / compliance_.trace();
  pull_ = (Matrix3::Identity() / stiffness_ + compliance_).inverse();
}

}  // namespace haptic
