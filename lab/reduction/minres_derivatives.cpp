#include "lab/reduction/minres_derivatives.h"

#include <algorithm>
#include <array>
#include <vector>

#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_pairs.h"
#include "lab/reduction/minres.h"

namespace haptic::lab {
namespace {

constexpr double kTolerance = 1e-13;

}  // namespace

Eigen::MatrixXd minres_derivatives(const StvkModel& model, const LinearModes& modes, int first,
                                   int count, int i, ClusterRegulariser regulariser) {
  const Eigen::VectorXd& lambda = modes.eigenvalues;
  const double value = lambda[first + i];
  Eigen::Index begin = first + i, end = begin + 1;
  while (begin > first && value - lambda[begin - 1] <= kClusterTolerance * value) --begin;
  while (end < lambda.size() && lambda[end] - value <= kClusterTolerance * value) ++end;

  const Eigen::MatrixXd shapes = model.restrict_to_free(modes.shapes);
  const SparseMatrix K = model.stiffness_at_rest(), scalar_mass = model.scalar_mass();
  const Eigen::MatrixXd cluster = shapes.middleCols(begin, end - begin);
  const Eigen::MatrixXd mass_cluster = multiply_mass(scalar_mass, cluster);

  std::vector<std::array<int, 2>> pairs;
  for (int j = 0; j < count; ++j) pairs.push_back({std::min(i, j), std::max(i, j)});
  const Eigen::MatrixXd elastic = model.expand(shapes.middleCols(first, count));
  Eigen::MatrixXd loads = -model.restrict_to_free(model.hessian_products(elastic, pairs));
  loads -= mass_cluster * (cluster.transpose() * loads).eval();

  const bool by_mass = regulariser == ClusterRegulariser::kMass;
  const Eigen::MatrixXd& border = by_mass ? mass_cluster : cluster;
  // Both forms of the size that shifts the zero eigenvalue to about lambda_i.
  const double mass_scale = scalar_mass.diagonal().mean();
  const double weight = by_mass ? value : value * mass_scale * mass_scale;
  const auto multiply = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
    const Eigen::VectorXd parts = border.transpose() * x;
    return K * x - value * multiply_mass(scalar_mass, x) + border * (weight * parts);
  };
  const Eigen::VectorXd diagonal = K.diagonal();
  Eigen::MatrixXd X(loads.rows(), loads.cols());
  for (Eigen::Index c = 0; c < loads.cols(); ++c) {
    X.col(c) =
        minres(multiply, diagonal, loads.col(c), kTolerance, static_cast<int>(50 * loads.rows())).x;
  }
  // The free multiple of the cluster.
  X -= cluster * (mass_cluster.transpose() * X).eval();
  return model.expand(X);
}

}  // namespace haptic::lab
