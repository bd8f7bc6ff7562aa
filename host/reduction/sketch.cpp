#include "host/reduction/sketch.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "host/reduction/mass_pca.h"
#include "host/reduction/sample_thinning.h"
#include "host/reduction/static_continuation.h"
#include "shared/error.h"

namespace haptic {
namespace {

Eigen::VectorXd nodal_force(const StvkModel& model, const ForceSample& sample) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  for (const VertexForce& load : sample.forces) {
    f.segment<3>(3 * static_cast<int>(load.vertex)) += load.force;
  }
  return f;
}

double largest_norm(const Eigen::MatrixXd& columns) {
  return columns.cols() == 0 ? 0.0 : columns.colwise().norm().maxCoeff();
}

}  // namespace

Eigen::MatrixXd energy_coordinates(const StvkModel& model,
                                   const SparseFactorization& rest_stiffness,
                                   const std::vector<ForceSample>& samples,
                                   const std::string& where) {
  std::map<std::uint32_t, int> place;  // of a loaded vertex among them
  for (const ForceSample& sample : samples) {
    for (const VertexForce& load : sample.forces) {
      if (load.vertex >= static_cast<std::uint32_t>(model.vertex_count())) {
        throw InputError(where, "vertex", fmt::format("found {}", load.vertex),
                         fmt::format("an id below {}", model.vertex_count()));
      }
      if (model.free_index(static_cast<int>(load.vertex)) < 0) {
        throw InputError(where, "vertex", fmt::format("found {}, which is fixed", load.vertex),
                         "a vertex that can move");
      }
      place.emplace(load.vertex, 0);
    }
  }
  int next = 0;
  for (auto& [vertex, index] : place) index = next++;

  // Compliance of the loaded dofs.
  Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(model.free_dof_count(), 3 * next);
  for (const auto& [vertex, index] : place) {
    for (int d = 0; d < 3; ++d) {
      unit(3 * model.free_index(static_cast<int>(vertex)) + d, 3 * index + d) = 1.0;
    }
  }
  const Eigen::MatrixXd compliance = unit.transpose() * rest_stiffness.solve(unit);
  const Eigen::MatrixXd symmetric = 0.5 * (compliance + compliance.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
  const Eigen::MatrixXd root =
      eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();

  Eigen::MatrixXd forces =
      Eigen::MatrixXd::Zero(3 * next, static_cast<Eigen::Index>(samples.size()));
  for (std::size_t s = 0; s < samples.size(); ++s) {
    for (const VertexForce& load : samples[s].forces) {
      forces.col(static_cast<Eigen::Index>(s)).segment<3>(3 * place[load.vertex]) += load.force;
    }
  }
  return root * forces;
}

SketchShapes sketch_shapes(const StvkModel& model, const SparseFactorization& rest_stiffness,
                           const std::vector<ForceSample>& samples, const std::string& where,
                           const SketchSettings& settings) {
  const Eigen::MatrixXd all = energy_coordinates(model, rest_stiffness, samples, where);
  const double largest = largest_norm(all);
  if (!(largest > 0.0)) {
    throw InputError(where, "", "found only zero forces", "at least one force that is not zero");
  }
  // A load near zero gives a shape near zero.
  const double separation = settings.force_separation * largest;
  std::vector<int> loaded;
  for (Eigen::Index s = 0; s < all.cols(); ++s) {
    if (all.col(s).norm() >= separation) loaded.push_back(static_cast<int>(s));
  }
  SketchShapes result;
  result.samples = static_cast<int>(samples.size());
  for (const int i : thin_by_density(Eigen::MatrixXd(all(Eigen::all, loaded)), separation)) {
    result.forces.push_back(loaded[static_cast<std::size_t>(i)]);
  }

  Eigen::MatrixXd shapes(model.dof_count(), static_cast<Eigen::Index>(result.forces.size()));
  Eigen::VectorXd last;
  for (std::size_t i = 0; i < result.forces.size(); ++i) {
    const Eigen::VectorXd f =
        nodal_force(model, samples[static_cast<std::size_t>(result.forces[i])]);
    const StaticSolution solution = continue_static(model, f, last);
    last = solution.u;
    shapes.col(static_cast<Eigen::Index>(i)) = solution.u;
    result.worst_residual = std::max(result.worst_residual, solution.residual);
    result.unstable += solution.stable ? 0 : 1;
    if (settings.progress) {
      settings.progress(static_cast<double>(i + 1) / static_cast<double>(result.forces.size()));
    }
  }

  const Eigen::MatrixXd free = model.restrict_to_free(shapes);
  const Eigen::MatrixXd gram = free.transpose() * multiply_mass(model.scalar_mass(), free);
  const double longest = std::sqrt(gram.diagonal().maxCoeff());
  result.kept = thin_by_density(
      static_cast<int>(shapes.cols()),
      [&](int i, int j) { return std::max(0.0, gram(i, i) + gram(j, j) - 2.0 * gram(i, j)); },
      settings.shape_separation * longest);
  result.shapes = shapes(Eigen::all, result.kept);
  return result;
}

}  // namespace haptic
