#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/contact/cloth_contact.h"
#include "rt/worlds/cloth/contact/contact_gradients.h"
#include "rt/worlds/cloth/contact/contact_partners.h"
#include "rt/worlds/cloth/contact/contact_rows.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "rt/worlds/cloth/spring_operator.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Bounds of a step with contacts.
struct ContactStepSettings {
  SolverSettings solver = {};   ///< of one pass
  std::size_t most_passes = 6;  ///< over the set of pressing contacts, >= 1
  std::size_t contact_capacity = 1024;
};

/// Backward Euler of a cloth together with the bodies that it touches, with the contact forces of
/// the step's end: stable at any stiffness of a contact.
///
///   (M - h D - h^2 K) dv = h (f + h K v + sum J^T F),   A y = b - sum J_p^T F   of each partner
///   F = k max(0, -gap_end) n + friction,   v += dv,   x += h v
///
/// A pass solves this for the contacts that pressed at the end of the last one, and ends early
/// where others do. Iterations and passes are bounded. If they end before the solution, the mean
/// velocity of a free cloth is that of its momentum all the same, and the rest of the velocities is
/// shortened by the largest factor with which the step adds no energy. A contact never pulls.
///
/// A step: clear(); add() the contacts; set_partner() all partners; step(); then force(),
/// partner_motion(). Source: docs/methods/cloth.md, "Contact in the step".
class ContactStep final : public ClothIntegrator {
 public:
  /// @param partners  number of unknowns of each body that gives way
  /// @throws InputError as ClothIntegrator, or if a setting is out of its range
  ContactStep(ClothSystem& system, double dt, ContactStepSettings settings = {},
              std::span<const std::uint32_t> partners = {});

  /// Removes all contacts.
  void clear() HAPTIC_REALTIME { rows_.clear(); }
  /// @param jacobian  of a contact with a partner, 3 x d by column: J_p
  /// @returns false if all places are taken
  [[nodiscard]] bool add(const ClothContact& contact,
                         std::span<const double> jacobian = {}) HAPTIC_REALTIME {
    return rows_.add(contact, jacobian);
  }
  /// Sets the point in the hand, which is the first of the contacts then.
  void set_point(const PointContact& contact) HAPTIC_REALTIME { rows_.point().set(contact); }
  std::size_t contacts() const HAPTIC_REALTIME { return points() + rows_.size(); }
  std::size_t points() const HAPTIC_REALTIME { return rows_.point().presses() ? 1 : 0; }
  std::size_t capacity() const HAPTIC_REALTIME { return rows_.capacity(); }
  const PointContact& point() const HAPTIC_REALTIME { return rows_.point().contact(); }
  /// @param k  from points() on
  const ClothContact& contact(std::size_t k) const HAPTIC_REALTIME {
    return rows_.contact(k - points());
  }
  /// The system A y = b - sum J_p^T F of a partner, y its motion over the step.
  /// @param matrix  d x d, symmetric, positive definite  @param load  d values
  void set_partner(std::size_t partner, std::span<const double> matrix,
                   std::span<const double> load) HAPTIC_REALTIME {
    partners_.set(partner, matrix, load);
  }

  /// Of the last step; the contacts in the order of add().
  ContactForce force(std::size_t contact) const HAPTIC_REALTIME {
    return contact < points() ? rows_.point().force() : rows_.force(contact - points());
  }
  /// y of a partner, d values.
  std::span<const double> partner_motion(std::size_t partner) const HAPTIC_REALTIME {
    return partners_.motion(partner);
  }
  /// After step(): how its end would have been with contacts that were elsewhere, to first order
  /// and with the contacts that press. Costs three and six more solutions.
  /// Mean motion of the cloth under the point, weighted by pressure, by the motion of the hand.
  Matrix3 point_response() HAPTIC_REALTIME;
  /// y of a partner of six unknowns by its load. @param matrix  A that it has for this
  /// @returns false, and leaves `response`, if the matrix is not positive definite
  [[nodiscard]] bool partner_response(std::uint32_t partner, const Matrix6& matrix,
                                      Matrix6& response) HAPTIC_REALTIME;

  struct Outcome {
    std::size_t passes = 0, iterations = 0;  ///< iterations of all passes
    /// At the end, with all contacts as they press then, relative to the first residual or to the
    /// impulses of gravity and contacts, whichever is larger.
    double residual = 0.0;
    std::size_t unsettled = 0;  ///< contacts whose state or friction the last pass did not confirm
    bool converged = true;      ///< residual within the tolerance, the point in the hand settled
    double kept = 1.0;  ///< factor of the velocities at the end, <= 1, but of a free cloth's mean
  };
  bool converged() const HAPTIC_REALTIME override { return outcome_.converged; }
  const Outcome& outcome() const HAPTIC_REALTIME { return outcome_; }

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;
  bool solve(std::span<const double> v) HAPTIC_REALTIME;
  bool press(std::span<const double> v) HAPTIC_REALTIME;
  void set_preconditioner() HAPTIC_REALTIME;
  void decide(std::span<const double> v) HAPTIC_REALTIME;
  double run_pass(std::span<const double> v, double enough, double left) HAPTIC_REALTIME;
  void evaluate(std::span<const double> v) HAPTIC_REALTIME;
  void set_residual() HAPTIC_REALTIME;
  void finish_residual() HAPTIC_REALTIME;
  double load_size() HAPTIC_REALTIME;
  bool shorten(std::span<const double> v) HAPTIC_REALTIME;
  bool prepare_response() HAPTIC_REALTIME;
  void solve_response() HAPTIC_REALTIME;
  bool set_base(bool rigid) HAPTIC_REALTIME;
  void set_products(std::span<const double> v) HAPTIC_REALTIME;
  bool keep_energy(std::span<const double> v, bool has_base) HAPTIC_REALTIME;

  struct Component {
    Vector3 sum = Vector3::Zero();
    double weight = 0.0;
    bool held = false;
  };

  ContactStepSettings settings_;
  ContactRows rows_;
  ContactPartners partners_;
  SpringOperator matrix_;
  ClothPreconditioner preconditioner_;
  ContactGradients gradients_;
  ParticleVectors force_, right_, change_, end_, base_, residual_, product_;
  ParticleVectors start_, first_residual_;  // change_ and residual_ at the start of a pass
  std::vector<Component> components_;       // parts of the cloth, one a group at most
  bool preconditioner_knows_ = false;       // all contacts, as they press
  bool residual_is_current_ = false;        // that of change_
  bool point_changed_ = false;              // in the last decision
  Outcome outcome_;
};

}  // namespace haptic::cloth
