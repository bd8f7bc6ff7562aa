#include "host/reduction/numerical_damping.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "rt/dynamics/newmark_integrator.h"
#include "rt/dynamics/vector_views.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

void require_valid(const ReducedEnergy& energy, std::span<const double> basis,
                   const NumericalDampingSettings& settings) {
  const auto refuse = [](std::string_view key, double found, std::string_view expected) {
    throw InputError("numerical damping", key, fmt::format("found {}", found), expected);
  };
  if (!(std::isfinite(settings.small) && settings.small > 0.0)) {
    refuse("small", settings.small, "a displacement > 0 [m]");
  }
  if (!(std::isfinite(settings.large) && settings.large > 0.0)) {
    refuse("large", settings.large, "a displacement > 0 [m]");
  }
  if (!(std::isfinite(settings.periods) && settings.periods >= 1.0)) {
    refuse("periods", settings.periods, "a number >= 1");
  }
  if (basis.empty() || basis.size() % (3 * std::size_t{energy.dimension()}) != 0) {
    refuse("basis", static_cast<double>(basis.size()), "3n x r numbers");
  }
}

Eigen::MatrixXd rest_stiffness(const ReducedEnergy& energy) {
  const auto r = static_cast<Eigen::Index>(energy.dimension());
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(r);
  Eigen::VectorXd force(r);
  Eigen::MatrixXd K(r, r);
  ReducedEnergy::Workspace workspace(energy.dimension());
  energy.force_and_stiffness(view(rest), {force.data(), energy.dimension()},
                             {K.data(), static_cast<std::size_t>(K.size())}, workspace);
  return K;
}

/// Largest displacement of a vertex in the state `q`.
double largest_displacement(std::span<const double> basis, const Eigen::VectorXd& q) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> U(basis.data(),
                                     static_cast<Eigen::Index>(basis.size()) / q.size(), q.size());
  const Eigen::VectorXd u = U * q;
  double largest = 0.0;
  for (Eigen::Index v = 0; v < u.size(); v += 3)
    largest = std::max(largest, u.segment<3>(v).norm());
  return largest;
}

/// Loss a period after a release at `q`.
double loss_per_period(const ReducedEnergy& energy, const Eigen::VectorXd& q, double period,
                       const NumericalDampingSettings& settings) {
  NewmarkIntegrator integrator(energy, settings.dt, {}, {settings.iterations, 0.0});
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(q.size());
  constexpr double kDiverged = std::numeric_limits<double>::infinity();
  if (integrator.set_state(view(q), view(none), view(none)) != StepResult::kOk) return kDiverged;
  const double wanted = std::ceil(settings.periods * period / settings.dt);
  const auto steps = static_cast<std::uint32_t>(
      std::clamp(wanted, 1.0, static_cast<double>(settings.largest_steps)));
  const double start = energy.energy(view(q));
  for (std::uint32_t i = 0; i < steps; ++i) {
    if (integrator.step(view(none)) != StepResult::kOk) return kDiverged;
  }
  const ReducedState end = integrator.state();
  double kept = energy.energy(end.q);
  for (const double rate : end.qdot) kept += 0.5 * rate * rate;
  return 1.0 - std::pow(std::max(kept, 0.0) / start, period / (steps * settings.dt));
}

}  // namespace

NumericalDampingReport measure_numerical_damping(const ReducedEnergy& energy,
                                                 std::span<const double> basis,
                                                 const NumericalDampingSettings& settings) {
  require_valid(energy, basis, settings);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(rest_stiffness(energy));
  const double largest = eigen.eigenvalues().maxCoeff();
  NumericalDampingReport report;
  const double w_max = std::sqrt(std::max(0.0, largest));
  report.largest_frequency_Hz = w_max / kTwoPi;
  report.central_difference_limit_s =
      w_max > 0.0 ? 2.0 / w_max : std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < eigen.eigenvalues().size(); ++i) {
    if (settings.progress) {
      settings.progress(static_cast<double>(i) / static_cast<double>(eigen.eigenvalues().size()));
    }
    const double eigenvalue = eigen.eigenvalues()(i);
    if (!(eigenvalue > 1e-9 * largest)) continue;  // a rigid motion has no period
    const double period = kTwoPi / std::sqrt(eigenvalue);
    const Eigen::VectorXd mode = eigen.eigenvectors().col(i);
    const double size = largest_displacement(basis, mode);
    if (!(size > 0.0)) continue;
    report.modes.push_back(
        {1.0 / period, period / settings.dt,
         loss_per_period(energy, settings.small / size * mode, period, settings),
         loss_per_period(energy, settings.large / size * mode, period, settings)});
  }
  return report;
}

}  // namespace haptic
