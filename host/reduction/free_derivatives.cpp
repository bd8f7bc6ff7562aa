#include "host/reduction/free_derivatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_pairs.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kTolerance = 1e-13;
constexpr int kMaxIterations = 2000;

}  // namespace

// All matrices on the free dofs, which are all dofs unless some vertices are fixed.
struct FreeDerivatives::State {
  State(const StvkModel& body, const LinearModes& known, int first_mode, int mode_count,
        int max_factored)
      : model(body),
        first(first_mode),
        count(mode_count),
        lambda(known.eigenvalues),
        shapes(body.restrict_to_free(known.shapes)),
        scalar_mass(body.scalar_mass()),
        mass_shapes(multiply_mass(scalar_mass, shapes)),
        shifted(rest_stiffness(body, -lambda[first_mode], max_factored)) {}

  /// (K - value M) X
  Eigen::MatrixXd multiply(double value, const Eigen::MatrixXd& X) const {
    return shifted->multiply(X) - (value + lambda[first]) * multiply_mass(scalar_mass, X);
  }

  /// Known modes of the cluster of elastic mode i: first and number of columns.
  std::pair<Eigen::Index, Eigen::Index> cluster(int i) const {
    const double value = lambda[first + i];
    Eigen::Index begin = first + i, end = begin + 1;
    while (begin > first && value - lambda[begin - 1] <= kClusterTolerance * value) --begin;
    while (end < lambda.size() && lambda[end] - value <= kClusterTolerance * value) ++end;
    return {begin, end - begin};
  }

  Eigen::MatrixXd projected_loads(int i) const {
    std::vector<std::array<int, 2>> pairs;
    for (int j = 0; j < count; ++j) pairs.push_back({std::min(i, j), std::max(i, j)});
    const Eigen::MatrixXd elastic = model.expand(shapes.middleCols(first, count));
    Eigen::MatrixXd loads = -model.restrict_to_free(model.hessian_products(elastic, pairs));
    const auto [begin, size] = cluster(i);
    const Eigen::MatrixXd parts = shapes.middleCols(begin, size).transpose() * loads;
    loads -= mass_shapes.middleCols(begin, size) * parts;
    return loads;
  }

  void remove_known(Eigen::MatrixXd& X) const {
    X -= shapes * (mass_shapes.transpose() * X).eval();
  }

  /// (K - value M) Y = B on the M-complement of the known modes, B orthogonal to them.
  Eigen::MatrixXd solve_on_complement(double value, const Eigen::MatrixXd& B) const {
    const auto precondition = [&](const Eigen::MatrixXd& R) {
      Eigen::MatrixXd Z = shifted->precondition(R);
      remove_known(Z);
      return Z;
    };
    const Eigen::VectorXd scale = B.colwise().norm().transpose();
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(B.rows(), B.cols());
    Eigen::MatrixXd R = B, Z = precondition(R), P = Z;
    Eigen::VectorXd rho = R.cwiseProduct(Z).colwise().sum().transpose();
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      if (!(R.colwise().norm().transpose().array() > kTolerance * scale.array()).any()) return Y;
      const Eigen::MatrixXd image = multiply(value, P);
      Eigen::VectorXd lengths = Eigen::VectorXd::Zero(B.cols());
      for (Eigen::Index c = 0; c < B.cols(); ++c) {
        const double curvature = P.col(c).dot(image.col(c));
        // A converged column has a zero direction.
        if (!(curvature > 0.0) || !(rho[c] > 0.0) || R.col(c).norm() <= kTolerance * scale[c]) {
          P.col(c).setZero();
          rho[c] = 0.0;
          continue;
        }
        lengths[c] = rho[c] / curvature;
        Y.col(c) += lengths[c] * P.col(c);
        R.col(c) -= lengths[c] * image.col(c);
      }
      // Rounding reintroduces the known modes; they must not grow.
      R -= mass_shapes * (shapes.transpose() * R).eval();
      Z = precondition(R);
      for (Eigen::Index c = 0; c < B.cols(); ++c) {
        if (rho[c] == 0.0) continue;
        // The flexible form: a preconditioner in single precision is symmetric up to rounding.
        const double along = -lengths[c] * image.col(c).dot(Z.col(c));
        P.col(c) = Z.col(c) + (along / rho[c]) * P.col(c);
        rho[c] = R.col(c).dot(Z.col(c));
      }
      if ((rho.array() == 0.0).all()) break;
    }
    const double worst =
        (R.colwise().norm().transpose().array() / scale.array().max(1e-300)).maxCoeff();
    // The rounding floor of an ill-conditioned body; the use of the derivatives needs 1e-8.
    if (worst <= 1e-10) return Y;
    throw OperationError(
        fmt::format("free modal derivatives: conjugate gradients stopped at {:.1e}", worst));
  }

  const StvkModel& model;
  int first, count;
  Eigen::VectorXd lambda;
  Eigen::MatrixXd shapes;
  SparseMatrix scalar_mass;
  Eigen::MatrixXd mass_shapes;
  std::unique_ptr<PreconditionedOperator> shifted;  ///< K + lambda_first M
};

FreeDerivatives::FreeDerivatives(const StvkModel& model, const LinearModes& modes, int first,
                                 int count, int max_factored) {
  if (first < 0 || count < 1 || first + count > modes.shapes.cols() ||
      !(modes.eigenvalues[first] > 0.0)) {
    throw InputError("free modal derivatives", "modes",
                     fmt::format("found {} from {} of {}", count, first, modes.shapes.cols()),
                     "elastic modes (lambda > 0) that were computed");
  }
  state_ = std::make_unique<State>(model, modes, first, count, max_factored);
}

FreeDerivatives::~FreeDerivatives() = default;

int FreeDerivatives::count() const {
  return state_->count;
}

Eigen::MatrixXd FreeDerivatives::solve(int i) const {
  const State& s = *state_;
  const double value = s.lambda[s.first + i];
  Eigen::MatrixXd loads = s.projected_loads(i);
  // Along the known modes outside the cluster the operator is lambda_m - lambda_i.
  Eigen::MatrixXd parts = s.shapes.transpose() * loads;
  loads -= s.mass_shapes * parts;
  const auto [begin, size] = s.cluster(i);
  for (Eigen::Index m = 0; m < parts.rows(); ++m) {
    const bool is_in_cluster = m >= begin && m < begin + size;
    parts.row(m) *= is_in_cluster ? 0.0 : 1.0 / (s.lambda[m] - value);
  }
  Eigen::MatrixXd X = s.solve_on_complement(value, loads);
  X += s.shapes * parts;
  return s.model.expand(X);
}

}  // namespace haptic
