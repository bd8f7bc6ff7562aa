#pragma once

#include "host/fem/stvk_model.h"
#include "host/unreduced/full_dynamics.h"

namespace haptic {

/// The unreduced body without inertia and damping: each step is the static equilibrium R(u) = f,
/// continued from the one before (host/reduction/static_continuation.h).
class FullStatics final : public FullDynamics {
 public:
  /// @param model anchored; outlives it @param dt between loads [s], not used
  /// @throws InputError if the fixed vertices leave a rigid motion free
  FullStatics(const StvkModel& model, double dt);

  FullStepReport step(const Eigen::Ref<const Eigen::VectorXd>& f) override;
  /// The velocity must be zero; f is not used.
  void set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                 const Eigen::Ref<const Eigen::VectorXd>& v,
                 const Eigen::Ref<const Eigen::VectorXd>& f) override;
  double dt() const override { return dt_; }
  Eigen::VectorXd displacement() const override { return u_; }
  Eigen::VectorXd velocity() const override;
  double strain_energy() const override;
  double kinetic_energy() const override { return 0.0; }

 private:
  const StvkModel& model_;
  double dt_;
  Eigen::VectorXd u_;  // 3n
};

}  // namespace haptic
