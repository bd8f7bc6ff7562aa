#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "host/bake/verify_parts.h"
#include "host/reduction/mass_pca.h"
#include "host/unreduced/baked_body.h"
#include "rt/dynamics/reduced_energy.h"

namespace haptic {
namespace {

/// The unreduced body and the basis of a file. The energy is that of the coefficients as stored,
/// in double whatever the loop keeps.
struct ReducedModel {
  explicit ReducedModel(const ModelFile& model)
      : body(read_baked_body(model)),
        basis(read_baked_basis(model)),
        energy(static_cast<std::uint32_t>(basis.cols()), model.doubles("/reduced/quadratic"),
               model.doubles("/reduced/cubic"), model.doubles("/reduced/quartic")),
        size((body.mesh().upper() - body.mesh().lower()).maxCoeff()) {}

  StvkModel body;
  Eigen::MatrixXd basis;  // 3n x r
  ReducedEnergy energy;
  double size;  // longest side of the mesh [m]
};

double largest_displacement(const Eigen::VectorXd& u) {
  double largest = 0.0;
  for (Eigen::Index v = 0; v < u.size(); v += 3) {
    largest = std::max(largest, u.segment<3>(v).norm());
  }
  return largest;
}

struct Evaluation {
  Eigen::VectorXd force;
  Eigen::MatrixXd stiffness;
  double energy;
};

Evaluation evaluate(const ReducedEnergy& energy, const Eigen::VectorXd& q,
                    ReducedEnergy::Workspace& workspace) {
  const auto r = static_cast<std::size_t>(q.size());
  Evaluation result{Eigen::VectorXd(q.size()), Eigen::MatrixXd(q.size(), q.size()), 0.0};
  const std::span<const double> state(q.data(), r);
  energy.force_and_stiffness(state, {result.force.data(), r}, {result.stiffness.data(), r * r},
                             workspace);
  result.energy = energy.energy(state);
  return result;
}

}  // namespace

void verify_reduction(const ModelFile& model, VerifiedFigures& figures, const Progress& progress) {
  constexpr int kStates = 20;
  constexpr double kMaxDisplacement = 0.3;  // of the object's size
  const ReducedModel reduced(model);
  const auto r = reduced.basis.cols();

  if (!reduced.body.fixed_vertices().empty()) {
    double at_fixed = 0.0;
    for (const std::uint32_t v : reduced.body.fixed_vertices()) {
      at_fixed = std::max(at_fixed, reduced.basis.middleRows(3 * v, 3).cwiseAbs().maxCoeff());
    }
    figures.push_back(
        {"basis_at_fixed_vertices", at_fixed, 0.0, "kg^-1/2",
         fmt::format("largest entry over {} vertices", reduced.body.fixed_vertices().size())});
  }

  const Eigen::MatrixXd free_basis = reduced.body.restrict_to_free(reduced.basis);
  const Eigen::MatrixXd gram =
      free_basis.transpose() * multiply_mass(reduced.body.scalar_mass(), free_basis);
  figures.push_back({"mass_orthonormality",
                     (gram - Eigen::MatrixXd::Identity(r, r)).cwiseAbs().maxCoeff(), 1e-10, "1",
                     "largest entry of U^T M U - I"});

  std::mt19937_64 random(20261121);
  std::normal_distribution<double> normal;
  ReducedEnergy::Workspace workspace(reduced.energy.dimension());
  std::optional<ReducedEnergy> rounded;
  if (model.coefficient_size() == 4) rounded.emplace(model, CoefficientStorage::kFloat);
  double rounding_error = 0.0;
  double force_error = 0.0, energy_error = 0.0, stiffness_error = 0.0, asymmetry = 0.0;
  for (int state = 1; state <= kStates; ++state) {
    if (progress) progress(static_cast<double>(state - 1) / kStates);
    Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(r, [&] { return normal(random); });
    Eigen::VectorXd u = reduced.basis * q;
    const double scale =
        kMaxDisplacement * reduced.size * state / kStates / largest_displacement(u);
    q *= scale;
    u *= scale;
    const Evaluation at = evaluate(reduced.energy, q, workspace);
    const Eigen::VectorXd projected = reduced.basis.transpose() * reduced.body.force(u);
    force_error = std::max(force_error, (at.force - projected).norm() / projected.norm());
    if (rounded) {
      rounding_error =
          std::max(rounding_error,
                   (evaluate(*rounded, q, workspace).force - at.force).norm() / at.force.norm());
    }
    const double energy = reduced.body.energy(u);
    energy_error = std::max(energy_error, std::abs(at.energy - energy) / energy);
    asymmetry =
        std::max(asymmetry, (at.stiffness - at.stiffness.transpose()).cwiseAbs().maxCoeff() /
                                at.stiffness.cwiseAbs().maxCoeff());
    // The force is a cubic: the difference errs by h^2 times its third derivative, 1e-8 here, and
    // by rounding over h, 1e-12.
    const Eigen::VectorXd direction =
        Eigen::VectorXd::NullaryExpr(r, [&] { return normal(random); }).normalized() * q.norm();
    constexpr double kStep = 1e-4;
    const Eigen::VectorXd difference =
        (evaluate(reduced.energy, q + kStep * direction, workspace).force -
         evaluate(reduced.energy, q - kStep * direction, workspace).force) /
        (2.0 * kStep);
    stiffness_error = std::max(stiffness_error,
                               (at.stiffness * direction - difference).norm() / difference.norm());
  }
  const std::string states =
      fmt::format("over {} random states up to |u|max = {} of the size", kStates, kMaxDisplacement);
  figures.push_back({"reduced_force", force_error, 1e-10, "1",
                     "reduced force against U^T f(U q), relative, " + states});
  if (rounded) {
    // 6e-8 of each coefficient, times the cancellation between the degrees of large states.
    figures.push_back({"float_coefficients", rounding_error, 1e-4, "1",
                       "force of the coefficients rounded to float, as the loop stores them, "
                       "against double, relative, " +
                           states});
  }
  figures.push_back({"reduced_energy", energy_error, 1e-10, "1",
                     "reduced energy against W(U q), relative, " + states});
  figures.push_back({"stiffness_difference", stiffness_error, 1e-6, "1",
                     "stiffness against the central difference of the force, relative, " + states});
  figures.push_back({"stiffness_symmetry", asymmetry, 1e-12, "1",
                     "stiffness against its transpose, relative, " + states});
}

}  // namespace haptic
