#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <vector>

#include "host/fem/solid_mesh.h"

namespace haptic {

/// Transform from samples of strain to samples of stored energy: on every unit (a run of rows that
/// share points of the element) the leading rows are mixed by a matrix, the others scaled.
struct StrainForm {
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::MatrixXd mixed;   ///< p x k: the k leading rows of a unit become p
  Eigen::VectorXd scaled;  ///< factors of the other rows; empty: they are dropped

  Eigen::Index rows() const { return mixed.rows() + scaled.size(); }  ///< of a unit, afterwards
  /// @param samples units x unit_rows rows
  /// @param[out] result units x rows() rows
  void apply(const Eigen::Ref<const RowMatrix>& samples, Eigen::Index unit_rows,
             Eigen::Ref<RowMatrix> result) const;
};

/// Strain of one element, quadratic in q (docs/methods/reduced-dynamics.md, "Reduced polynomials"):
/// E = L_i q_i + N_ij q_i q_j (sums over all i, j), N_ij = 1/2 sym(G_i^T G_j). Its samples are the
/// rows of B = [B1 | B2], scaled so that  Int E:E dV = |B1 q + B2 (q_i q_j)|^2  exactly. Columns:
/// the r coordinates, then the pairs i <= j, last index fastest, the column of a pair i < j
/// standing for one of the two equal N_ij.
class StrainSampler {
 public:
  using RowMatrix = StrainForm::RowMatrix;

  virtual ~StrainSampler() = default;
  virtual Eigen::Index rows() const = 0;       ///< of an element
  virtual Eigen::Index unit_rows() const = 0;  ///< of a unit; divides rows()
  /// @param displacement (3 corners) x r, rows (x,y,z) per corner
  /// @param[out] samples rows() x (r + C(r+1,2))
  virtual void sample(int element, const RowMatrix& displacement,
                      Eigen::Ref<RowMatrix> samples) = 0;
  /// Samples whose squares sum to Int S:E, by a Cholesky factor of the form (lambda may be < 0).
  virtual StrainForm form_of(const SolidMaterial& material) const = 0;
  /// Samples whose squares sum to Int (tr E)^2.
  virtual StrainForm trace_form() const = 0;
};

/// One strain component along directions `first`, `second`, scaled, into a row of all columns:
/// L = (d_s u_f + d_f u_s)/2, N = 1/2 sym(d_f u_i . d_s u_j).
/// @param along_first, along_second  d u_c / d X_f and d u_c / d X_s, 3 x r row-major; the same
///        pointer where first = second
void sample_strain(const double* along_first, const double* along_second, int first, int second,
                   Eigen::Index r, double scale, double* row);

/// At the integration points of any element, six strains each: 27 points of a hexahedron (162
/// rows), one of a tetrahedron (6 rows).
class PointStrainSampler final : public StrainSampler {
 public:
  PointStrainSampler(const SolidMesh& mesh, Eigen::Index r);
  Eigen::Index rows() const override;
  Eigen::Index unit_rows() const override { return 6; }
  void sample(int element, const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) override;
  StrainForm form_of(const SolidMaterial& material) const override;
  StrainForm trace_form() const override;

 private:
  template <typename Rule>
  void sample_rule(const Rule& rule, const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples);

  const SolidMesh& mesh_;
  Eigen::Index r_;
  RowMatrix gradient_;  // row 3 d + c: d u_c / d X_d of every coordinate [9 x r]
};

/// Elements with an AssumedStrainRule: eight points of six strains each, the trace averaged.
class AssumedStrainSampler final : public StrainSampler {
 public:
  AssumedStrainSampler(const SolidMesh& mesh, Eigen::Index r);
  Eigen::Index rows() const override { return 6 * AssumedStrainRule::kPoints; }
  Eigen::Index unit_rows() const override { return 6; }
  void sample(int element, const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) override;
  StrainForm form_of(const SolidMaterial& material) const override;
  StrainForm trace_form() const override;

 private:
  const SolidMesh& mesh_;
  Eigen::Index r_;
  RowMatrix gradient_;  // row 3 s + c: column s of the sampled gradients of coordinate c [27 x r]
  Eigen::RowVectorXd mean_;  // of the trace, over all columns
};

/// Axis-aligned boxes with equal edges: one unit of 63 rows, exact. In a box e_xx is a polynomial
/// of degree 2 in y and in z, constant in x, so nine values determine it (27 for the three normal
/// strains), and e_xy is of degree 1, 1, 2 in x, y, z, so 2 x 2 x 3 Gauss points integrate its
/// square. Any C becomes a 63 x 63 form of these values, an isotropic one 27 x 27, the trace one of
/// rank 19.
class BoxStrainSampler final : public StrainSampler {
 public:
  BoxStrainSampler(Eigen::Index r, const std::array<double, 3>& edges);
  Eigen::Index rows() const override { return 63; }
  Eigen::Index unit_rows() const override { return 63; }
  void sample(int element, const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) override;
  StrainForm form_of(const SolidMaterial& material) const override;
  StrainForm trace_form() const override;

 private:
  /// Shape gradients at one sample, d phi_a / d X_d for the two directions of a strain.
  struct Point {
    int first, second;  // directions
    std::array<double, 8> gradient_first, gradient_second;
    double factor;
  };

  Eigen::Index r_;
  std::vector<Point> points_;  // 27 normal, then 36 shear
  RowMatrix gradient_;         // rows c, then 3 + c: along first and second [6 x r]
};

/// Edges if all elements are equal axis-aligned boxes (to 1e-11 of an edge) of the plain kind, else
/// zeros.
std::array<double, 3> common_box_edges(const SolidMesh& mesh);

/// Boxes where `edges` (of common_box_edges) are not zero, the points of the elements' rules
/// elsewhere.
std::unique_ptr<StrainSampler> make_strain_sampler(const SolidMesh& mesh, Eigen::Index r,
                                                   const std::array<double, 3>& edges);

}  // namespace haptic
