#include "host/reduction/strain_samples.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "shared/error.h"

namespace haptic {
namespace {

using Eigen::Index;
using RowMatrix = StrainSampler::RowMatrix;

constexpr int kCorner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                               {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/// Gauss-Legendre on [0, 1]; the weights sum to 1.
struct GaussRule {
  std::vector<double> at, weight;
};
const GaussRule kTwoPoints{{0.5 - std::sqrt(1.0 / 12.0), 0.5 + std::sqrt(1.0 / 12.0)}, {0.5, 0.5}};
const GaussRule kThreePoints{{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)},
                             {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0}};

/// d phi_a / d xi_d at a point of the unit cube.
double shape_gradient(int a, int d, const std::array<double, 3>& xi) {
  double g = 1.0;
  for (int e = 0; e < 3; ++e) {
    const bool upper = kCorner[a][e] == 1;
    const double x = xi[static_cast<std::size_t>(e)];
    g *= e == d ? (upper ? 1.0 : -1.0) : (upper ? x : 1.0 - x);
  }
  return g;
}

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

/// One strain component along directions d, e of every coordinate and every pair:
/// L = (d_e u_d + d_d u_e)/2, N = 1/2 sym(d_d u_i . d_e u_j). `a`, `b` are d_d u and d_e u (3 x r).
void strain_row(const double* a, const double* b, int d, int e, Index r, double scale,
                double* row) {
  const double* u_d_along_e = b + d * r;
  const double* u_e_along_d = a + e * r;
  for (Index i = 0; i < r; ++i) row[i] = 0.5 * scale * (u_d_along_e[i] + u_e_along_d[i]);
  pair_products(a, b, r, 0.5 * scale, row + r);
}

constexpr int kShear[3][2] = {{0, 1}, {0, 2}, {1, 2}};

}  // namespace

GaussStrainSampler::GaussStrainSampler(Index r, const LameParameters& material)
    : r_(r), shear_factor_(std::sqrt(2.0 * material.mu)), gradient_(9, r) {
  const Eigen::Matrix3d normal =
      2.0 * material.mu * Eigen::Matrix3d::Identity() + material.lambda * Eigen::Matrix3d::Ones();
  normal_factor_ = normal.llt().matrixL();
}

void GaussStrainSampler::sample(
    const Eigen::Ref<const Eigen::Matrix<double, 8, 3, Eigen::RowMajor>>& corners,
    const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) {
  const GaussRule& rule = kThreePoints;
  Index row = 0;
  for (std::size_t g = 0; g < 27; ++g) {
    const std::array<double, 3> xi = {rule.at[g % 3], rule.at[g / 3 % 3], rule.at[g / 9]};
    Eigen::Matrix<double, 8, 3> reference;
    for (int a = 0; a < 8; ++a) {
      for (int d = 0; d < 3; ++d) reference(a, d) = shape_gradient(a, d, xi);
    }
    const Eigen::Matrix3d jacobian = corners.transpose() * reference;  // dX_c / d xi_d
    const double volume = jacobian.determinant();
    if (!(volume > 0.0)) throw OperationError("inverted element");
    const Eigen::Matrix<double, 8, 3> gradient = reference * jacobian.inverse();
    const double weight =
        std::sqrt(volume * rule.weight[g % 3] * rule.weight[g / 3 % 3] * rule.weight[g / 9]);

    // Rows 3 d + c: derivative along d of component c, so that one direction is a 3 x r block.
    for (Index d = 0; d < 3; ++d) {
      for (Index c = 0; c < 3; ++c) {
        gradient_.row(3 * d + c).setZero();
        for (Index a = 0; a < 8; ++a) {
          gradient_.row(3 * d + c) += gradient(a, d) * displacement.row(3 * a + c);
        }
      }
    }
    const auto along = [&](int d) { return gradient_.data() + 3 * d * r_; };
    for (int d = 0; d < 3; ++d) {
      strain_row(along(d), along(d), d, d, r_, weight, samples.row(row + d).data());
    }
    for (int d = 0; d < 3; ++d) {
      samples.row(row + d) *= normal_factor_(d, d);
      for (int e = d + 1; e < 3; ++e) {
        samples.row(row + d) += normal_factor_(e, d) * samples.row(row + e);
      }
    }
    for (int s = 0; s < 3; ++s) {
      const int d = kShear[s][0], e = kShear[s][1];
      // sqrt(2): e_xy and e_yx (Mandel).
      strain_row(along(d), along(e), d, e, r_, weight * shear_factor_ * std::numbers::sqrt2,
                 samples.row(row + 3 + s).data());
    }
    row += 6;
  }
}

BoxStrainSampler::BoxStrainSampler(Index r, const LameParameters& material,
                                   const std::array<double, 3>& edges)
    : r_(r), raw_(27, r + r * (r + 1) / 2), gradient_(6, r) {
  const double volume = edges[0] * edges[1] * edges[2];
  const auto add_point = [&](int d, int e, const std::array<double, 3>& xi, double factor) {
    Point point{d, e, {}, {}, factor};
    for (int a = 0; a < 8; ++a) {
      const auto at = static_cast<std::size_t>(a);
      point.gradient_first[at] = shape_gradient(a, d, xi) / edges[static_cast<std::size_t>(d)];
      point.gradient_second[at] = shape_gradient(a, e, xi) / edges[static_cast<std::size_t>(e)];
    }
    points_.push_back(point);
  };

  // Normal strain d at (low, high), Gauss points along the other two axes; its own coordinate is
  // free.
  const auto other_axes = [](std::size_t d) {
    return std::array<std::size_t, 2>{d == 0 ? 1u : 0u, d == 2 ? 1u : 2u};
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [low, high] = other_axes(d);
    for (std::size_t n = 0; n < 9; ++n) {
      std::array<double, 3> xi{};
      xi[low] = kThreePoints.at[n % 3];
      xi[high] = kThreePoints.at[n / 3];
      add_point(static_cast<int>(d), static_cast<int>(d), xi, 1.0);
    }
  }
  // Gram matrix of the 27 values: the 27 Gauss points of the cube, each seeing three of them.
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(27, 27);
  for (std::size_t g = 0; g < 27; ++g) {
    const std::array<std::size_t, 3> at = {g % 3, g / 3 % 3, g / 9};
    const double weight = volume * kThreePoints.weight[at[0]] * kThreePoints.weight[at[1]] *
                          kThreePoints.weight[at[2]];
    std::array<Index, 3> value;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [low, high] = other_axes(d);
      value[d] = static_cast<Index>(9 * d + at[low] + 3 * at[high]);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      gram(value[d], value[d]) += weight * 2.0 * material.mu;
      for (std::size_t e = 0; e < 3; ++e) gram(value[d], value[e]) += weight * material.lambda;
    }
  }
  normal_factor_ = gram.llt().matrixU();

  for (const auto& [d, e] : kShear) {
    const int f = 3 - d - e;
    for (std::size_t n = 0; n < 12; ++n) {
      const std::size_t i = n % 2, j = n / 2 % 2, k = n / 4;
      std::array<double, 3> xi{};
      xi[static_cast<std::size_t>(d)] = kTwoPoints.at[i];
      xi[static_cast<std::size_t>(e)] = kTwoPoints.at[j];
      xi[static_cast<std::size_t>(f)] = kThreePoints.at[k];
      const double weight = volume * 0.25 * kThreePoints.weight[k];
      add_point(d, e, xi, std::sqrt(2.0 * 2.0 * material.mu * weight));
    }
  }
}

void BoxStrainSampler::sample(const Eigen::Ref<const Eigen::Matrix<double, 8, 3, Eigen::RowMajor>>&,
                              const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) {
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const Point& point = points_[p];
    const bool normal = point.first == point.second;
    for (Index c = 0; c < 3; ++c) {
      gradient_.row(c).setZero();
      for (Index a = 0; a < 8; ++a) {
        gradient_.row(c) +=
            point.gradient_first[static_cast<std::size_t>(a)] * displacement.row(3 * a + c);
      }
      if (normal) continue;
      gradient_.row(3 + c).setZero();
      for (Index a = 0; a < 8; ++a) {
        gradient_.row(3 + c) +=
            point.gradient_second[static_cast<std::size_t>(a)] * displacement.row(3 * a + c);
      }
    }
    const double* first = gradient_.data();
    const double* second = normal ? first : first + 3 * r_;
    double* row =
        normal ? raw_.row(static_cast<Index>(p)).data() : samples.row(static_cast<Index>(p)).data();
    strain_row(first, second, point.first, point.second, r_, point.factor, row);
  }
  samples.topRows(27).noalias() = normal_factor_ * raw_;
}

std::array<double, 3> common_box_edges(std::span<const double> vertices,
                                       std::span<const std::uint32_t> elements) {
  const auto coordinate = [&](std::size_t element, std::size_t corner, std::size_t d) {
    return vertices[3 * std::size_t{elements[8 * element + corner]} + d];
  };
  std::array<double, 3> edges{};
  for (std::size_t d = 0; d < 3; ++d) edges[d] = coordinate(0, 6, d) - coordinate(0, 0, d);
  const double shortest = *std::min_element(edges.begin(), edges.end());
  if (!(shortest > 0.0)) return {};
  for (std::size_t e = 0; e < elements.size() / 8; ++e) {
    for (std::size_t a = 1; a < 8; ++a) {
      for (std::size_t d = 0; d < 3; ++d) {
        const double expected = kCorner[a][d] * edges[d];
        if (std::abs(coordinate(e, a, d) - coordinate(e, 0, d) - expected) > 1e-11 * shortest) {
          return {};
        }
      }
    }
  }
  return edges;
}

}  // namespace haptic
