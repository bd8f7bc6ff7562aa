#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/fem/material.h"

namespace haptic {

/// Rows of the matrix B = [B1 | B2] of spec reduced-dynamics 2.7: Green-Lagrange strain of one
/// element as a quadratic in q, sampled and weighted such that  W_e = 1/2 |B1 q + B2 (q_i q_j)|^2.
/// Columns: s(L_i) for the r coordinates, then s(N_ij) for the pairs i <= j, last index fastest,
/// where E = L_i q_i + N_ij q_i q_j (sum over all i, j).
class StrainSampler {
 public:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  virtual ~StrainSampler() = default;
  /// Rows an element takes.
  virtual Eigen::Index rows() const = 0;
  /// @param corners       8 x 3 [m], VTK order
  /// @param displacement  24 x r, rows (x,y,z) per corner
  /// @param[out] samples  rows() x (r + C(r+1,2))
  virtual void sample(const Eigen::Ref<const Eigen::Matrix<double, 8, 3, Eigen::RowMajor>>& corners,
                      const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) = 0;
};

/// Any hexahedron: 3x3x3 Gauss points, six strains each (162 rows). The elasticity matrix enters by
/// its Cholesky factor, so that lambda < 0 is fine.
class GaussStrainSampler final : public StrainSampler {
 public:
  GaussStrainSampler(Eigen::Index r, const LameParameters& material);
  Eigen::Index rows() const override { return 162; }
  /// @throws OperationError if the element is inverted at a Gauss point
  void sample(const Eigen::Ref<const Eigen::Matrix<double, 8, 3, Eigen::RowMajor>>& corners,
              const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) override;

 private:
  Eigen::Index r_;
  Eigen::Matrix3d normal_factor_;  // L of L L^T = 2 mu I + lambda 1 1^T
  double shear_factor_;            // sqrt(2 mu)
  RowMatrix gradient_;             // rows 3 c + d: d u_c / d X_d of every coordinate [9 x r]
};

/// Axis-aligned box with given edges: 63 rows, exact. In a box e_xx is a polynomial of degree 2 in
/// y and in z that does not know x, so nine values hold it (27 for the three normal strains), and
/// e_xy is of degree 1, 1, 2 in x, y, z, so 2 x 2 x 3 Gauss points integrate its square.
class BoxStrainSampler final : public StrainSampler {
 public:
  BoxStrainSampler(Eigen::Index r, const LameParameters& material,
                   const std::array<double, 3>& edges);
  Eigen::Index rows() const override { return 63; }
  void sample(const Eigen::Ref<const Eigen::Matrix<double, 8, 3, Eigen::RowMajor>>& corners,
              const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) override;

 private:
  /// Shape gradients at one sample, d phi_a / d X_d for the two directions of a strain.
  struct Point {
    int first, second;  // directions
    std::array<double, 8> gradient_first, gradient_second;
    double factor;  // weight of a shear sample
  };

  Eigen::Index r_;
  std::vector<Point> points_;      // 27 normal, then 36 shear
  Eigen::MatrixXd normal_factor_;  // 27 x 27, L^T of the Gram matrix of the normal samples
  RowMatrix raw_;                  // 27 x columns
  RowMatrix gradient_;             // rows c, then 3 + c: along first and second [6 x r]
};

/// Edges if all elements are equal axis-aligned boxes (to 1e-11 of an edge), else zeros.
std::array<double, 3> common_box_edges(std::span<const double> vertices,
                                       std::span<const std::uint32_t> elements);

}  // namespace haptic
