#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lab/multibody/body_stepper.h"

namespace haptic {

/// Corners of a convex part of a body, model frame [m].
using ConvexPart = std::vector<Vector3>;

/// The free bodies of a scene in Bullet (btDiscreteDynamicsWorld, sequential impulses, ten
/// iterations): all of one shape, a compound of convex parts, above the plane y = 0. Masses are
/// those of the models, and friction is Coulomb's with one coefficient, without restitution.
/// Lengths are tenfold, as Bullet's manual advises for bodies of some centimetres. Built only where
/// the library is found.
class BulletStepper final : public BodyStepper {
 public:
  /// @param scene  rigid free bodies  @param friction  coefficient between any two bodies
  BulletStepper(const Scene& scene, std::span<const ConvexPart> parts, double friction);
  ~BulletStepper() override;

  bool step() override;
  /// Bullet finds contacts and solves in one call: all of the time is in solve_seconds.
  Report report() const override { return report_; }
  std::span<const Pose> poses() const override { return poses_; }
  double energy() const override;

 private:
  struct World;
  std::unique_ptr<World> world_;
  std::vector<Pose> poses_;
  double dt_;
  Report report_;
};

}  // namespace haptic
