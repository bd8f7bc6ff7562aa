#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rt/dynamics/integrator.h"
#include "rt/dynamics/reduced_system.h"
#include "shared/realtime.h"

namespace haptic {

/// Newton iteration inside one Newmark step.
struct NewtonSettings {
  std::uint32_t iterations = 1;  ///< jmax >= 1; one is the semi-implicit step of the real-time loop
  double tolerance = 0.0;        ///< stop early when |residual|_2 is below; >= 0
};

/// Implicit Newmark in the subspace, by default with one Newton iteration per step.
///
/// Advances  M q'' + D(q) q' + R(q) = f_ext  with average acceleration (beta = 1/4, gamma = 1/2),
/// D = alpha M + beta K(q) + G(q); M = I in a mass-orthonormal basis at the baked density.
///
/// With more than one iteration, step() is a descent on the incremental potential of the step,
/// whose gradient is the residual: a line search halves a Newton step until the potential
/// decreases, and an indefinite matrix is shifted by a multiple of M. Where the full step decreases
/// it, as in any step within the linear range, it is the plain Newton step. prepare() has no line
/// search. Source: docs/methods/reduced-dynamics.md, "Newmark"; Barbic & James 2005, Appendix C.
class NewmarkIntegrator final : public Integrator {
 public:
  /// Starts at rest, q = q' = q'' = 0.
  /// @param system  equation of motion; the data that it views must outlive the integrator
  /// @param dt      step [s], > 0
  /// @throws InputError if dt, damping or the Newton settings are out of range
  NewmarkIntegrator(const ReducedSystem& system, double dt, NewtonSettings newton = {},
                    GrowthLimit limit = {});
  /// The same for an energy with M = I and no strain-rate damping.
  NewmarkIntegrator(const ReducedEnergy& energy, double dt, RayleighDamping damping = {},
                    NewtonSettings newton = {})
      : NewmarkIntegrator(ReducedSystem{&energy, damping}, dt, newton) {}
  NewmarkIntegrator(NewmarkIntegrator&&) noexcept;
  NewmarkIntegrator& operator=(NewmarkIntegrator&&) noexcept;
  ~NewmarkIntegrator() override;

  /// Costs one evaluation of force and stiffness and r^3/3 for each Newton iteration; with more
  /// than one iteration, one evaluation more, and one for each of at most kMaxHalvings halvings.
  /// Uses Cholesky; with one iteration and an indefinite system matrix, LDL^T, accepted if the
  /// relative residual is at most 1e-8.
  /// @returns kDiverged also if an energy of the new state would not be finite
  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME override;

  /// A step whose contact forces the caller computes together with those of other bodies:
  /// prepare(), then complete(). The contact force f is that of the step's end; it acts as an
  /// impulse dt f, distributed over the step by `contact_weight`:
  ///   q_next = q + dt q' + dt^2/4 (q'' + q''_next) + contact_weight/4 dt^2 M^-1 f,
  ///   q'_next = q' + dt/2 (q'' + q''_next) + dt M^-1 f,
  /// where q'' comes from the body's own forces alone. With kImpulseFirst, f acts as an impulse at
  /// the start of the step: a stiff contact stops a body. With kSpread, contact and body together
  /// never gain energy (Kane, Repetto, Ortiz & Marsden 1999): a stiff contact throws it back.
  static constexpr double kImpulseFirst = 4.0, kSpread = 2.0;
  struct StepSystem {
    std::span<const double> matrix;  ///< A, r x r, symmetric
    std::span<const double> load;    ///< b, r
  };
  /// Linearises the step about q + dq: A (q_next - q) = b + contact_weight f.
  /// @param dq  r values; zero for the semi-implicit step
  /// @returns views, valid until the next call of any function
  StepSystem prepare(std::span<const double> dq) HAPTIC_REALTIME;
  /// Makes the step q_next = q + dq. The contact force is the one that satisfies the system of the
  /// last prepare() with this dq.
  [[nodiscard]] StepResult complete(std::span<const double> dq,
                                    double contact_weight) HAPTIC_REALTIME;
  /// Before prepare(): q' += M^-1 impulse, and q'' changes by the damping of this change of q',
  /// with the stiffness of the step before; in the first step since a reset by alpha's part alone.
  /// @param impulse  r values [N s]
  /// @returns false, with the state unchanged, if M is not positive definite
  [[nodiscard]] bool push(std::span<const double> impulse) HAPTIC_REALTIME;
  /// Upper bound of the energy [J] that a linear body and the contact would gain if complete(dq,
  /// kImpulseFirst) were called.
  double excess_work(std::span<const double> dq) HAPTIC_REALTIME;

  /// q' = q'' = 0; q is unchanged.
  void halt() HAPTIC_REALTIME;

  ReducedState state() const HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;
  [[nodiscard]] StepResult set_state(std::span<const double> q, std::span<const double> qdot,
                                     std::span<const double> f_ext) HAPTIC_REALTIME override;
  double dt() const HAPTIC_REALTIME override { return dt_; }
  /// Halvings of Newton steps by the line search since the construction.
  std::uint64_t backtracks() const HAPTIC_REALTIME { return backtracks_; }
  /// Of one Newton step; if the potential has not decreased after them, the iteration stops.
  static constexpr std::uint32_t kMaxHalvings = 20;

  /// Replaces the system from the next step on; q and q' are unchanged. It may have another
  /// dimension (ReducedSystem::dimension), at most that of the energy at construction. Coordinates
  /// that it lacks vanish, while the momentum of the others stays the same, so that the kinetic
  /// energy does not grow; new ones start at rest at zero. Allocates nothing.
  /// @param system  valid as for the constructor; the one before must be valid until this returns
  void set_system(const ReducedSystem& system) HAPTIC_REALTIME;

 private:
  struct Memory;
  /// a1..a6 of Barbic 2007, section 2.9.
  struct Constants {
    double a1, a2, a3, a4, a5, a6;
  };
  enum class Iteration : std::uint8_t { kStepped, kConverged, kFailed };
  /// Of a step; `magnitude` is the sum of the sizes of its terms, for rounding.
  struct Potential {
    double value, magnitude;
  };

  bool searches() const HAPTIC_REALTIME { return newton_.iterations > 1; }
  void keep_momentum(std::size_t r) HAPTIC_REALTIME;
  std::span<const double> with_fixed(std::span<const double> q) HAPTIC_REALTIME;
  void evaluate_energy(std::span<const double> q) HAPTIC_REALTIME;
  void evaluate(std::span<const double> q) HAPTIC_REALTIME;
  /// Computes q' and q'' of the new state from its q.
  void set_rates() HAPTIC_REALTIME;
  /// One Newton iteration for M = I and Rayleigh damping only; uses the triangular storage of the
  /// kernels throughout.
  Iteration iterate_plain(std::span<const double> f_ext) HAPTIC_REALTIME;
  /// The same for any system.
  Iteration iterate(std::span<const double> f_ext) HAPTIC_REALTIME;
  /// All Newton iterations of a step, with line search. @returns false if a system is not solved
  bool descend(std::span<const double> f_ext, bool plain) HAPTIC_REALTIME;
  /// Incremental potential of the step that ends at q_next, without strain-rate damping.
  Potential potential(std::span<const double> f_ext) HAPTIC_REALTIME;
  /// The part of strain-rate damping for a step that ends at q, with G of the last linearisation.
  double viscous_potential(std::span<const double> q) HAPTIC_REALTIME;
  /// dq from A and the residual where A is indefinite. @returns false if it is not solved
  bool solve_indefinite() HAPTIC_REALTIME;
  /// A, and the residual of the equation of motion at q_next without external force.
  void assemble() HAPTIC_REALTIME;
  /// M^-1 f of the contact force f that makes the step dq the solution, to `image`.
  bool contact_acceleration(std::span<const double> dq, double contact_weight) HAPTIC_REALTIME;
  /// Limits |q''| to limit_.acceleration and recomputes q' and q from it.
  void cap_acceleration() HAPTIC_REALTIME;

  ReducedSystem system_;
  double dt_;
  Constants c_;
  NewtonSettings newton_;
  GrowthLimit limit_;
  std::uint64_t backtracks_ = 0;
  std::unique_ptr<Memory> memory_;
};

}  // namespace haptic
