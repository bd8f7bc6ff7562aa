#pragma once

#include <cstddef>
#include <span>

#include "rt/worlds/cloth/cloth_preconditioner.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_operator.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Conjugate gradients for a matrix of springs, in the space that the constraints allow.
///
/// Solves S A S z = S b for z = S z, with the constraints' projection S. Whatever is left at the
/// bound of iterations has no part in the coarse space of the preconditioner: a free cloth gets the
/// momentum of b.
/// Source: docs/methods/cloth.md, "Implicit steps"; Baraff & Witkin 1998, section 5.2.
class FilteredGradients {
 public:
  struct Outcome {
    std::size_t iterations = 0;
    double residual = 0.0;  ///< |S (b - A z)| / |S b| in the norm of the preconditioner
    bool converged = true;  ///< residual <= tolerance
  };

  FilteredGradients(const Springs& springs, std::size_t particles, std::size_t most_iterations,
                    double tolerance);

  /// @param b  right side, 3n values
  /// @param z  in: a guess (zeros, or the last solution); out: the solution, 3n values
  /// Work is bounded by most_iterations + 2 products. Never allocates.
  Outcome solve(const SpringOperator& A, const ParticleConstraints& constraints,
                std::span<const double> b, std::span<double> z) HAPTIC_REALTIME;

 private:
  std::size_t most_iterations_;
  double tolerance_;
  ClothPreconditioner preconditioner_;
  ParticleVectors residual_, direction_, product_, scaled_;
};

}  // namespace haptic::cloth
