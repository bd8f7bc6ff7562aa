#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "host/fem/sparse_factorization.h"
#include "host/fem/stvk_model.h"
#include "host/reduction/force_samples.h"

namespace haptic {

/// How a sketch is thinned (docs/methods/reduced-dynamics.md, "Sketch and snapshot bases"). Both
/// separations are fractions of the largest sample, so that they mean the same on every body.
struct SketchSettings {
  double force_separation = 0.05;  ///< d_f: energy norm sqrt(df.K^-1 df) over the largest one
  double shape_separation = 0.02;  ///< d_u: mass norm, relative to the largest shape
  /// Called with the fraction of the static solves done; may be empty.
  std::function<void(double)> progress = {};
};

/// The shapes of a sketch, input of mass-PCA.
struct SketchShapes {
  Eigen::MatrixXd shapes;       ///< 3n x kept [m], zero at fixed vertices
  int samples = 0;              ///< force samples read
  std::vector<int> forces;      ///< samples kept by d_f, ascending
  std::vector<int> kept;        ///< of `forces`, those whose shapes d_u kept: the columns of shapes
  double worst_residual = 0.0;  ///< |R(u) - f| / |f| over the static solves
  int unstable = 0;             ///< solves that ended at an unstable equilibrium
};

/// Distances d_f of force samples as Euclidean ones: columns y with |y_a - y_b|^2 = (f_a - f_b)
/// K^-1 (f_a - f_b), as many rows as the loaded vertices have dofs.
/// @param rest_stiffness factor_rest_stiffness(model)
/// @throws InputError naming `where` if a vertex is out of range or fixed
Eigen::MatrixXd energy_coordinates(const StvkModel& model,
                                   const SparseFactorization& rest_stiffness,
                                   const std::vector<ForceSample>& samples,
                                   const std::string& where);

/// From forces to shapes: thins the forces, solves the unreduced static equilibrium of each
/// remaining one (from the previous shape if Newton converges, otherwise from rest by load steps),
/// thins the shapes.
/// @param samples of one or several sketches, one after the other
/// @throws InputError naming `where` if a vertex is out of range or fixed, or every force is zero;
///         OperationError if a static solve fails
SketchShapes sketch_shapes(const StvkModel& model, const SparseFactorization& rest_stiffness,
                           const std::vector<ForceSample>& samples, const std::string& where,
                           const SketchSettings& settings = {});

}  // namespace haptic
