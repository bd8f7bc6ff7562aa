#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "host/reduction/strain_samples.h"

namespace haptic {
namespace {

using Eigen::Index;

/// Gauss-Legendre on [0, 1]; the weights sum to 1.
template <std::size_t N>
struct GaussRule {
  std::array<double, N> at, weight;
};
const GaussRule<2> kTwoPoints{{0.5 - std::sqrt(1.0 / 12.0), 0.5 + std::sqrt(1.0 / 12.0)},
                              {0.5, 0.5}};
const GaussRule<3> kThreePoints{{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)},
                                {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0}};

constexpr int kShear[3][2] = {{0, 1}, {0, 2}, {1, 2}};

using LocalPoint = std::array<double, 3>;

/// d phi_a / d xi_d at a point of the unit cube.
double shape_gradient(Index a, int d, const LocalPoint& xi) {
  static const CornerVectors offsets = hexahedron_corner_offsets();
  double g = 1.0;
  for (int e = 0; e < 3; ++e) {
    const bool upper = offsets(e, a) > 0.5;
    const double x = xi[static_cast<std::size_t>(e)];
    g *= e == d ? (upper ? 1.0 : -1.0) : (upper ? x : 1.0 - x);
  }
  return g;
}

/// The other two axes, ascending.
std::array<std::size_t, 2> other_axes(std::size_t d) {
  return {d == 0 ? 1u : 0u, d == 2 ? 1u : 2u};
}

/// Mandel strain (6) at each of the 27 Gauss points, times the square root of its weight, from the
/// 63 samples; independent of the edges.
Eigen::MatrixXd strain_from_samples() {
  Eigen::MatrixXd strain = Eigen::MatrixXd::Zero(6 * 27, 63);
  for (std::size_t g = 0; g < 27; ++g) {
    const std::array<std::size_t, 3> at = {g % 3, g / 3 % 3, g / 9};
    const auto weight = [&](std::size_t d) { return kThreePoints.weight[at[d]]; };
    const auto row = static_cast<Index>(6 * g);
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [low, high] = other_axes(d);
      strain(row + static_cast<Index>(d), static_cast<Index>(9 * d + at[low] + 3 * at[high])) =
          std::sqrt(weight(d));
    }
    for (std::size_t s = 0; s < 3; ++s) {
      const auto d = static_cast<std::size_t>(kShear[s][0]);
      const auto e = static_cast<std::size_t>(kShear[s][1]);
      const std::size_t f = 3 - d - e;
      // Linear along d and e between the two Gauss points there.
      const auto shape = [&](std::size_t axis, std::size_t node) {
        const double upper =
            (kThreePoints.at[at[axis]] - kTwoPoints.at[0]) / (kTwoPoints.at[1] - kTwoPoints.at[0]);
        return node == 1 ? upper : 1.0 - upper;
      };
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          strain(row + 3 + static_cast<Index>(s),
                 static_cast<Index>(27 + 12 * s + i + 2 * j + 4 * at[f])) =
              shape(d, i) * shape(e, j) * std::sqrt(weight(d) * weight(e) / 0.25);
        }
      }
    }
  }
  return strain;
}

/// Gram matrix of (tr E)^2 over the 27 normal samples.
Eigen::MatrixXd trace_gram() {
  const Eigen::MatrixXd strain = strain_from_samples();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(27, 27);
  for (Index g = 0; g < 27; ++g) {
    const Eigen::RowVectorXd trace = strain.block(6 * g, 0, 3, 27).colwise().sum();
    gram += trace.transpose() * trace;
  }
  return gram;
}

}  // namespace

BoxStrainSampler::BoxStrainSampler(Index r, const std::array<double, 3>& edges)
    : r_(r), gradient_(6, r) {
  const double volume = edges[0] * edges[1] * edges[2];
  const auto add_point = [&](int d, int e, const LocalPoint& xi, double factor) {
    Point point{d, e, {}, {}, factor};
    for (std::size_t a = 0; a < 8; ++a) {
      const auto corner = static_cast<Index>(a);
      point.gradient_first[a] = shape_gradient(corner, d, xi) / edges[static_cast<std::size_t>(d)];
      point.gradient_second[a] = shape_gradient(corner, e, xi) / edges[static_cast<std::size_t>(e)];
    }
    points_.push_back(point);
  };
  // Normal strain d at (low, high), Gauss points along the other two axes; it is constant along d.
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [low, high] = other_axes(d);
    for (std::size_t n = 0; n < 9; ++n) {
      LocalPoint xi{};
      xi[low] = kThreePoints.at[n % 3];
      xi[high] = kThreePoints.at[n / 3];
      add_point(static_cast<int>(d), static_cast<int>(d), xi,
                std::sqrt(volume * kThreePoints.weight[n % 3] * kThreePoints.weight[n / 3]));
    }
  }
  for (const auto& [d, e] : kShear) {
    const int f = 3 - d - e;
    for (std::size_t n = 0; n < 12; ++n) {
      LocalPoint xi{};
      xi[static_cast<std::size_t>(d)] = kTwoPoints.at[n % 2];
      xi[static_cast<std::size_t>(e)] = kTwoPoints.at[n / 2 % 2];
      xi[static_cast<std::size_t>(f)] = kThreePoints.at[n / 4];
      // 2: e_xy and e_yx.
      add_point(d, e, xi, std::sqrt(2.0 * volume * 0.25 * kThreePoints.weight[n / 4]));
    }
  }
}

void BoxStrainSampler::sample(int, const RowMatrix& displacement, Eigen::Ref<RowMatrix> samples) {
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
    sample_strain(first, second, point.first, point.second, r_, point.factor,
                  samples.row(static_cast<Index>(p)).data());
  }
}

StrainForm BoxStrainSampler::form_of(const SolidMaterial& material) const {
  if (material.is_isotropic()) {
    const auto& [lambda, mu] = material.lame();
    const Eigen::MatrixXd normal =
        2.0 * mu * Eigen::MatrixXd::Identity(27, 27) + lambda * trace_gram();
    return {normal.llt().matrixU(), Eigen::VectorXd::Constant(36, std::sqrt(2.0 * mu))};
  }
  const Eigen::MatrixXd strain = strain_from_samples();
  const ElasticityMatrix form = mandel_form(material.elasticity());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(63, 63);
  for (Index g = 0; g < 27; ++g) {
    const auto at_point = strain.middleRows(6 * g, 6);
    gram.noalias() += at_point.transpose() * (form * at_point);
  }
  return {gram.llt().matrixU(), {}};
}

StrainForm BoxStrainSampler::trace_form() const {
  // Eigenvalues ascend from 0 (8 of them: the three strains share 27 - 19 products of their
  // polynomials); the smallest other one is far above rounding.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(trace_gram());
  const Eigen::VectorXd& values = spectrum.eigenvalues();
  const Index rank = (values.array() > 1e-12 * values[26]).count();
  const Eigen::MatrixXd rows = spectrum.eigenvectors().rightCols(rank).transpose();
  return {values.tail(rank).cwiseSqrt().asDiagonal() * rows, {}};
}

}  // namespace haptic
