#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/cloth_preconditioner.h"
#include "rt/worlds/cloth/contact/contact_rows.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_operator.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Conjugate gradients for a cloth with pressing contacts, in the space that the constraints allow;
/// the partners of the contacts are eliminated. As FilteredGradients without a contact.
/// Source: docs/methods/cloth.md, "Contact in the step".
class ContactGradients {
 public:
  /// The pass of a step: matrix of the springs and what it is solved with.
  struct Problem {
    const SpringOperator& A;
    const ParticleConstraints& constraints;
    ClothPreconditioner& preconditioner;
    ContactRows& rows;
    ContactPartners& partners;
    double tolerance;  ///< of r . P^-1 r, absolute
  };
  struct Outcome {
    std::size_t iterations = 0;  ///< since begin()
    double left = 0.0;           ///< r . P^-1 r
    bool converged = true;
  };

  ContactGradients(std::size_t particles, std::size_t most_iterations);

  /// Reduces the residual `r` = right side - H z, filtered, and changes `z` with it; both 3n
  /// values. Work is bounded by most_iterations products, go_on() included. Never allocates.
  /// @param left  size() of r, called last
  Outcome begin(const Problem& problem, double left, std::span<double> r,
                std::span<double> z) HAPTIC_REALTIME;
  /// Goes on where the last call ended, with a smaller tolerance and what it left in r and z.
  Outcome go_on(const Problem& problem, std::span<double> r, std::span<double> z) HAPTIC_REALTIME;

  /// r . P^-1 r
  double size(ClothPreconditioner& preconditioner, std::span<const double> r) HAPTIC_REALTIME;

 private:
  std::size_t most_iterations_;
  ParticleVectors direction_, product_, scaled_;
  Outcome outcome_;
};

}  // namespace haptic::cloth
