#pragma once

#include <Eigen/SparseCore>

namespace haptic {

/// Compressed columns; symmetric matrices hold both triangles.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

}  // namespace haptic
