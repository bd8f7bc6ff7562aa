#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "lab/multibody/penalty_law.h"
#include "lab/multibody/rigid_motion.h"
#include "lab/multibody/sphere_tree.h"
#include "rt/dynamics/newmark_integrator.h"

namespace haptic {

/// Data shared by all copies of a free body.
struct SwarmModel {
  RigidProperties rigid;        ///< about the centre, body axes
  const ReducedEnergy* energy;  ///< of a free basis without rigid parts; outlives its users
  RayleighDamping damping;
  const SphereTree* tree;      ///< around the centre of mass, body frame; outlives its users
  NewtonSettings newton = {};  ///< of every reduced step
};

/// Statistics of a step.
struct SwarmReport {
  int body_pairs = 0;     ///< whose root spheres overlap
  int pair_contacts = 0;  ///< overlapping leaf spheres of different bodies
  int ground_contacts = 0;
  double deepest_ground = 0.0;   ///< overlap of a leaf sphere with the ground [m]
  double deepest_pair = 0.0;     ///< overlap of two leaf spheres [m]
  int refused_steps = 0;         ///< reduced steps that kept their last good state
  double contact_seconds = 0.0;  ///< spheres, pairs, forces
  double newmark_seconds = 0.0;  ///< all reduced steps
};

/// Many copies of one free-flying reduced body under gravity, over the ground y = 0, against each
/// other (docs/methods/reduced-dynamics.md, "Many free bodies"). Rigid motion and deformation are
/// integrated separately: no change of inertia by the deformation, no centrifugal stretch. Contact
/// forces drive both, rotated to the body's axes for the reduced ones. The basis has no rigid
/// parts, so all momentum is in the rigid state.
///
/// Pairs of bodies from a sweep over root spheres, pairs of leaves by descent of both trees; leaves
/// touch as spheres of their rest radius that follow q. Bodies and pairs are processed in parallel;
/// the order of sums is fixed, so results do not depend on the threads.
class BodySwarm {
 public:
  /// @param starts one per body
  /// @throws InputError as NewmarkIntegrator
  BodySwarm(const SwarmModel& model, const std::vector<RigidState>& starts, double dt,
            const Vector3& gravity, const PenaltyLaw& law);
  ~BodySwarm();

  SwarmReport step();

  int size() const;
  const RigidState& rigid(int body) const;
  ReducedState reduced(int body) const;
  /// Impulses since the start, over all bodies [N s].
  Vector3 gravity_impulse() const;
  Vector3 ground_impulse() const;
  Vector3 pair_impulse() const;  ///< zero up to rounding: action and reaction

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
