#include "host/unreduced/tangent_system.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host/fem/sparse_factorization.h"
#include "host/reduction/mass_pca.h"
#include "host/unreduced/conjugate_gradients.h"
#include "shared/error.h"

namespace haptic {
namespace {

SparseFactorization::Options system_options() {
  SparseFactorization::Options options;
  options.block = 3;
  options.name = "dynamic stiffness";
  return options;
}

/// Data of all solvers: the model, its viscosity and the state of the tangent.
class ModelSystem : public TangentSystem {
 public:
  ModelSystem(const StvkModel& model, std::vector<LameParameters> viscosity, double tolerance)
      : model_(model),
        viscosity_(std::move(viscosity)),
        tolerance_(tolerance),
        u_(Eigen::VectorXd::Zero(model.dof_count())) {}

  double energy(const Eigen::VectorXd& u) const override { return model_.energy(full(u)); }
  Eigen::VectorXd force(const Eigen::VectorXd& u) const override {
    return model_.restrict_to_free(model_.force(full(u)));
  }
  Eigen::VectorXd viscous(const Eigen::VectorXd& v) const override {
    if (!is_viscous()) return {};
    return model_.restrict_to_free(
        model_.strain_rate_damping_force(std::span(viscosity_), u_, full(v)));
  }

 protected:
  bool is_viscous() const { return haptic::is_viscous(viscosity_); }
  Eigen::VectorXd full(const Eigen::VectorXd& u) const { return model_.expand(u); }

  Eigen::VectorXd iterate(const LinearMap& apply, const LinearMap& precondition,
                          const Eigen::VectorXd& b, FullStepReport& report) const {
    const ConjugateGradientResult result =
        conjugate_gradients(apply, precondition, b, tolerance_, static_cast<int>(10 * b.size()));
    report.cg_iterations += result.iterations;
    report.shifts += result.indefinite ? 1 : 0;
    return result.x;
  }
  /// (A + d C)^-1 b with a factor of A.
  Eigen::VectorXd solve_with_viscosity(const SparseMatrix& A, const SparseFactorization& factor,
                                       double d, const Eigen::VectorXd& b,
                                       FullStepReport& report) const {
    return iterate(
        [&](const Eigen::VectorXd& p) -> Eigen::VectorXd { return A * p + d * viscous(p); },
        [&](const Eigen::VectorXd& r) -> Eigen::VectorXd { return factor.solve(r); }, b, report);
  }

  const StvkModel& model_;
  std::vector<LameParameters> viscosity_;
  double tolerance_;
  Eigen::VectorXd u_;  // of the tangent, 3n
};

class DirectSystem final : public ModelSystem {
 public:
  DirectSystem(const StvkModel& model, std::vector<LameParameters> viscosity, double tolerance)
      : ModelSystem(model, std::move(viscosity), tolerance), mass_(model.mass()) {}

  void linearise(const Eigen::VectorXd& u) override {
    u_ = full(u);
    stiffness_ = model_.stiffness(u_);
  }
  Eigen::VectorXd multiply(const Eigen::VectorXd& p) const override { return stiffness_ * p; }

  Eigen::VectorXd solve(double m, double k, double d, const Eigen::VectorXd& b,
                        FullStepReport& report) override {
    // The first shift doubles the inertia; factors of 10 reach any negative stiffness in a few
    // tries.
    double shift = 0.0, next = m;
    for (int attempt = 0; attempt < 12; ++attempt, shift = next, next *= 10.0) {
      SparseMatrix A = k * stiffness_ + (m + shift) * mass_;
      A.makeCompressed();
      try {
        if (factor_) {
          factor_->refactorize(A);
        } else {
          factor_.emplace(A, system_options());
        }
      } catch (const OperationError&) {
        ++report.shifts;
        continue;
      }
      if (is_viscous()) return solve_with_viscosity(A, *factor_, d, b, report);
      return factor_->solve(b);
    }
    throw OperationError("unreduced step: the system matrix is not finite");
  }

 private:
  SparseMatrix mass_, stiffness_;
  std::optional<SparseFactorization> factor_;
};

class MatrixFreeSystem final : public ModelSystem {
 public:
  MatrixFreeSystem(const StvkModel& model, std::vector<LameParameters> viscosity, double tolerance)
      : ModelSystem(model, std::move(viscosity), tolerance), mass_(model.scalar_mass()) {}

  void linearise(const Eigen::VectorXd& u) override {
    u_ = full(u);
    blocks_ = model_.stiffness_blocks(u_);
  }
  Eigen::VectorXd multiply(const Eigen::VectorXd& p) const override {
    return model_.restrict_to_free(model_.stiffness_product(u_, full(p)));
  }

  Eigen::VectorXd solve(double m, double k, double d, const Eigen::VectorXd& b,
                        FullStepReport& report) override {
    const Eigen::VectorXd diagonal = mass_.diagonal();
    std::vector<Eigen::Matrix3d> inverse(static_cast<std::size_t>(diagonal.size()));
    for (Eigen::Index v = 0; v < diagonal.size(); ++v) {
      const Eigen::Matrix3d block =
          k * blocks_.middleCols<3>(3 * v) + m * diagonal[v] * Eigen::Matrix3d::Identity();
      const Eigen::LLT<Eigen::Matrix3d> root(block);
      // A block that is indefinite by compression: use the inertia alone, which is positive.
      inverse[static_cast<std::size_t>(v)] =
          root.info() == Eigen::Success
              ? Eigen::Matrix3d(root.solve(Eigen::Matrix3d::Identity()))
              : Eigen::Matrix3d(Eigen::Matrix3d::Identity() / (m * diagonal[v]));
    }
    const auto apply = [&](const Eigen::VectorXd& p) -> Eigen::VectorXd {
      Eigen::VectorXd image = k * multiply(p) + m * multiply_mass(mass_, p);
      if (is_viscous()) image += d * viscous(p);
      return image;
    };
    const auto precondition = [&](const Eigen::VectorXd& r) {
      Eigen::VectorXd z(r.size());
      for (Eigen::Index v = 0; v < diagonal.size(); ++v) {
        z.segment<3>(3 * v) = inverse[static_cast<std::size_t>(v)] * r.segment<3>(3 * v);
      }
      return z;
    };
    return iterate(apply, precondition, b, report);
  }

 private:
  SparseMatrix mass_;        // scalar
  Eigen::Matrix3Xd blocks_;  // 3 x 3 n_free
};

/// The linear body: K and C are those at rest.
class LinearSystem final : public ModelSystem {
 public:
  LinearSystem(const StvkModel& model, std::vector<LameParameters> viscosity, double tolerance)
      : ModelSystem(model, std::move(viscosity), tolerance),
        mass_(model.mass()),
        stiffness_(model.stiffness_at_rest()) {}

  double energy(const Eigen::VectorXd& u) const override { return 0.5 * u.dot(stiffness_ * u); }
  Eigen::VectorXd force(const Eigen::VectorXd& u) const override { return stiffness_ * u; }
  void linearise(const Eigen::VectorXd&) override {}
  Eigen::VectorXd multiply(const Eigen::VectorXd& p) const override { return stiffness_ * p; }

  Eigen::VectorXd solve(double m, double k, double d, const Eigen::VectorXd& b,
                        FullStepReport& report) override {
    if (!factor_ || m != m_ || k != k_) {
      system_ = k * stiffness_ + m * mass_;
      system_.makeCompressed();
      factor_.emplace(system_, system_options());
      m_ = m;
      k_ = k;
    }
    if (is_viscous()) return solve_with_viscosity(system_, *factor_, d, b, report);
    return factor_->solve(b);
  }

 private:
  SparseMatrix mass_, stiffness_, system_;
  std::optional<SparseFactorization> factor_;
  double m_ = 0.0, k_ = 0.0;
};

}  // namespace

bool is_viscous(std::span<const LameParameters> viscosity) {
  return std::ranges::any_of(
      viscosity, [](const LameParameters& of) { return of.lambda > 0.0 || of.mu > 0.0; });
}

std::unique_ptr<TangentSystem> make_tangent_system(const StvkModel& model, FullSolver solver,
                                                   std::vector<LameParameters> viscosity,
                                                   double cg_tolerance) {
  switch (solver) {
    case FullSolver::kDirect:
      return std::make_unique<DirectSystem>(model, std::move(viscosity), cg_tolerance);
    case FullSolver::kMatrixFree:
      return std::make_unique<MatrixFreeSystem>(model, std::move(viscosity), cg_tolerance);
    case FullSolver::kLinear:
      break;
  }
  return std::make_unique<LinearSystem>(model, std::move(viscosity), cg_tolerance);
}

}  // namespace haptic
