#include "host/condensation/surface_compliance.h"

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "host/parallel/parallel_ranges.h"

namespace haptic {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;

constexpr std::size_t kBlock = 96;  // columns of one solve, whole nodes

/// Sums over one block of columns.
struct BlockRounding {
  double error2 = 0.0, norm2 = 0.0, contact_force = 0.0;
};

/// |D'^-1 D - I|, at most 1, of D' = D + error.
double force_error(const Matrix3d& D, const Matrix3d& error) {
  const double value = ((D + error).inverse() * error).norm();
  return value < 1.0 ? value : 1.0;  // also if it is not a number: D is singular
}

/// Writes columns [first, first + X.cols()) of C as rows, which are the same.
template <typename Scalar>
BlockRounding store_block(const MatrixXd& X, std::size_t first, std::span<const int> dofs,
                          const SurfaceModes& modes, std::vector<Scalar>& C) {
  BlockRounding rounding;
  const std::size_t s = dofs.size();
  for (Eigen::Index c = 0; c < X.cols(); ++c) {
    Scalar* const row = &C[(first + static_cast<std::size_t>(c)) * s];
    for (std::size_t i = 0; i < s; ++i) {
      const double value = X(dofs[i], c);
      row[i] = static_cast<Scalar>(value);
      const double error = static_cast<double>(row[i]) - value;
      rounding.error2 += error * error;
      rounding.norm2 += value * value;
    }
  }
  if (std::is_same_v<Scalar, double>) return rounding;
  for (Eigen::Index c = 0; c < X.cols(); c += 3) {
    const auto node = static_cast<Eigen::Index>(first) + c;
    const auto U = modes.shapes.middleRows(node, 3);
    Matrix3d D, error;
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index j = 0; j < 3; ++j) {
        D(i, j) = X(dofs[static_cast<std::size_t>(node + i)], c + j);
        error(i, j) = static_cast<double>(static_cast<Scalar>(D(i, j))) - D(i, j);
      }
    }
    D -= U * modes.eigenvalues.cwiseInverse().asDiagonal() * U.transpose();
    rounding.contact_force = std::max(rounding.contact_force, force_error(D, error));
  }
  return rounding;
}

/// Copies the upper triangle to the lower one, by tiles that fit the cache.
template <typename Scalar>
void copy_upper_to_lower(std::vector<Scalar>& C, std::size_t s) {
  constexpr std::size_t kTile = 64;
  const std::size_t tiles = (s + kTile - 1) / kTile;
  parallel_ranges(tiles, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t tile = begin; tile < end; ++tile) {
      for (std::size_t other = tile; other < tiles; ++other) {
        const std::size_t last_row = std::min(s, (tile + 1) * kTile);
        const std::size_t last_column = std::min(s, (other + 1) * kTile);
        for (std::size_t j = other * kTile; j < last_column; ++j) {
          for (std::size_t i = tile * kTile; i < std::min(last_row, j); ++i) {
            C[j * s + i] = C[i * s + j];
          }
        }
      }
    }
  });
}

template <typename Scalar>
void fill(const SparseFactorization& stiffness, std::span<const int> dofs,
          const SurfaceModes& modes, const std::function<void(double)>& progress,
          std::vector<Scalar>& C, SurfaceCompliance& result) {
  const std::size_t s = dofs.size(), blocks = (s + kBlock - 1) / kBlock;
  C.resize(s * s);
  std::vector<BlockRounding> rounding(blocks);
  std::atomic<std::size_t> done = 0;
  parallel_ranges(blocks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t first = block * kBlock, width = std::min(kBlock, s - first);
      MatrixXd B = MatrixXd::Zero(stiffness.size(), static_cast<Eigen::Index>(width));
      for (std::size_t c = 0; c < width; ++c) {
        B(dofs[first + c], static_cast<Eigen::Index>(c)) = 1.0;
      }
      rounding[block] = store_block(stiffness.solve(B), first, dofs, modes, C);
      if (progress) progress(static_cast<double>(++done) / static_cast<double>(blocks));
    }
  });
  copy_upper_to_lower(C, s);
  // In the order of the blocks: the sums do not depend on the number of threads.
  BlockRounding all;
  for (const BlockRounding& block : rounding) {
    all.error2 += block.error2;
    all.norm2 += block.norm2;
    all.contact_force = std::max(all.contact_force, block.contact_force);
  }
  result.rounding = all.norm2 > 0.0 ? std::sqrt(all.error2 / all.norm2) : 0.0;
  result.contact_force_error = all.contact_force;
}

}  // namespace

SurfaceCompliance surface_compliance(const SparseFactorization& stiffness,
                                     std::span<const int> dofs, const SurfaceModes& modes,
                                     CompliancePrecision precision,
                                     const std::function<void(double)>& progress) {
  SurfaceCompliance result;
  result.dof = dofs.size();
  if (precision == CompliancePrecision::kSingle) {
    fill(stiffness, dofs, modes, progress, result.single, result);
  } else {
    fill(stiffness, dofs, modes, progress, result.full, result);
  }
  return result;
}

}  // namespace haptic
