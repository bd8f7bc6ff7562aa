#include "host/reduction/basis_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_basis.h"
#include "host/reduction/rigid_alignment.h"
#include "host/reduction/sketch.h"
#include "host/reduction/snapshots.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kRigidModes = 6;
// Modes beyond k by which the derivatives of a free body are deflated: the rest of a cut cluster
// (at most two on any symmetric body of cubes) and a margin for the iteration.
constexpr int kExtraModes = 6;

// Columns without their parts along the rigid modes, 3 n_free x N.
Eigen::MatrixXd without_rigid(const StvkModel& model, const BasisModes& modes,
                              Eigen::MatrixXd columns) {
  if (modes.first == 0) return columns;
  const Eigen::MatrixXd rigid = model.restrict_to_free(modes.all.shapes.leftCols(modes.first));
  const Eigen::MatrixXd mass_rigid = multiply_mass(model.scalar_mass(), rigid);
  columns -= rigid * (mass_rigid.transpose() * columns).eval();
  return columns;
}

void require_dimension(const BasisRequest& request, Eigen::Index rank, std::string_view of) {
  if (request.dimension >= 1 && request.dimension <= rank) return;
  throw InputError(request.where, "reduction.dimension", fmt::format("found {}", request.dimension),
                   fmt::format("1..{}, the rank of {}", rank, of));
}

// mass-PCA of columns on the free dofs, of exactly the wanted dimension.
ReducedBasis basis_of_columns(const StvkModel& model, const BasisRequest& request,
                              const Eigen::MatrixXd& columns, const std::string& what) {
  const MassPca pca = mass_pca(model.scalar_mass(), columns, std::max(1, request.dimension));
  require_dimension(request, pca.rank, what);
  ReducedBasis result;
  result.basis = model.expand(pca.basis);
  result.notes.push_back(fmt::format("r = {} of rank {}: {:.6f} of the squared weights",
                                     pca.basis.cols(), pca.rank, pca.captured));
  return result;
}

ReducedBasis full_basis(const StvkModel& model, const BasisRequest& request,
                        const BasisModes& modes, const ModalDerivatives& derivatives) {
  Eigen::MatrixXd columns(model.free_dof_count(), modes.count + derivatives.shapes.cols());
  columns << model.restrict_to_free(modes.kept().shapes),
      model.restrict_to_free(derivatives.shapes);
  const Eigen::MatrixXd basis =
      mass_gram_schmidt(model.scalar_mass(), without_rigid(model, modes, std::move(columns)));
  if (request.dimension != 0) require_dimension(request, basis.cols(), "all modes and derivatives");
  ReducedBasis result;
  result.basis = model.expand(
      basis.leftCols(request.dimension == 0 ? basis.cols() : Eigen::Index{request.dimension}));
  result.notes.push_back(fmt::format("r = {} of rank {}", result.basis.cols(), basis.cols()));
  return result;
}

ReducedBasis sketch_basis(const StvkModel& model, const BasisRequest& request) {
  if (request.free) {
    throw InputError(request.where, "reduction.basis", "found \"sketch\" for a free body",
                     "a constrained body: a free body under a load has no static shape");
  }
  if (request.forces.empty()) {
    throw InputError(request.where, "reduction.forces", "missing",
                     "a file of force loads (haptic sketch records one)");
  }
  std::vector<ForceSample> samples;
  std::string files;
  for (const auto& file : request.forces) {
    const std::vector<ForceSample> more = read_force_samples(file);
    samples.insert(samples.end(), more.begin(), more.end());
    files += (files.empty() ? "" : ", ") + file.string();
  }
  SketchSettings settings;
  settings.force_separation = request.force_separation;
  settings.shape_separation = request.shape_separation;
  settings.progress = request.progress;
  const SketchShapes sketch =
      sketch_shapes(model, factor_rest_stiffness(model), samples, files, settings);
  ReducedBasis result = basis_of_columns(model, request, model.restrict_to_free(sketch.shapes),
                                         fmt::format("the {} sketched shapes", sketch.kept.size()));
  result.notes.insert(
      result.notes.begin(),
      fmt::format("{} force samples, {} kept, {} shapes kept; static residual at most {:.1e}",
                  sketch.samples, sketch.forces.size(), sketch.kept.size(), sketch.worst_residual));
  if (sketch.unstable > 0) {
    result.notes.push_back(
        fmt::format("{} static shapes are unstable equilibria", sketch.unstable));
  }
  return result;
}

/// Snapshots of a free body in its own axes, 3n x N. @throws InputError if they do not deform it
Eigen::MatrixXd deformations_of_free(const StvkModel& model, const BasisRequest& request,
                                     const Eigen::MatrixXd& snapshots) {
  const Eigen::Map<const Eigen::Matrix3Xd> vertices(model.mesh().vertices().data(), 3,
                                                    model.vertex_count());
  Eigen::MatrixXd shapes = without_rigid_motion(model.scalar_mass(), vertices, snapshots);
  // The rigid motion is found to rounding, 1e-16 of the coordinates.
  const double size =
      (model.mesh().upper() - model.mesh().lower()).maxCoeff() + snapshots.cwiseAbs().maxCoeff();
  if (shapes.cwiseAbs().maxCoeff() <= 1e-12 * size) {
    throw InputError(request.where, "reduction.snapshots", "found rigid motion only",
                     "at least one deformed snapshot");
  }
  return shapes;
}

// The basis is made from modes, not only accompanied by them.
constexpr bool uses_modes(BasisKind kind) {
  return kind == BasisKind::kModes || uses_derivatives(kind);
}

ReducedBasis snapshot_basis(const StvkModel& model, const BasisRequest& request,
                            const BasisModes& modes) {
  if (request.snapshots.empty()) {
    throw InputError(request.where, "reduction.snapshots", "missing",
                     "a log of haptic simulate --unreduced --save-every K");
  }
  Eigen::MatrixXd columns(model.dof_count(), 0);
  for (const auto& file : request.snapshots) {
    const Eigen::MatrixXd more = read_snapshots(file, model.mesh());
    columns.conservativeResize(Eigen::NoChange, columns.cols() + more.cols());
    columns.rightCols(more.cols()) = more;
  }
  if (request.free) columns = deformations_of_free(model, request, columns);
  return basis_of_columns(model, request,
                          without_rigid(model, modes, model.restrict_to_free(columns)),
                          fmt::format("the {} snapshots", columns.cols()));
}

ReducedBasis basis_of_kind(const StvkModel& model, const BasisRequest& request,
                           const BasisModes& modes, const ModalDerivatives& derivatives) {
  switch (request.kind) {
    case BasisKind::kModes:
      require_dimension(request, modes.count, "the linear modes");
      return {modes.kept().shapes.leftCols(request.dimension), {}};
    case BasisKind::kFullDerivatives:
      return full_basis(model, request, modes, derivatives);
    case BasisKind::kSketch:
      return sketch_basis(model, request);
    case BasisKind::kSnapshots:
      return snapshot_basis(model, request, modes);
    case BasisKind::kDerivatives:
      break;
  }
  return basis_of_columns(
      model, request,
      without_rigid(model, modes,
                    model.restrict_to_free(scaled_modal_columns(modes.kept(), derivatives))),
      "modes and modal derivatives");
}

}  // namespace

LinearModes BasisModes::kept() const {
  LinearModes kept;
  kept.eigenvalues = all.eigenvalues.segment(first, count);
  kept.shapes = all.shapes.middleCols(first, count);
  kept.solves = all.solves;
  return kept;
}

BasisModes basis_modes(const StvkModel& model, const BasisRequest& request) {
  const int rigid = request.free ? kRigidModes : 0;
  if (request.modes < 1 || request.modes + rigid > model.free_dof_count()) {
    throw InputError(
        request.where, "reduction.linear_modes", fmt::format("found {}", request.modes),
        fmt::format("1..{}, the free degrees of freedom", model.free_dof_count() - rigid));
  }
  BasisModes modes;
  modes.first = rigid;
  modes.count = request.modes;
  if (!request.free) {
    // One more mode shows whether k cuts a cluster.
    modes.all = linear_modes(model, *rest_stiffness(model),
                             std::min(request.modes + 1, model.free_dof_count()), request.progress);
    return modes;
  }
  if (model.free_rigid_motions() != kRigidModes) {
    throw InputError(request.where, "reduction.free",
                     fmt::format("found {} fixed vertices", model.fixed_vertices().size()),
                     "no constraints on a free body");
  }
  modes.all = free_linear_modes(
      model, std::min(rigid + request.modes + kExtraModes, model.free_dof_count()),
      request.progress);
  return modes;
}

struct DerivativeBlocks::State {
  State(const StvkModel& body, const BasisModes& known)
      : model(body), modes(known), kept(known.kept()) {}

  const StvkModel& model;
  const BasisModes& modes;
  LinearModes kept;
  std::unique_ptr<PreconditionedOperator> rest;
  std::optional<FreeDerivatives> free;
};

DerivativeBlocks::DerivativeBlocks(const StvkModel& model, const BasisModes& modes, bool free) {
  auto state = std::make_unique<State>(model, modes);
  if (free) {
    state->free.emplace(model, modes.all, modes.first, modes.count);
  } else {
    state->rest = rest_stiffness(model);
  }
  state_ = std::move(state);
}

DerivativeBlocks::~DerivativeBlocks() = default;

int DerivativeBlocks::count() const {
  return state_->free ? state_->modes.count : modal_derivative_blocks(state_->modes.count);
}

Eigen::MatrixXd DerivativeBlocks::solve(int block) const {
  const State& s = *state_;
  if (s.free) return s.model.restrict_to_free(s.free->solve(block));
  return modal_derivative_block(s.model, *s.rest, s.kept, block);
}

ModalDerivatives assemble_derivatives(const StvkModel& model, const BasisModes& modes,
                                      std::span<const Eigen::MatrixXd> blocks, bool free) {
  Eigen::MatrixXd raw(model.free_dof_count(),
                      free ? modes.count * modes.count : modal_pair_count(modes.count));
  Eigen::Index next = 0;
  for (const Eigen::MatrixXd& block : blocks) {
    raw.middleCols(next, block.cols()) = block;
    next += block.cols();
  }
  return normalised_derivatives(model, std::move(raw), modes.count, free);
}

ReducedBasis assemble_basis(const StvkModel& model, const BasisRequest& request,
                            const BasisModes& modes, const ModalDerivatives& derivatives) {
  model.require_stvk();
  ReducedBasis basis = basis_of_kind(model, request, modes, derivatives);
  const Eigen::Index next = modes.first + modes.count;
  if (uses_modes(request.kind) && next < modes.all.eigenvalues.size() &&
      modal_clusters(modes.all.eigenvalues.segment(next - 1, 2))[1] == 0) {
    basis.notes.push_back(fmt::format(
        "modes {} and {} have the same frequency: linear_modes = {} keeps only part of what "
        "they span, {} or {} all",
        modes.count, modes.count + 1, modes.count, modes.count - 1, modes.count + 1));
  }
  return basis;
}

ReducedBasis build_basis(const StvkModel& model, const BasisRequest& request) {
  const BasisModes modes = basis_modes(model, request);
  ModalDerivatives derivatives;
  if (uses_derivatives(request.kind)) {
    const DerivativeBlocks solver(model, modes, request.free);
    std::vector<Eigen::MatrixXd> blocks;
    for (int b = 0; b < solver.count(); ++b) {
      blocks.push_back(solver.solve(b));
      if (request.progress) request.progress(static_cast<double>(b + 1) / solver.count());
    }
    derivatives = assemble_derivatives(model, modes, blocks, request.free);
  }
  return assemble_basis(model, request, modes, derivatives);
}

}  // namespace haptic
