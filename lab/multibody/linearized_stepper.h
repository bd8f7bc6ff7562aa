#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "lab/multibody/body_stepper.h"
#include "lab/multibody/momentum_step.h"
#include "lab/multibody/pair_contact.h"

namespace haptic {

/// The published step of many free rigid bodies: implicit Euler in the momenta, linearised once at
/// the start of the step, over the contacts found there. A contact is a spring along the normal of
/// its point and a damper in all directions; no friction.
///
///   (1 - h dW/d(P, L)) (dP, dL) = h (W + h (dW/dx v + dW/dturn V w)),    W(x, turn, v, w)
///
/// The system is dense and not symmetric; 6 unknowns a body. Source: Xu, Zhao & Barbic 2014,
/// sections 3 and 4; docs/methods/multibody.md, M24.
class LinearizedStepper final : public BodyStepper {
 public:
  /// The stiffness is that of the scene's contacts; their normals, friction and damping are not
  /// used. @param damping  of a point, in all directions [N s/m]
  /// @throws InputError as SolidsWorld, or if a free body deforms
  LinearizedStepper(const Scene& scene, PairGradient gradient, double damping);

  bool step() override;
  Report report() const override { return report_; }
  std::span<const Pose> poses() const override { return poses_; }
  double energy() const override;
  /// Of a body [kg m/s]; zero if it does not move.
  Vector3 momentum(std::size_t body) const;

 private:
  struct Body {
    RigidProperties properties;
    RigidState state;
    Eigen::Index first = -1;  // unknown; < 0: the body does not move
  };

  void add_pair(const solids::ContactSet::Pair& pair, const std::vector<PairBody>& bodies,
                const std::vector<MomentumKinematics>& at);

  solids::SolidsWorld world_;  // models and contact search
  PairGradient gradient_;
  double damping_, h_;
  Vector3 gravity_;
  std::vector<Body> bodies_;
  Eigen::MatrixXd system_;
  Eigen::VectorXd load_;
  std::vector<BodyMotion> motions_;
  std::vector<Pose> poses_;
  Report report_;
};

}  // namespace haptic
