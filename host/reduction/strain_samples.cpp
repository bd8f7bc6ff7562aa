#include "host/reduction/strain_samples.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace haptic {
namespace {

using Eigen::Index;

/// row = scale sym(a_i . b_j) over the pairs i <= j; a, b are 3 x r, dot over the components.
void pair_products(const double* a, const double* b, Index r, double scale, double* row) {
  for (Index i = 0; i < r; ++i) {
    const double a0 = scale * a[i], a1 = scale * a[r + i], a2 = scale * a[2 * r + i];
    if (a == b) {
      for (Index j = i; j < r; ++j) row[j - i] = a0 * a[j] + a1 * a[r + j] + a2 * a[2 * r + j];
    } else {
      const double b0 = scale * b[i], b1 = scale * b[r + i], b2 = scale * b[2 * r + i];
      for (Index j = i; j < r; ++j) {
        row[j - i] = 0.5 * (a0 * b[j] + a1 * b[r + j] + a2 * b[2 * r + j] + b0 * a[j] +
                            b1 * a[r + j] + b2 * a[2 * r + j]);
      }
    }
    row += r - i;
  }
}

constexpr int kShearPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

}  // namespace

void sample_strain(const double* along_first, const double* along_second, int first, int second,
                   Index r, double scale, double* row) {
  const double* first_along_second = along_second + first * r;
  const double* second_along_first = along_first + second * r;
  for (Index i = 0; i < r; ++i) {
    row[i] = 0.5 * scale * (first_along_second[i] + second_along_first[i]);
  }
  pair_products(along_first, along_second, r, 0.5 * scale, row + r);
}

void StrainForm::apply(const Eigen::Ref<const RowMatrix>& samples, Index unit_rows,
                       Eigen::Ref<RowMatrix> result) const {
  const Index units = samples.rows() / unit_rows;
  for (Index u = 0; u < units; ++u) {
    const auto from = samples.middleRows(u * unit_rows, unit_rows);
    auto to = result.middleRows(u * rows(), rows());
    if (mixed.rows() > 0) to.topRows(mixed.rows()).noalias() = mixed * from.topRows(mixed.cols());
    for (Index s = 0; s < scaled.size(); ++s) {
      to.row(mixed.rows() + s) = scaled[s] * from.row(mixed.cols() + s);
    }
  }
}

PointStrainSampler::PointStrainSampler(const SolidMesh& mesh, Index r)
    : mesh_(mesh), r_(r), gradient_(9, r) {}

Index PointStrainSampler::rows() const {
  return mesh_.kind() == ElementKind::kTetrahedron ? 6 : 162;
}

void PointStrainSampler::sample(int element, const RowMatrix& displacement,
                                Eigen::Ref<RowMatrix> samples) {
  if (mesh_.kind() == ElementKind::kTetrahedron) {
    sample_rule(mesh_.tetrahedron(element), displacement, samples);
  } else {
    sample_rule(mesh_.shape(element).quadrature, displacement, samples);
  }
}

template <typename Rule>
void PointStrainSampler::sample_rule(const Rule& rule, const RowMatrix& displacement,
                                     Eigen::Ref<RowMatrix> samples) {
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const double weight = std::sqrt(rule.weight[at]);
    for (Index d = 0; d < 3; ++d) {
      for (Index c = 0; c < 3; ++c) {
        gradient_.row(3 * d + c).setZero();
        for (Index a = 0; a < Rule::kCorners; ++a) {
          gradient_.row(3 * d + c) += rule.gradient[at](d, a) * displacement.row(3 * a + c);
        }
      }
    }
    const auto along = [&](int d) { return gradient_.data() + 3 * d * r_; };
    for (int d = 0; d < 3; ++d) {
      sample_strain(along(d), along(d), d, d, r_, weight, samples.row(6 * g + d).data());
    }
    for (int s = 0; s < 3; ++s) {
      const auto [d, e] = kShearPairs[s];
      sample_strain(along(d), along(e), d, e, r_, weight * std::numbers::sqrt2,
                    samples.row(6 * g + 3 + s).data());
    }
  }
}

namespace {

/// Form of the six strains at a point.
StrainForm point_form(const SolidMaterial& material) {
  if (material.is_isotropic()) {
    const auto& [lambda, mu] = material.lame();
    const Eigen::Matrix3d normal =
        2.0 * mu * Eigen::Matrix3d::Identity() + lambda * Eigen::Matrix3d::Ones();
    return {normal.llt().matrixU(), Eigen::Vector3d::Constant(std::sqrt(2.0 * mu))};
  }
  return {Eigen::MatrixXd(mandel_form(material.elasticity()).llt().matrixU()), {}};
}

}  // namespace

StrainForm PointStrainSampler::form_of(const SolidMaterial& material) const {
  return point_form(material);
}

StrainForm PointStrainSampler::trace_form() const {
  return {Eigen::RowVector3d::Ones(), {}};
}

AssumedStrainSampler::AssumedStrainSampler(const SolidMesh& mesh, Index r)
    : mesh_(mesh), r_(r), gradient_(27, r), mean_(r + r * (r + 1) / 2) {}

void AssumedStrainSampler::sample(int element, const RowMatrix& displacement,
                                  Eigen::Ref<RowMatrix> samples) {
  const AssumedStrainRule rule = mesh_.cell_rule(element);
  const auto along = [&](int column) { return gradient_.data() + 3 * column * r_; };
  mean_.setZero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const double weight = std::sqrt(rule.weight[at]);
    gradient_.setZero();
    for (int column = 0; column < 9; ++column) {
      Eigen::Matrix<double, 1, 8> shape;
      if (column < 3) {
        shape = rule.gradient[at].row(column);
      } else {
        shape = rule.shear[at].row(column - 3);
      }
      for (Index c = 0; c < 3; ++c) {
        for (Index a = 0; a < 8; ++a) {
          gradient_.row(3 * column + c) += shape[a] * displacement.row(3 * a + c);
        }
      }
    }
    for (int d = 0; d < 3; ++d) {
      sample_strain(along(d), along(d), d, d, r_, weight, samples.row(6 * g + d).data());
    }
    for (int s = 0; s < 3; ++s) {
      const auto [d, e] = kShearPairs[s];
      sample_strain(along(3 + 2 * s), along(4 + 2 * s), d, e, r_, weight * std::numbers::sqrt2,
                    samples.row(6 * g + 3 + s).data());
    }
    // All points have the same weight: scaled samples have the mean of the strains, scaled.
    mean_ += samples.middleRows<3>(6 * g).colwise().sum() / rule.size();
  }
  if (rule.mean_share == 0.0) return;
  for (int g = 0; g < rule.size(); ++g) {
    const Eigen::RowVectorXd away =
        rule.mean_share / 3.0 * (samples.middleRows<3>(6 * g).colwise().sum() - mean_);
    samples.middleRows<3>(6 * g).rowwise() -= away;
  }
}

StrainForm AssumedStrainSampler::form_of(const SolidMaterial& material) const {
  return point_form(material);
}

StrainForm AssumedStrainSampler::trace_form() const {
  return {Eigen::RowVector3d::Ones(), {}};
}

std::array<double, 3> common_box_edges(const SolidMesh& mesh) {
  if (mesh.kind() != ElementKind::kHexahedron || !mesh.cells().plain()) return {};
  const CornerVectors offsets = hexahedron_corner_offsets();
  const CornerVectors front = mesh.corners<8>(0);
  const Eigen::Vector3d edges = front.col(6) - front.col(0);
  if (!(edges.minCoeff() > 0.0)) return {};
  const CornerVectors expected = edges.asDiagonal() * offsets;
  for (int e = 0; e < mesh.element_count(); ++e) {
    CornerVectors corners = mesh.corners<8>(e);
    corners.colwise() -= Eigen::Vector3d(corners.col(0));
    if ((corners - expected).cwiseAbs().maxCoeff() > 1e-11 * edges.minCoeff()) return {};
  }
  return {edges[0], edges[1], edges[2]};
}

std::unique_ptr<StrainSampler> make_strain_sampler(const SolidMesh& mesh, Index r,
                                                   const std::array<double, 3>& edges) {
  if (edges[0] > 0.0) return std::make_unique<BoxStrainSampler>(r, edges);
  if (!mesh.cells().plain()) return std::make_unique<AssumedStrainSampler>(mesh, r);
  return std::make_unique<PointStrainSampler>(mesh, r);
}

}  // namespace haptic
