#pragma once

#include <Eigen/SparseCore>

namespace haptic {

/// Compressed columns; symmetric matrices store both triangles.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

}  // namespace haptic
