// With two reduced coordinates a bridge has equilibria that the real one has not; more coordinates
// remove them (Barbic 2007, section 2.15; acceptance test 41). A report without limits.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <random>

#include "host/mesh/catalogue.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/subspace.h"
#include "lab/experiments/voxel_body.h"

namespace haptic {
namespace {

/// Stable equilibria of W(q) - f.q found from many starts.
class EquilibriumSearch {
 public:
  EquilibriumSearch(const ReducedEnergy& energy, double scale)
      : energy_(energy), workspace_(energy.dimension()), scale_(scale) {
    const auto r = static_cast<Eigen::Index>(energy.dimension());
    Eigen::VectorXd R(r), q = Eigen::VectorXd::Zero(r);
    Eigen::MatrixXd K(r, r);
    energy_.force_and_stiffness(view(q), {R.data(), energy.dimension()},
                                {K.data(), std::size_t{energy.dimension()} * energy.dimension()},
                                workspace_);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K);
    // Every direction gets the same energy, so that the starts are poses that a hand could reach,
    // without inverted elements, for which StVK has spurious equilibria.
    spread_ = eigen.eigenvectors() *
              (eigen.eigenvalues()[0] / eigen.eigenvalues().array()).sqrt().matrix().asDiagonal();
  }

  /// Distinct minima reached by Newton descent from `starts` random states of size `scale`.
  int count(const Eigen::VectorXd& f, int starts, std::mt19937& random) {
    std::vector<Eigen::VectorXd> found;
    std::normal_distribution<double> normal;
    for (int s = 0; s < starts; ++s) {
      Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(f.size(), [&] { return normal(random); });
      q = spread_ * q;
      q *= s == 0 ? 0.0 : scale_ / q.norm() * std::pow(2.0, s % 5 - 1);
      if (!descend(f, q)) continue;
      const auto near = [&](const Eigen::VectorXd& other) {
        return (q - other).norm() < 1e-4 * scale_;
      };
      if (std::none_of(found.begin(), found.end(), near)) found.push_back(q);
    }
    return static_cast<int>(found.size());
  }

 private:
  /// @returns false unless q ends at a minimum
  bool descend(const Eigen::VectorXd& f, Eigen::VectorXd& q) {
    const auto r = static_cast<std::size_t>(f.size());
    Eigen::VectorXd R(f.size());
    Eigen::MatrixXd K(f.size(), f.size());
    const auto potential = [&](const Eigen::VectorXd& x) {
      return energy_.energy(view(x)) - f.dot(x);
    };
    for (int iteration = 0; iteration < 300; ++iteration) {
      energy_.force_and_stiffness(view(q), {R.data(), r}, {K.data(), r * r}, workspace_);
      const Eigen::VectorXd gradient = R - f;
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K);
      const double smallest = eigen.eigenvalues()[0];
      if (gradient.norm() < 1e-9 * (f.norm() + scale_ * eigen.eigenvalues().maxCoeff())) {
        return smallest > 0.0;
      }
      // Descent with the absolute curvatures: follows the valley a physical body would take.
      const Eigen::VectorXd curvature =
          eigen.eigenvalues().cwiseAbs().cwiseMax(1e-6 * eigen.eigenvalues().cwiseAbs().maxCoeff());
      const Eigen::VectorXd step =
          -(eigen.eigenvectors() *
            (eigen.eigenvectors().transpose() * gradient).cwiseQuotient(curvature));
      const double slope = gradient.dot(step), before = potential(q);
      double length = 1.0;
      while (length > 1e-12 && potential(q + length * step) > before + 1e-4 * length * slope) {
        length *= 0.5;
      }
      if (length <= 1e-12) return smallest > 0.0 && gradient.norm() < 1e-6 * f.norm();
      q += length * step;
    }
    return false;
  }

  const ReducedEnergy& energy_;
  ReducedEnergy::Workspace workspace_;
  double scale_;
  Eigen::MatrixXd spread_;  // r x r
};

struct Shape {
  std::string name;
  int axis;  ///< fixed below `held` [m] along it
  double held, length;
  bool fill;
};

void sweep(Experiment& experiment) {
  const bool quick = experiment.quick();
  const int k = 6, loads = quick ? 60 : 120, starts = quick ? 12 : 24;
  // Times the load that would move the whole body by a tenth of its length if it were linear with
  // the lowest frequency.
  const std::vector<double> factors = {0.0625, 0.25, 1.0, 4.0, 16.0, 64.0};
  std::vector<std::string> columns = {"shape", "basis", "r"};
  for (const double factor : factors) columns.push_back(fmt::format("load x {:g}", factor));
  columns.emplace_back("most");
  ResultTable table(columns);
  for (const Shape& shape :
       {Shape{"bridge", 1, 0.008, 0.3, false}, Shape{"tower", 1, 0.004, 0.3, false},
        Shape{"spoon", 0, 0.035, 0.2, true}}) {
    Constraints constraints;
    constraints.planes.push_back({shape.axis, PlaneConstraint::Side::kBelow, shape.held});
    const VoxelBody body(make_shape(shape.name, {}), quick ? 36 : 56, shape.fill,
                         {2e6, 0.3, 1000.0}, constraints);
    const StvkModel& model = body.model();
    const ModalData data(model, k);
    for (const int basis_modes : {0, 1, 2, 6}) {
      for (const int r : {2, 3, 4, 6, 12, 15}) {
        if ((basis_modes == 0 && r > k) || (basis_modes == 1 && r > 2) ||
            (basis_modes == 2 && r > 5)) {
          continue;
        }
        const Eigen::MatrixXd U = basis_modes == 0 ? linear_basis(data, r)
                                                   : derivative_basis(model, data, basis_modes, r);
        const ReducedEnergy energy = reduced_energy(model, U);
        // Displacements of a tenth of the length, in units of q: |q|^2 = integral of rho |u|^2.
        const double scale = 0.1 * shape.length * std::sqrt(model.mesh().mass());
        EquilibriumSearch search(energy, scale);
        std::mt19937 random(41);  // the same loads for every basis
        std::uniform_int_distribution<int> vertex(0, model.free_vertex_count() - 1);
        std::normal_distribution<double> normal;
        std::vector<int> several(factors.size(), 0);
        int most = 0;
        for (int l = 0; l < loads; ++l) {
          const auto v =
              static_cast<int>(model.free_vertices()[static_cast<std::size_t>(vertex(random))]);
          Vector3 push(normal(random), normal(random), normal(random));
          const std::size_t factor = static_cast<std::size_t>(l) % factors.size();
          push *= data.modes.eigenvalues[0] * scale * std::sqrt(model.mesh().mass()) *
                  factors[factor] / push.norm();
          const Eigen::VectorXd f = U.middleRows(3 * v, 3).transpose() * push;
          std::mt19937 seeds(static_cast<std::uint32_t>(l));
          const int count = search.count(f, starts, seeds);
          several[factor] += count > 1;
          most = std::max(most, count);
        }
        std::vector<std::string> row = {
            shape.name,
            basis_modes == 0 ? "linear modes" : fmt::format("derivatives k={}", basis_modes),
            fmt::format("{}", r)};
        for (const int n : several) row.push_back(fmt::format("{}", n));
        row.push_back(fmt::format("{}", most));
        table.add(row);
      }
    }
  }
  experiment.report(fmt::format("Loads of {} (of each size) with more than one stable equilibrium "
                                "among those reached from {} starts",
                                loads / static_cast<int>(factors.size()), starts),
                    table);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "small_dimension",
                                "Spurious equilibria of very small bases (T41)", haptic::sweep);
}
