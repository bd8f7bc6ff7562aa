#include "host/bake/elastic_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "host/bake/source_surface.h"
#include "host/fem/stvk_model.h"
#include "host/mesh/embedding.h"
#include "host/reduction/linear_modes.h"
#include "host/reduction/modal_basis.h"
#include "host/reduction/modal_derivatives.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::vector<double> row_major(const Eigen::MatrixXd& matrix) {
  std::vector<double> values(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), matrix.rows(), matrix.cols()) = matrix;
  return values;
}

void flatten(const VoxelMesh& voxels, ElasticBody& body) {
  for (const Vector3& v : voxels.vertices)
    body.vertices.insert(body.vertices.end(), &v[0], &v[0] + 3);
  for (const auto& e : voxels.elements)
    body.elements.insert(body.elements.end(), e.begin(), e.end());
}

}  // namespace

ElasticBody make_elastic_body(const Recipe& recipe, const TriangleMesh& surface,
                              StageProgress& progress) {
  using Fraction = StageProgress::Fraction;
  ElasticBody body;
  progress.run("voxels", [&](const Fraction&) {
    body.voxels = voxelize_source(recipe, surface);
    progress.note(body.voxels.report.summary());
    flatten(body.voxels, body);
    body.fixed = fixed_vertices(body.voxels, bounding_box(surface).lower, recipe.constraints,
                                recipe.file.string());
    progress.note(fmt::format("{} vertices, {} elements, {} vertices fixed",
                              body.voxels.vertices.size(), body.voxels.elements.size(),
                              body.fixed.size()));
  });

  std::optional<StvkModel> model;
  std::optional<SparseFactorization> stiffness;
  progress.run("fem", [&](const Fraction&) {
    model.emplace(SolidMesh(body.vertices, body.elements, recipe.material), body.fixed);
    const int free_motions = model->free_rigid_motions();
    if (free_motions > 0) {
      throw InputError(recipe.file.string(), "constraints",
                       fmt::format("found {} free rigid motions", free_motions),
                       "fixed vertices that hold the body: three that are not in a line");
    }
    if (recipe.reduction->linear_modes > model->free_dof_count()) {
      throw InputError(recipe.file.string(), "reduction.linear_modes",
                       fmt::format("found {}", recipe.reduction->linear_modes),
                       fmt::format("at most {}, the free degrees of freedom of the mesh",
                                   model->free_dof_count()));
    }
    stiffness.emplace(factor_rest_stiffness(*model));
  });

  LinearModes modes;
  progress.run("modes", [&](const Fraction&) {
    modes = linear_modes(*model, *stiffness, recipe.reduction->linear_modes);
    body.eigenvalues.assign(modes.eigenvalues.data(),
                            modes.eigenvalues.data() + modes.eigenvalues.size());
    constexpr double kTurn = 2.0 * std::numbers::pi;
    progress.note(fmt::format("{} modes, {:.3g} Hz to {:.3g} Hz", body.eigenvalues.size(),
                              std::sqrt(body.eigenvalues.front()) / kTurn,
                              std::sqrt(body.eigenvalues.back()) / kTurn));
    body.damping = rayleigh_from_damping_ratios(modes.eigenvalues, recipe.damping_ratios[0],
                                                recipe.damping_ratios[1]);
    const double last = damping_ratio(body.damping, std::sqrt(body.eigenvalues.back()));
    if (std::abs(last - recipe.damping_ratios[1]) > 1e-6) {
      progress.note(
          fmt::format("damping ratio of the last mode {:.3g} instead of {:.3g}: Rayleigh "
                      "damping is no steeper over these frequencies",
                      last, recipe.damping_ratios[1]));
    }
  });

  ModalDerivatives derivatives;
  progress.run("derivatives", [&](const Fraction&) {
    derivatives = modal_derivatives(*model, *stiffness, modes);
  });

  progress.run("basis", [&](const Fraction&) {
    const MassPca pca =
        modal_derivative_basis(*model, modes, derivatives, recipe.reduction->dimension);
    if (pca.basis.cols() < recipe.reduction->dimension) {
      throw InputError(
          recipe.file.string(), "reduction.dimension",
          fmt::format("found {}", recipe.reduction->dimension),
          fmt::format("at most {}, the rank of modes and modal derivatives", pca.basis.cols()));
    }
    body.dimension = static_cast<std::uint32_t>(pca.basis.cols());
    body.basis = row_major(pca.basis);
    progress.note(fmt::format("r = {} of rank {}", body.dimension, pca.rank));
  });

  progress.run("polynomials", [&](const Fraction& fraction) {
    const LameParameters lame = recipe.material.lame();
    PolynomialSettings settings;
    settings.progress = fraction;
    body.polynomials = reduced_polynomials({.vertices = body.vertices,
                                            .elements = body.elements,
                                            .basis = body.basis,
                                            .dimension = body.dimension,
                                            .material = {.lambda = lame.lambda, .mu = lame.mu}},
                                           settings);
  });

  progress.run("embedding", [&](const Fraction&) {
    const Embedding embedding(body.voxels);
    const std::vector<EmbeddedPoint> points = embedding.embed(surface.vertices);
    body.surface_basis.resize(3 * surface.vertices.size() * body.dimension);
    embed_basis(points, body.basis, body.dimension, std::span<float>(body.surface_basis));
    const auto outside = std::count_if(points.begin(), points.end(),
                                       [](const EmbeddedPoint& p) { return !p.inside; });
    if (outside > 0) {
      progress.note(
          fmt::format("{} of {} surface vertices lie outside the mesh and follow its "
                      "nearest element",
                      outside, points.size()));
    }
  });
  return body;
}

}  // namespace haptic
