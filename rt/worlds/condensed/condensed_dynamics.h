#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/dynamics/rayleigh_damping.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "rt/worlds/condensed/contact_row.h"
#include "rt/worlds/condensed/modal_step.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// How static deformation and modal dynamics are coupled (Sedaghat 2011, section 3.3).
enum class ModalCoupling : std::uint8_t {
  kStaticsDriveDynamics,  ///< method 1: forces from the statics at the modes' last positions
  kMultipliers,           ///< method 2: forces and modes are solved together, at the step's end
};

struct CondensedDynamicsSettings {
  ModalCoupling coupling = ModalCoupling::kMultipliers;
  ModalIntegrator integrator = ModalIntegrator::kImplicit;
  std::size_t modes = 0;      ///< m, 0 to mode_count of the model
  double dt = 1e-3;           ///< step [s], > 0
  RayleighDamping damping{};  ///< of the modes: d_i = alpha + beta eigenvalue_i
  std::size_t capacity = 16;  ///< contacts, >= 1
  /// Time constant of the decay of what a removed contact deformed [s]; 0: it ends at once.
  double release_time = 0.0;
};

/// Energy of a condensed body [J].
struct CondensedEnergy {
  double kinetic = 0.0;  ///< of the modes; the static part has no mass
  double modal = 0.0;    ///< elastic, of the modes' displacement U1 q
  double statics = 0.0;  ///< elastic, of the static part, what is being released included
};

/// A condensed linear body: modal dynamics and statics under point forces at its contacts.
///   u = U1 q + C2 H^T lambda + u_rel = U1 (q - L1^-1 (H U1)^T lambda) + C H^T lambda + u_rel
/// Forces lambda (3c values, unknown 3 contact + axis, N) act on the body; the reaction on the tool
/// is -lambda. Axes are those of the model. u_rel is what removed contacts left (release_time).
///
/// A step:  change the contacts;  prepare();  choose lambda, by any law, such that the contacts are
/// displaced by free_displacement() + effective_compliance() lambda;  advance(lambda).
/// The displayed pose, displacement_of_row and node_displacements, then has exactly these
/// displacements. To hold every contact at u*, solve S lambda = u* - free_displacement().
///
/// With kExact, the modes ring with their own frequency and damping at any dt; of each mode's
/// compliance the small part 1 - kappa counts as static (modal_part), so that C2 is
/// C - U1 kappa L1^-1 U1^T. The step is passive: the energy grows by at most the work of lambda on
/// the contacts.
/// With kMultipliers the step is stable for every dt. With kStaticsDriveDynamics it is stable below
/// a limit that depends on the contacts (StabilityLimit).
/// Source: docs/methods/static-dynamic.md, "Step"; Sedaghat 2011, section 3.3, with the sign of the
/// multiplier and C2 corrected.
class CondensedDynamics {
 public:
  /// @param model  its spans outlive this object
  /// @throws InputError naming the key ("modes", "dt", "damping", "contacts", "release_time") if a
  ///         setting is out of range or the model is not consistent
  CondensedDynamics(const CondensedModel& model, const CondensedDynamicsSettings& settings);

  const CondensedDynamicsSettings& settings() const HAPTIC_REALTIME { return settings_; }

  /// @{ Changes of the contacts, as in ContactCompliance. Between steps the force of the last step
  /// stays with its contact: a replaced row carries it to the new place, a removed contact hands
  /// its static deformation to the release, a new contact has none.
  const ContactCompliance& contacts() const HAPTIC_REALTIME { return contacts_; }
  [[nodiscard]] bool add_contact(const ContactRow& row) HAPTIC_REALTIME;
  void replace_contact(std::size_t i, const ContactRow& row) HAPTIC_REALTIME;
  void remove_contact(std::size_t i) HAPTIC_REALTIME;
  void clear_contacts() HAPTIC_REALTIME;
  /// @}

  /// Begins a step for the present contacts: free motion and release. Once a step, before advance.
  void prepare() HAPTIC_REALTIME;
  /// Displacement of the contact points with lambda = 0, of the last prepare(): 3c values [m].
  std::span<const double> free_displacement() const HAPTIC_REALTIME;
  /// S, 3c x 3c [m/N]: H C2 H^T, and with kMultipliers (H U1) G (H U1)^T besides, G diagonal with
  /// the modal_response of each mode. Symmetric, positive semi-definite; singular where contacts
  /// are redundant.
  SymmetricView effective_compliance() const HAPTIC_REALTIME { return contacts_.matrix(); }

  /// q of the step without contact forces, of the last prepare(): m values.
  std::span<const double> free_q() const HAPTIC_REALTIME {
    return settings_.coupling == ModalCoupling::kMultipliers ? q_next_ : q_;
  }
  /// What a modal force of 1 adds to a mode's q in the step [s^2]; 0 with kStaticsDriveDynamics,
  /// which moves the modes one step later.
  double modal_response(std::size_t mode) const HAPTIC_REALTIME {
    return settings_.coupling == ModalCoupling::kMultipliers ? modes_[mode].q_of_force : 0.0;
  }
  /// kappa: the part of a mode's compliance that moves with its inertia, 0 to 1.
  double modal_part(std::size_t mode) const HAPTIC_REALTIME { return modes_[mode].part; }

  /// Moves the modes under contact forces. @param lambda  3c values [N], on the body
  /// @param extra  force on each mode besides (H U1)^T lambda: m values, or none
  /// @returns false if a value is not finite; q, qd and the pose are then the last good ones, and
  ///          the next step begins with prepare() as always
  [[nodiscard]] bool advance(std::span<const double> lambda,
                             std::span<const double> extra = {}) HAPTIC_REALTIME;

  std::span<const double> q() const HAPTIC_REALTIME { return q_; }  ///< m [m sqrt(kg)]
  /// Of the displayed pose: with kStaticsDriveDynamics those of the step's start.
  std::span<const double> pose_q() const HAPTIC_REALTIME { return pose_q_; }
  std::span<const double> qd() const HAPTIC_REALTIME { return qd_; }  ///< m [m sqrt(kg)/s]
  /// Contact forces of the last step: 3c values [N].
  std::span<const double> forces() const HAPTIC_REALTIME;

  /// @{ The displayed pose. A row or a node costs 3c + m multiply-adds for each of its nodes' axes;
  /// all nodes cost (3c + m) s. Nodes have the same bits in both.
  std::array<double, 3> displacement_of_row(const ContactRow& row) const HAPTIC_REALTIME;
  std::array<double, 3> displacement_of_node(std::uint32_t node) const HAPTIC_REALTIME;
  /// @param out  s values [m]
  void node_displacements(std::span<double> out) HAPTIC_REALTIME;
  /// @param nodes  each below s / 3  @param out  3 values a node [m]
  void node_displacements(std::span<const std::uint32_t> nodes,
                          std::span<double> out) const HAPTIC_REALTIME;
  /// @}

  CondensedEnergy energy() const HAPTIC_REALTIME;

  /// Sets the modes; contacts keep no force and nothing is being released.
  /// @param q, qd  m values each  @returns false, nothing changed, if a value is not finite
  [[nodiscard]] bool set_state(std::span<const double> q,
                               std::span<const double> qd) HAPTIC_REALTIME;
  /// At rest, without contacts.
  void reset() HAPTIC_REALTIME;

 private:
  void release(std::size_t i) HAPTIC_REALTIME;
  void pair_pose() HAPTIC_REALTIME;
  void forget_forces() HAPTIC_REALTIME;

  CondensedDynamicsSettings settings_;
  std::vector<ModalStep> modes_;
  ContactCompliance contacts_;
  std::vector<double> q_, qd_, q_next_, qd_next_, modal_force_;
  std::vector<double> pose_q_;          // q of the displayed pose
  std::vector<double> pose_amplitude_;  // q of the pose - kappa L1^-1 (H U1)^T lambda
  std::vector<double> forces_;          // 3 capacity
  std::vector<double> free_;            // 3 capacity
  std::vector<double> released_;        // u_rel, s
  double released_energy_ = 0.0;        // 1/2 f_rel^T C2 f_rel [J]
  double remaining_ = 0.0;  // fraction of the last release that is left; 0: u_rel is zero
  double decay_ = 0.0;      // of u_rel in a step
};

}  // namespace haptic::condensed
