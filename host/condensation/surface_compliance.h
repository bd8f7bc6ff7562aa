#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/fem/sparse_factorization.h"

namespace haptic {

/// How a model file stores a compliance.
enum class CompliancePrecision : std::uint8_t { kSingle, kDouble };

/// The compliance of condensed nodes: the block of K^-1 of their degrees of freedom, which equals
/// the inverse of the Schur complement K_ss - K_si K_ii^-1 K_is.
struct SurfaceCompliance {
  std::size_t dof = 0;        ///< s
  std::vector<float> single;  ///< s x s [m/N], exactly symmetric; one of the two is empty
  std::vector<double> full;
  /// What single precision costs; zero in double precision.
  double rounding = 0.0;  ///< |C_single - C| / |C|, Frobenius
  /// Relative error of the force of one contact at a node, by C2 = C - U1 Lambda1^-1 U1^T, the
  /// largest over all nodes: |(D_single^-1 D - I)| of the 3 x 3 block D of C2 at the node, at most
  /// 1. C2 is small where many modes are taken from it, and its error is that of C.
  double contact_force_error = 0.0;
};

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The lowest modes at the condensed degrees of freedom.
struct SurfaceModes {
  RowMajorMatrix shapes;        ///< s x k [kg^-1/2]
  Eigen::VectorXd eigenvalues;  ///< k [s^-2]
};

/// Solves for columns of K^-1 in blocks, in parallel, and writes each block into the result, of
/// which there is one copy in memory. The columns agree with the rows to the rounding of the
/// solver; the upper triangle is then copied to the lower, so that the result is exactly symmetric.
/// Source: Sedaghat 2011, section 5.3; Bro-Nielsen & Cotin 1996.
/// @param stiffness factor of K on the free degrees of freedom
/// @param dofs      free degrees of freedom of the condensed nodes, 3 a node
/// @param modes     to be removed from C, for contact_force_error
/// @param progress  called with the solved fraction, from several threads; may be empty
SurfaceCompliance surface_compliance(const SparseFactorization& stiffness,
                                     std::span<const int> dofs, const SurfaceModes& modes,
                                     CompliancePrecision precision,
                                     const std::function<void(double)>& progress = {});

}  // namespace haptic
