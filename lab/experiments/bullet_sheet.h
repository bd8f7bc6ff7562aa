#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rt/worlds/cloth/cloth_system.h"

namespace haptic {

/// A cloth as a soft body of Bullet (btSoftBody in a btSoftRigidDynamicsWorld, double precision):
/// the particles, masses, springs and pins of a ClothSystem. Bullet's links are corrected by
/// position, without a stiffness: a structural or shear spring becomes a link of stiffness 1, a
/// bend spring one of 0.05. No collision. Built only where the library is found.
class BulletSheet {
 public:
  /// @param iterations  of the positions, each over all links
  BulletSheet(const cloth::ClothSystem& system, std::span<const double> x, int iterations);
  ~BulletSheet();

  void step(double dt);  ///< one step of dt [s]
  /// Positions [m], 3n values.
  void positions(std::span<double> x) const;

 private:
  struct World;
  std::unique_ptr<World> world_;
};

}  // namespace haptic
