#include "host/bake/reduced_basis.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "host/bake/group_mass.h"
#include "host/fem/stvk_model.h"
#include "host/reduction/modal_basis.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;
using Who = Stages::Who;
using Whose = Stages::Whose;

/// What the check of the assembled body leaves.
struct FemResult {
  int free_dofs = 0;
};

template <class Archive>
void archive(Archive& a, FemResult& f) {
  a(f.free_dofs);
}

/// The unreduced body, assembled when a stage first needs it.
class RestBody {
 public:
  RestBody(const Recipe& recipe, const ElasticBody& body) : recipe_(recipe), body_(body) {}

  const StvkModel& model() {
    if (!model_) {
      model_ = std::make_unique<StvkModel>(solid_mesh_of(recipe_, body_.solid, body_.groups),
                                           body_.fixed);
    }
    return *model_;
  }
  const SparseFactorization& stiffness() {
    if (!stiffness_) {
      stiffness_ = std::make_unique<SparseFactorization>(factor_rest_stiffness(model()));
    }
    return *stiffness_;
  }

 private:
  const Recipe& recipe_;
  const ElasticBody& body_;
  std::unique_ptr<StvkModel> model_;
  std::unique_ptr<SparseFactorization> stiffness_;
};

/// Everything about the unreduced body at rest.
StageKey body_key(std::string_view stage, const Recipe& recipe, const ElasticBody& body) {
  StageKey key(stage);
  key.add(body.solid_digest, body.fixed, body.groups, recipe.reduction->free);
  for (const MaterialGroupRecipe& group : recipe.groups) {
    const ElasticityMatrix C = group.material.elasticity();
    key.add(group.material.is_isotropic(), C, group.material.density());
  }
  return key;
}

FemResult check_body(const Recipe& recipe, const StvkModel& model) {
  const int free_motions = model.free_rigid_motions();
  if (free_motions > 0) {
    throw InputError(recipe.file.string(), "constraints",
                     fmt::format("found {} free rigid motions", free_motions),
                     "fixed vertices that hold the body: three that are not in a line");
  }
  if (recipe.reduction->linear_modes > model.free_dof_count()) {
    throw InputError(
        recipe.file.string(), "reduction.linear_modes",
        fmt::format("found {}", recipe.reduction->linear_modes),
        fmt::format("at most {}, the free degrees of freedom of the mesh", model.free_dof_count()));
  }
  return {model.free_dof_count()};
}

std::vector<double> row_major(const Eigen::MatrixXd& matrix) {
  std::vector<double> values(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), matrix.rows(), matrix.cols()) = matrix;
  return values;
}

}  // namespace

BasisResult make_reduced_basis(const Recipe& recipe, const ElasticBody& body,
                               const Stages& stages) {
  const ReductionRecipe& reduction = *recipe.reduction;
  StageProgress& progress = stages.progress();
  RestBody rest(recipe, body);
  StageKey fem_key = body_key("fem", recipe, body);
  fem_key.add(reduction.linear_modes);
  stages.run<FemResult>("fem", fem_key, Who::kFirst, Whose::kFirst,
                        [&](const Fraction&) { return check_body(recipe, rest.model()); });

  StageKey modes_key = body_key("modes", recipe, body);
  modes_key.add(reduction.linear_modes);
  const auto modes =
      stages.run<LinearModes>("modes", modes_key, Who::kFirst, Whose::kAll, [&](const Fraction&) {
        LinearModes found = linear_modes(rest.model(), rest.stiffness(), reduction.linear_modes);
        constexpr double kTurn = 2.0 * std::numbers::pi;
        const auto& lambda = found.eigenvalues;
        progress.note(fmt::format("{} modes, {:.3g} Hz to {:.3g} Hz", lambda.size(),
                                  std::sqrt(lambda[0]) / kTurn,
                                  std::sqrt(lambda[lambda.size() - 1]) / kTurn));
        return found;
      });

  StageKey derivatives_key = body_key("derivatives", recipe, body);
  derivatives_key.add(modes.digest);
  const auto derivatives = stages.run<ModalDerivatives>(
      "derivatives", derivatives_key, Who::kFirst, Whose::kFirst, [&](const Fraction&) {
        return modal_derivatives(rest.model(), rest.stiffness(), modes.value);
      });

  StageKey basis_key = body_key("basis", recipe, body);
  basis_key.add(modes.digest, derivatives.digest, reduction.basis, reduction.dimension);
  const auto basis = stages.run<Eigen::MatrixXd>(
      "basis", basis_key, Who::kFirst, Whose::kAll, [&](const Fraction&) {
        const MassPca pca = modal_derivative_basis(rest.model(), modes.value, derivatives.value,
                                                   reduction.dimension);
        if (pca.basis.cols() < reduction.dimension) {
          throw InputError(
              recipe.file.string(), "reduction.dimension",
              fmt::format("found {}", reduction.dimension),
              fmt::format("at most {}, the rank of modes and modal derivatives", pca.basis.cols()));
        }
        progress.note(fmt::format("r = {} of rank {}", pca.basis.cols(), pca.rank));
        return pca.basis;
      });

  BasisResult result;
  result.dimension = static_cast<int>(basis.value.cols());
  result.basis = row_major(basis.value);
  result.digest = basis.digest;
  const auto& lambda = modes.value.eigenvalues;
  result.eigenvalues.assign(lambda.data(), lambda.data() + lambda.size());
  return result;
}

}  // namespace haptic
