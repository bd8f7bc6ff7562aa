#include "host/reduction/stvk_rest_system.h"

#include "host/reduction/mass_pca.h"
#include "host/reduction/second_order_system.h"

namespace haptic {

static_assert(SecondOrderSystem<StvkRestSystem>);

StvkRestSystem::StvkRestSystem(const StvkModel& model, const LinearSolver& solver)
    : model_(model), solver_(solver), scalar_mass_(model.scalar_mass()) {}

Eigen::MatrixXd StvkRestSystem::multiply_mass(const Eigen::MatrixXd& X) const {
  return haptic::multiply_mass(scalar_mass_, X);
}

Eigen::MatrixXd StvkRestSystem::contract_hessian(const Eigen::MatrixXd& X, int begin,
                                                 int end) const {
  return model_.restrict_to_free(model_.hessian_products(model_.expand(X), begin, end));
}

}  // namespace haptic
