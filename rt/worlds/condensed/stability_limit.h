#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/constraint_solver.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// What the stability of a set of contacts depends on.
struct ContactSystem {
  SymmetricView statics;                  ///< S2 = H C2 H^T, 3c x 3c [m/N]
  const double* contact_modes = nullptr;  ///< (H U1)^T, row of 3c values per mode [kg^-1/2]
  std::size_t stride = 0;                 ///< from one mode to the next
  double scale = 0.0;                     ///< largest diagonal entry of H C H^T [m/N]
};

/// @param contacts  with S = H C2 H^T (ContactCompliance with modes, or of kStaticsDriveDynamics)
ContactSystem system_of(const ContactCompliance& contacts) HAPTIC_REALTIME;

/// The largest stable step of ModalCoupling::kStaticsDriveDynamics, exact for every set of contacts
/// and every damping. The contacts act on the modes as springs K_e = (H U1)^T S2^-1 H U1 whose
/// force is that of the step's beginning. The step is stable if and only if
///   implicit     4 I + 2 h D + h^2 (L1 - K_e)     symplectic     4 I - 2 h D - h^2 (L1 + K_e)
/// is positive definite. Without damping: h < 2 / sqrt(largest eigenvalue of K_e -+ L1).
/// With B = 4 I +- 2 h D +- h^2 L1 this is equivalent to
///   S2 - h^2 (H U1) B^-1 (H U1)^T positive definite (and B positive),
/// 3c x 3c, which one factorisation decides without an eigenvalue and without K_e.
/// Source: docs/methods/static-dynamic.md, "Stability of method 1".
class StabilityLimit {
 public:
  /// @param eigenvalues  of the m modes in use [s^-2], > 0
  /// @param capacity     contacts. Allocates 27 capacity^2 doubles
  StabilityLimit(std::span<const double> eigenvalues, RayleighDamping damping,
                 ModalIntegrator integrator, std::size_t capacity);

  /// @param contacts  with the m modes of the constructor
  /// @returns whether a step of dt is stable with these contacts. False, too, if the static part
  ///          cannot displace them independently (feasible()). Cost of the order of 10 m c^2 + 18
  ///          c^3
  bool stable(const ContactSystem& contacts, double dt) HAPTIC_REALTIME;

  /// Whether the statics without the modes can hold these contacts: the rank of S2 is that of the
  /// contacts' full compliance H C H^T. Not so if the body has fewer degrees of freedom besides
  /// its m modes than the contacts constrain.
  bool feasible(const ContactSystem& contacts) HAPTIC_REALTIME;

  /// Largest stable step [s], not above it, to a relative 1e-9 if no contact is many times stiffer
  /// than the softest (pivots are compared with 1e-10 of the scale); infinite if every step is
  /// stable, 0 if the contacts are infeasible or no step above 1e-9 s is stable. At most 140
  /// factorisations.
  double largest_step(const ContactSystem& contacts) HAPTIC_REALTIME;

 private:
  std::size_t rank_with(const ContactSystem& contacts) HAPTIC_REALTIME;
  bool positive(const ContactSystem& contacts, double dt, std::size_t rank) HAPTIC_REALTIME;

  std::vector<double> stiffness_, damping_;
  ModalIntegrator integrator_;
  std::size_t stride_;
  AlignedVector<double> matrix_;
  std::vector<double> weights_;  // of the modes' products that are added to S2
  ConstraintSolver solver_;
};

/// The single contact on the surface with the smallest stable step.
struct WorstContact {
  double step = 0.0;  ///< largest stable step there [s]; infinite; 0 if infeasible
  std::size_t triangle = 0;
  std::array<double, 3> barycentric{};
};

/// Searches the corners, the middles of the edges and the centre of every triangle that the tool
/// can move. Not for the loop.
/// @throws InputError as ContactCompliance
WorstContact worst_single_contact(const CondensedModel& model, std::size_t modes,
                                  RayleighDamping damping, ModalIntegrator integrator);

}  // namespace haptic::condensed
