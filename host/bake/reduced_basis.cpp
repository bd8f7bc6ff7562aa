#include "host/bake/reduced_basis.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <numbers>

#include "host/bake/file_digest.h"
#include "host/bake/group_mass.h"
#include "host/fem/stvk_model.h"
#include "host/formats/basis_file.h"
#include "host/reduction/basis_builder.h"
#include "host/reduction/mass_pca.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;
using RunOn = Stages::RunOn;
using ResultOn = Stages::ResultOn;

/// Result of the check of the assembled body.
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
                                           body_.fixed, BodySettings{.mass = recipe_.mass});
    }
    return *model_;
  }

 private:
  const Recipe& recipe_;
  const ElasticBody& body_;
  std::unique_ptr<StvkModel> model_;
};

StageKey body_key(std::string_view stage, const Recipe& recipe, const ElasticBody& body) {
  return rest_body_key(stage, recipe, body, recipe.mass);
}

FemResult check_body(const Recipe& recipe, const StvkModel& model) {
  require_held(recipe, model);
  return {model.free_dof_count()};
}

BasisRequest request_of(const Recipe& recipe) {
  const ReductionRecipe& reduction = *recipe.reduction;
  BasisRequest request;
  switch (reduction.basis) {
    case BasisSource::kDerivatives:
      request.kind = BasisKind::kDerivatives;
      break;
    case BasisSource::kModes:
    case BasisSource::kFile:  // made here; the modes set the damping
      request.kind = BasisKind::kModes;
      break;
    case BasisSource::kFullDerivatives:
      request.kind = BasisKind::kFullDerivatives;
      break;
    case BasisSource::kSketch:
      request.kind = BasisKind::kSketch;
      request.forces = reduction.forces;
      break;
    case BasisSource::kSnapshots:
      request.kind = BasisKind::kSnapshots;
      request.snapshots = {reduction.basis_file};
      break;
  }
  request.modes = reduction.linear_modes;
  request.dimension = reduction.dimension;
  request.free = reduction.free;
  request.where = recipe.file.string();
  request.force_separation = reduction.force_separation;
  request.shape_separation = reduction.shape_separation;
  return request;
}

std::string range_of(const LinearModes& modes) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const auto& lambda = modes.eigenvalues;
  return fmt::format("{} modes, {:.3g} Hz to {:.3g} Hz", lambda.size(),
                     std::sqrt(lambda[0]) / kTurn, std::sqrt(lambda[lambda.size() - 1]) / kTurn);
}

/// Derivatives by blocks distributed over the ranks; complete on rank 0.
ModalDerivatives derivatives_of_blocks(const StvkModel& model, const BasisModes& modes, bool free,
                                       const Ranks& ranks, const Fraction& fraction) {
  const DerivativeBlocks blocks(model, modes, free);
  const auto count = static_cast<std::size_t>(blocks.count());
  const auto range = ranks.range_of(ranks.rank(), count);
  std::atomic<std::size_t> done = 0;
  auto encoded = ranks.run_parts(count, Ranks::Parts::kAtOnce, [&](std::size_t block) {
    Ranks::Bytes bytes = encode_stage(blocks.solve(static_cast<int>(block)));
    fraction(static_cast<double>(++done) / static_cast<double>(range.end - range.begin));
    return bytes;
  });
  if (!ranks.first()) return {};
  std::vector<Eigen::MatrixXd> solved;
  for (Ranks::Bytes& bytes : encoded) {
    solved.push_back(decode_stage<Eigen::MatrixXd>(bytes));
    bytes = {};  // all blocks of a large body fill gigabytes
  }
  return assemble_derivatives(model, modes, solved, free);
}

/// A basis from a file, made mass-orthonormal in the order of its columns.
Eigen::MatrixXd basis_of_file(const Recipe& recipe, const StvkModel& model) {
  const std::string file = recipe.reduction->basis_file.string();
  const BasisMatrix read = read_basis(recipe.reduction->basis_file);
  if (read.rows != static_cast<std::size_t>(model.dof_count())) {
    throw InputError(file, "", fmt::format("found {} rows", read.rows),
                     fmt::format("{}, three for each vertex of the mesh", model.dof_count()));
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd columns =
      Eigen::Map<const RowMajor>(read.values.data(), static_cast<Eigen::Index>(read.rows),
                                 static_cast<Eigen::Index>(read.columns));
  const Eigen::MatrixXd free = model.restrict_to_free(columns);
  const double moved = (columns - model.expand(free)).cwiseAbs().maxCoeff();
  if (moved > 1e-9 * columns.cwiseAbs().maxCoeff()) {
    throw InputError(file, "", "found a basis that moves a fixed vertex",
                     "zeros in the rows of the vertices that [constraints] fixes");
  }
  const Eigen::MatrixXd basis = mass_gram_schmidt(model.scalar_mass(), free);
  const int wanted = recipe.reduction->dimension;
  if (wanted > basis.cols()) {
    throw InputError(recipe.file.string(), "reduction.dimension", fmt::format("found {}", wanted),
                     fmt::format("at most {}, the rank of {}", basis.cols(), file));
  }
  return model.expand(basis.leftCols(wanted == 0 ? basis.cols() : Eigen::Index{wanted}));
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
  const BasisRequest request = request_of(recipe);
  stages.run<FemResult>("fem", body_key("fem", recipe, body), RunOn::kFirst, ResultOn::kFirst,
                        [&](const Fraction&) { return check_body(recipe, rest.model()); });

  StageKey modes_key = body_key("modes", recipe, body);
  modes_key.add(request.modes);
  const auto modes = stages.run<BasisModes>("modes", modes_key, RunOn::kFirst, ResultOn::kAll,
                                            [&](const Fraction& fraction) {
                                              BasisRequest shown = request;
                                              shown.progress = fraction;
                                              BasisModes found = basis_modes(rest.model(), shown);
                                              progress.note(range_of(found.kept()));
                                              return found;
                                            });
  const LinearModes kept = modes.value.kept();

  StageResult<ModalDerivatives> derivatives;
  if (uses_derivatives(request.kind)) {
    StageKey key = body_key("derivatives", recipe, body);
    key.add(modes.digest);
    derivatives = stages.run<ModalDerivatives>(
        "derivatives", key, RunOn::kAll, ResultOn::kFirst, [&](const Fraction& fraction) {
          return derivatives_of_blocks(rest.model(), modes.value, reduction.free, stages.ranks(),
                                       fraction);
        });
  }

  StageKey basis_key = body_key("basis", recipe, body);
  basis_key.add(modes.digest, derivatives.digest, reduction.basis, reduction.dimension,
                reduction.force_separation, reduction.shape_separation);
  if (stages.ranks().first()) {
    basis_key.add(digest_of_file(reduction.basis_file));
    for (const auto& file : reduction.forces) basis_key.add(digest_of_file(file));
  }
  const auto basis = stages.run<Eigen::MatrixXd>(
      "basis", basis_key, RunOn::kFirst, ResultOn::kAll, [&](const Fraction& fraction) {
        if (reduction.basis == BasisSource::kFile) return basis_of_file(recipe, rest.model());
        BasisRequest shown = request;
        shown.progress = fraction;
        ReducedBasis made = assemble_basis(rest.model(), shown, modes.value, derivatives.value);
        for (const std::string& note : made.notes) progress.note(note);
        return std::move(made.basis);
      });

  BasisResult result;
  result.dimension = static_cast<int>(basis.value.cols());
  result.basis = row_major(basis.value);
  result.digest = basis.digest;
  const auto& lambda = kept.eigenvalues;
  result.eigenvalues.assign(lambda.data(), lambda.data() + lambda.size());
  return result;
}

}  // namespace haptic
