#pragma once

#include <Eigen/Core>
#include <array>

#include "host/fem/elasticity.h"
#include "host/fem/hexahedron_quadrature.h"
#include "shared/artifact/cell_part.h"

namespace haptic {

/// How the strain of a hexahedron is sampled.
enum class StrainSampling {
  kPointwise,  ///< at the integration points: the published element, which locks in bending
  kAssumed     ///< shear at points without parasitic shear, the trace drawn towards its mean
};

/// Gradients of the shape functions from which strain is sampled at a place of a box.
struct StrainSample {
  CornerVectors gradient;             ///< column a = grad phi_a [1/m]: the normal strains
  Eigen::Matrix<double, 6, 8> shear;  ///< rows d1, d2, d1, d3, d2, d3 of phi_a, in pairs [1/m]
};

/// @param edges [m] @param at place in the cell's frame (CellPart)
StrainSample strain_sample(const Eigen::Vector3d& edges, const Eigen::Vector3d& at,
                           StrainSampling sampling);

/// A box of edges (hx, hy, hz) that is full of material or cut, with eight integration points, and
/// the gradients from which strain is sampled at each. Displacement gradients of 3 x 8 corner
/// values u are the columns of u gradient^T (normal strains) and of u shear^T: pairs of columns for
/// the strains 12, 13, 23. Every sample is a quadratic polynomial of u.
/// Source: docs/methods/reduced-dynamics.md, "Assumed strains".
struct AssumedStrainRule {
  static constexpr int kCorners = 8;
  static constexpr int kPoints = 8;

  std::array<double, kPoints> weight;  ///< in energy and force, all equal [m^3]
  double volume = 0.0;                 ///< of each point in the mass: an eighth of the part's [m^3]
  std::array<CornerVectors, kPoints> gradient;             ///< column a = grad phi_a [1/m]
  std::array<Eigen::Matrix<double, 6, 8>, kPoints> shear;  ///< rows d1, d2, d1, d3, d2, d3 of phi_a
  std::array<Eigen::Matrix<double, 8, 1>, kPoints> value;  ///< phi_a [1]
  double mean_share = 0.0;  ///< of the deviation of tr E from its mean that is taken away, 0 to 1

  static constexpr int size() { return kPoints; }
};

/// Integration points of a part of a cell, in the cell's frame (CellPart), each with an eighth of
/// its volume: they have its volume, centre and second moments. Of a whole cell or a box in it they
/// are the 2 x 2 x 2 Gauss points.
std::array<Eigen::Vector3d, AssumedStrainRule::kPoints> points_of(const CellPart& part);

/// Part of a whole cell's stiffness that a cut one has besides: without it the far corners of a
/// sliver, which hardly strain it, would move a thousand times as far as the body. It is too stiff
/// by as much: a wall of half a cell by 0.3 %, one of a tenth of a cell by 30 % in bending.
inline constexpr double kCutFloor = 3e-4;

/// @param edges [m] @param mean_share of mean_dilatation_share, 0 for kPointwise
AssumedStrainRule assumed_strain_rule(const Eigen::Vector3d& edges, const CellPart& part,
                                      StrainSampling sampling, double mean_share);

/// Share of the deviation of tr E from its mean over the element that is taken away, so that the
/// rest has the stiffness that bends a slab of one element as its material does: the deviation of
/// an isotropic material has 2 mu nu in place of lambda, which does not lock as nu approaches 1/2.
/// An anisotropic material has the share of its Voigt mean.
double mean_dilatation_share(const ElasticityMatrix& C);

}  // namespace haptic
