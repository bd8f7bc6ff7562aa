#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "host/bake/verify_parts.h"
#include "host/condensation/condensed_nodes.h"
#include "host/condensation/surface_compliance.h"
#include "host/reduction/linear_modes.h"
#include "host/unreduced/baked_body.h"
#include "rt/bodies/condensed_model.h"

namespace haptic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Modes that are continued into the inner nodes, each by a factorisation of its own.
constexpr Eigen::Index kContinuedModes = 40;
/// Their share of the time, of a block of 4,000 free nodes.
constexpr double kModesShare = 0.8;

/// A condensed model and the unreduced body of the same file.
struct CondensedCheck {
  explicit CondensedCheck(const ModelFile& file)
      : model(read_condensed_model(file)),
        body(read_baked_body(file, ElasticModel::kStvk, MassKind::kLumped)),
        nodes(file.indices("/condensed/nodes")),
        dofs(free_dofs_of(body, nodes)),
        stiffness(factor_rest_stiffness(body)),
        modes(Eigen::Map<const RowMajorMatrix>(model.modes.data(), size(),
                                               static_cast<Eigen::Index>(model.mode_count))),
        eigenvalues(Eigen::Map<const VectorXd>(model.eigenvalues.data(),
                                               static_cast<Eigen::Index>(model.mode_count))) {}

  Eigen::Index size() const { return static_cast<Eigen::Index>(model.dof()); }
  bool single() const { return !model.compliance.single.empty(); }
  double at(Eigen::Index i, Eigen::Index j) const {
    const auto index = static_cast<std::size_t>(i * size() + j);
    return single() ? static_cast<double>(model.compliance.single[index])
                    : model.compliance.full[index];
  }
  /// C as stored, in double precision.
  MatrixXd compliance() const {
    MatrixXd C(size(), size());
    for (Eigen::Index i = 0; i < size(); ++i) {
      for (Eigen::Index j = 0; j < size(); ++j) C(j, i) = at(i, j);
    }
    return C;
  }
  MatrixXd to_free(const MatrixXd& surface) const {
    MatrixXd free = MatrixXd::Zero(body.free_dof_count(), surface.cols());
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      free.row(dofs[i]) = surface.row(static_cast<Eigen::Index>(i));
    }
    return free;
  }
  MatrixXd to_surface(const MatrixXd& free) const { return free(dofs, Eigen::all); }

  CondensedModel model;
  StvkModel body;
  std::span<const std::uint32_t> nodes;
  std::vector<int> dofs;
  SparseFactorization stiffness;
  MatrixXd modes;  ///< s x k
  VectorXd eigenvalues;
};

/// The first modes on all free degrees of freedom: inner rows by (K_ii - lambda M_ii) u_i = -K_is
/// u_s, which follows from the eigenvalue problem.
MatrixXd continued_modes(const CondensedCheck& check, const SparseMatrix& K, const VectorXd& mass,
                         const Progress& progress) {
  const Eigen::Index k = std::min(kContinuedModes, check.modes.cols());
  MatrixXd U = check.to_free(check.modes.leftCols(k));
  std::vector<int> inner;
  for (int i = 0; i < check.body.free_dof_count(); ++i) {
    if (!std::ranges::binary_search(check.dofs, i)) inner.push_back(i);
  }
  if (inner.empty()) return U;
  const MatrixXd load = -(K * U);
  SparseMatrix select(K.rows(), static_cast<Eigen::Index>(inner.size()));
  for (std::size_t i = 0; i < inner.size(); ++i) {
    select.insert(inner[i], static_cast<Eigen::Index>(i)) = 1.0;
  }
  const SparseMatrix Kii = select.transpose() * K * select;
  const VectorXd Mii = mass(inner);
  for (Eigen::Index mode = 0; mode < k; ++mode) {
    SparseMatrix A = Kii;
    A.diagonal() -= check.eigenvalues[mode] * Mii;
    const SparseFactorization factor(
        A, {.kind = SparseFactorization::Kind::kLdlt, .name = "K_ii - lambda M_ii"});
    if (progress) progress(static_cast<double>(mode + 1) / static_cast<double>(k));
    const VectorXd column = load.col(mode);
    const VectorXd solved = factor.solve(VectorXd(column(inner)));
    for (std::size_t i = 0; i < inner.size(); ++i) {
      U(inner[i], mode) = solved[static_cast<Eigen::Index>(i)];
    }
  }
  return U;
}

void verify_condensed_modes(const CondensedCheck& check, const MatrixXd& U, const SparseMatrix& K,
                            const VectorXd& mass, VerifiedFigures& figures) {
  const Eigen::Index k = U.cols();
  const MatrixXd MU = mass.asDiagonal() * U;
  figures.push_back(
      {"condensed_mode_orthonormality",
       (U.transpose() * MU - MatrixXd::Identity(k, k)).cwiseAbs().maxCoeff(), 1e-8, "1",
       fmt::format("largest entry of U^T M U - I of the first {} modes on all nodes", k)});
  const MatrixXd inertia = MU * check.eigenvalues.head(k).asDiagonal();
  const MatrixXd residual = K * U - inertia;
  figures.push_back(
      {"condensed_mode_residual",
       (residual.colwise().norm().array() / inertia.colwise().norm().array()).maxCoeff(), 1e-5, "1",
       fmt::format("K u against lambda M u, relative, of the first {} modes", k)});
}

void verify_compliance(const CondensedCheck& check, VerifiedFigures& figures) {
  const Eigen::Index s = check.size();
  double difference = 0.0, largest = 0.0;
  for (Eigen::Index i = 0; i < s; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      difference = std::max(difference, std::abs(check.at(i, j) - check.at(j, i)));
      largest = std::max(largest, std::abs(check.at(i, j)));
    }
  }
  figures.push_back({"compliance_symmetry", difference / largest, 0.0, "1",
                     "largest entry of C - C^T over that of C"});

  // 2^-24 of an entry in single precision, 2^-53 times the condition of K in double.
  const double limit = check.single() ? 2e-7 : 1e-9;
  constexpr Eigen::Index kColumns = 12;
  const Eigen::Index columns = std::min(kColumns, s);
  MatrixXd units = MatrixXd::Zero(s, columns), stored(s, columns);
  for (Eigen::Index c = 0; c < columns; ++c) {
    const Eigen::Index j = columns == 1 ? 0 : c * (s - 1) / (columns - 1);
    units(j, c) = 1.0;
    for (Eigen::Index i = 0; i < s; ++i) stored(i, c) = check.at(i, j);
  }
  const MatrixXd solved = check.to_surface(check.stiffness.solve(check.to_free(units)));
  figures.push_back(
      {"compliance_columns", (solved - stored).cwiseAbs().maxCoeff() / largest, limit, "1",
       fmt::format("{} columns of C against sparse solves, over the largest entry", columns)});
}

/// Products with random loads, which read every entry, and the same of the static part: C2 f =
/// K^-1 (I - M U U^T) f is computed without C.
void verify_products(const CondensedCheck& check, const MatrixXd& U, const VectorXd& mass,
                     VerifiedFigures& figures) {
  constexpr Eigen::Index kLoads = 4;
  std::mt19937_64 random(20111101);
  std::normal_distribution<double> normal;
  const Eigen::Index s = check.size();
  const MatrixXd loads = MatrixXd::NullaryExpr(s, kLoads, [&] { return normal(random); });
  MatrixXd stored = MatrixXd::Zero(s, kLoads);
  for (Eigen::Index i = 0; i < s; ++i) {
    for (Eigen::Index j = 0; j < s; ++j) stored.row(i) += check.at(i, j) * loads.row(j);
  }
  const double limit = check.single() ? 2e-7 : 1e-9;
  const MatrixXd free_loads = check.to_free(loads);
  const MatrixXd solved = check.to_surface(check.stiffness.solve(free_loads));
  figures.push_back({"compliance_products", (solved - stored).norm() / solved.norm(), limit, "1",
                     fmt::format("C f against sparse solves of {} random loads", kLoads)});

  const Eigen::Index k = U.cols();
  const MatrixXd Us = check.modes.leftCols(k);
  const MatrixXd modal =
      Us * check.eigenvalues.head(k).cwiseInverse().asDiagonal() * (Us.transpose() * loads);
  const MatrixXd without = free_loads - mass.asDiagonal() * (U * (U.transpose() * free_loads));
  const MatrixXd rest = check.to_surface(check.stiffness.solve(without));
  figures.push_back(
      {"compliance_sum", (modal + rest - stored).norm() / stored.norm(), limit, "1",
       fmt::format("C1 f + C2 f against C f, with C2 = K^-1 (I - M U U^T) by sparse solves, "
                   "{} modes, {} random loads",
                   k, kLoads)});
}

/// The smallest of a few shifts of the diagonal with which C2 has a Cholesky factor.
void verify_static_part(const CondensedCheck& check, VerifiedFigures& figures) {
  const auto s = static_cast<double>(check.size());
  // Rounding of independent entries moves an eigenvalue by 2 sqrt(s) times the rounding of one.
  const double limit = check.single() ? std::ldexp(2.0, -24) * std::sqrt(s) : 1e-10;
  const MatrixXd root = check.modes * check.eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
  double needed = std::numeric_limits<double>::infinity();
  for (const double shift : {0.0, 0.1 * limit, limit, 100.0 * limit, 1e4 * limit}) {
    MatrixXd C2 = check.compliance();
    const double scale = C2.diagonal().maxCoeff();
    C2.selfadjointView<Eigen::Lower>().rankUpdate(root, -1.0);
    C2.diagonal().array() += shift * scale;
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(C2);
    if (factor.info() != Eigen::Success) continue;
    needed = shift;
    break;
  }
  figures.push_back({"static_part_semidefinite", needed, limit, "1",
                     fmt::format("shift of the diagonal, over the largest entry of C on it, that "
                                 "makes C2 = C - U1 Lambda1^-1 U1^T positive definite, {} modes",
                                 check.modes.cols())});
}

void verify_embedding(const CondensedCheck& check, VerifiedFigures& figures) {
  const CondensedModel& model = check.model;
  const Vector3 translation(1.0, -2.0, 3.0);
  double translated = 0.0, place = 0.0;
  std::size_t clear = 0;
  for (std::size_t v = 0; v < model.vertex_count(); ++v) {
    Vector3 x = Vector3::Zero(), u = Vector3::Zero();
    bool fixed = false;
    for (std::size_t i = 8 * v; i < 8 * v + 8; ++i) {
      const std::uint32_t node = model.embedding_nodes[i];
      const double weight = model.embedding_weights[i];
      u += weight * translation;
      if (node == CondensedModel::kFixedNode) {
        fixed |= weight != 0.0;
      } else {
        x += weight * check.body.mesh().vertex(static_cast<int>(check.nodes[node]));
      }
    }
    translated = std::max(translated, (u - translation).cwiseAbs().maxCoeff());
    if (fixed) continue;
    ++clear;
    const Vector3 vertex(&model.vertices[3 * v]);
    place = std::max(place, (x - vertex).norm());
  }
  figures.push_back({"embedding_translation", translated, 1e-9, "1",
                     fmt::format("a rigid translation of all nodes at {} surface vertices",
                                 model.vertex_count())});
  const double size = (check.body.mesh().upper() - check.body.mesh().lower()).maxCoeff();
  figures.push_back({"embedding_patch", place / size, 1e-9, "1",
                     fmt::format("place of {} surface vertices that no fixed node moves, from "
                                 "those of their nodes, over the size",
                                 clear)});
}

}  // namespace

void verify_condensed(const ModelFile& model, VerifiedFigures& figures, const Progress& progress) {
  const CondensedCheck check(model);
  const std::vector<std::uint32_t> expected = condensed_nodes(check.body, {});
  const auto missing = std::ranges::count_if(
      expected, [&](std::uint32_t node) { return !std::ranges::binary_search(check.nodes, node); });
  figures.push_back({"condensed_nodes", static_cast<double>(missing), 0.0, "1",
                     fmt::format("free nodes of elements with an outer face that are not among "
                                 "the {} condensed ones",
                                 check.nodes.size())});
  const SparseMatrix K = check.body.stiffness_at_rest();
  const VectorXd mass = check.body.mass().diagonal();
  const MatrixXd U = continued_modes(check, K, mass, part_of(progress, 0.0, kModesShare));
  verify_condensed_modes(check, U, K, mass, figures);
  verify_compliance(check, figures);
  if (progress) progress(kModesShare);
  verify_products(check, U, mass, figures);
  verify_static_part(check, figures);
  verify_embedding(check, figures);
}

}  // namespace haptic
