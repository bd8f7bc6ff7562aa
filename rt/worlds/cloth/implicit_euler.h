#pragma once

#include <cstddef>
#include <vector>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/filtered_gradients.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_operator.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Bounds of the linear solver of an implicit step.
struct SolverSettings {
  std::size_t most_iterations = 200;  ///< >= 1
  double tolerance = 1e-6;            ///< relative residual, > 0
};

/// @throws InputError if a setting is out of its range
void check_solver(const SolverSettings& settings);

/// Backward Euler, linearised once a step (Baraff & Witkin 1998):
///   (M - h D - h^2 K) dv = h (f + h K v),   v += dv,   x += h v.
/// A solution that ends at the bound of iterations is taken as it is: conjugate gradients approach
/// from below, so it moves less. `solution` tells its residual.
class ImplicitEuler : public ClothIntegrator {
 public:
  /// @throws InputError as ClothIntegrator, or if a setting is out of its range
  ImplicitEuler(ClothSystem& system, double dt, SolverSettings settings = {});

  bool converged() const HAPTIC_REALTIME override { return solution_.converged; }
  /// Of the last step.
  const FilteredGradients::Outcome& solution() const HAPTIC_REALTIME { return solution_; }

 protected:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;
  /// Springs whose forces are taken explicitly: a value other than 0 for each, or none at all.
  virtual std::span<const unsigned char> explicit_springs() HAPTIC_REALTIME { return {}; }

 private:
  SpringOperator matrix_;
  FilteredGradients gradients_;
  FilteredGradients::Outcome solution_;
  ParticleVectors force_, right_, change_;
};

/// Springs that are not stiff are explicit (Boxerman & Ascher 2004). A spring is stiff if
///   kappa = h / m (h k_s + 2 k_d) > threshold,
/// m the smaller mass of its free ends; bend and interlaced springs never are. Evaluated each step.
/// With the threshold 1/2 an explicit spring alone is stable; a particle has several, hence 1/5.
class AdaptiveImex final : public ImplicitEuler {
 public:
  static constexpr double kPublished = 0.5, kInPractice = 0.2;

  /// @param threshold  >= 0
  /// @throws InputError as ImplicitEuler
  AdaptiveImex(ClothSystem& system, double dt, double threshold = kInPractice,
               SolverSettings settings = {});

  /// kappa of a spring of the system.
  double stiffness_number(std::size_t spring) const HAPTIC_REALTIME;
  /// Springs that the last step took implicitly.
  std::size_t implicit_count() const HAPTIC_REALTIME { return implicit_count_; }

 private:
  std::span<const unsigned char> explicit_springs() HAPTIC_REALTIME override;

  const ClothSystem& of_;
  double threshold_;
  std::vector<unsigned char> explicit_;
  std::size_t implicit_count_ = 0;
};

}  // namespace haptic::cloth
