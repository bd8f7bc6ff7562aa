#pragma once

#include <Eigen/Core>

#include "host/fem/sparse_matrix.h"

namespace haptic::lab {

/// Rows H of contacts: displacement of the contact points H u [m], c x n; H^T maps forces at the
/// points to forces at the nodes. Source: Sedaghat 2011, section 3.1.2 and eq 5.4-5.6.
using ContactRows = SparseMatrix;

/// Forces of contacts from a prescribed displacement: the solution of S f = b of least norm, by a
/// complete orthogonal decomposition, so that redundant contacts share a force; inconsistent ones
/// are met in the least-squares sense. Source: Sedaghat 2011, section 3.1.2.
/// @param S c x c, symmetric positive semidefinite
/// @param b c values
/// @param tolerance of the rank, relative to the largest pivot
Eigen::VectorXd solve_contacts(const Eigen::MatrixXd& S, const Eigen::VectorXd& b,
                               double tolerance = 1e-10);

}  // namespace haptic::lab
