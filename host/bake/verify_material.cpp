#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "host/bake/verify_parts.h"
#include "host/unreduced/baked_body.h"
#include "rt/dynamics/viscous_damping.h"

namespace haptic {
namespace {

/// Largest difference over the largest value.
double relative_difference(std::span<const double> sum, std::span<const double> whole) {
  double difference = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    difference = std::max(difference, std::abs(sum[i] - whole[i]));
    largest = std::max(largest, std::abs(whole[i]));
  }
  return difference / largest;
}

/// Rows of equal length, weighted and added.
std::vector<double> weighted_rows(std::span<const double> rows, std::span<const double> weights) {
  const std::size_t length = rows.size() / weights.size();
  std::vector<double> sum(length, 0.0);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    for (std::size_t i = 0; i < length; ++i) sum[i] += weights[row] * rows[row * length + i];
  }
  return sum;
}

}  // namespace

void verify_groups(const ModelFile& model, VerifiedFigures& figures) {
  const MaterialGroups groups = read_baked_materials(model);
  std::vector<double> moduli, densities;
  for (const SolidMaterial& material : groups.materials) {
    if (material.is_isotropic()) {
      moduli.insert(moduli.end(), {material.lame().lambda, material.lame().mu});
    } else {
      moduli.insert(moduli.end(), {1.0, 0.0});  // the whole energy, nothing
    }
    densities.push_back(material.density());
  }
  double error = 0.0;
  for (const char* degree : {"quadratic", "cubic", "quartic"}) {
    error = std::max(
        error, relative_difference(
                   weighted_rows(model.doubles(fmt::format("/reduced/groups/{}", degree)), moduli),
                   model.doubles(fmt::format("/reduced/{}", degree))));
  }
  figures.push_back(
      {"group_coefficients", error, 1e-10, "1",
       fmt::format("coefficients of {} groups, weighted with lambda and mu and added, "
                   "against those of the body, relative to the largest",
                   groups.materials.size())});

  const std::vector<double> mass = weighted_rows(model.doubles("/reduced/groups/mass"), densities);
  double deviation = 0.0;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < model.reduced_dimension(); ++i) {
    for (std::uint32_t j = i; j < model.reduced_dimension(); ++j) {
      deviation = std::max(deviation, std::abs(mass[at++] - (i == j ? 1.0 : 0.0)));
    }
  }
  figures.push_back({"group_mass", deviation, 1e-10, "1",
                     "largest entry of the groups' masses, weighted with the densities and added, "
                     "minus I"});
}

void verify_viscosity(const ModelFile& model, VerifiedFigures& figures) {
  constexpr int kStates = 5;
  constexpr double kMaxDisplacement = 0.3;  // of the object's size
  const StvkModel body = read_baked_body(model);
  const Eigen::MatrixXd basis = read_baked_basis(model);
  const auto r = static_cast<std::size_t>(basis.cols());
  const ViscousDamping damping(
      static_cast<std::uint32_t>(r), model.doubles("/reduced/viscous/linear"),
      model.doubles("/reduced/viscous/mixed"), model.doubles("/reduced/viscous/quadratic"));
  ViscousDamping::Workspace workspace(damping.dimension());
  std::mt19937_64 random(20261122);
  std::normal_distribution<double> normal;
  const auto random_vector = [&] {
    return Eigen::VectorXd(
        Eigen::VectorXd::NullaryExpr(basis.cols(), [&] { return normal(random); }));
  };
  const auto reduced_force = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& velocity) {
    Eigen::MatrixXd G(basis.cols(), basis.cols());
    damping.evaluate({q.data(), r}, {G.data(), r * r}, workspace);
    return Eigen::VectorXd(G * velocity);
  };
  const std::vector<LameParameters> viscosities = read_baked_viscosity(model);
  const double size = (body.mesh().upper() - body.mesh().lower()).maxCoeff();
  double error = 0.0;
  for (int state = 0; state < kStates; ++state) {
    Eigen::VectorXd q = random_vector();
    q *= kMaxDisplacement * size * (state + 1) / kStates / (basis * q).cwiseAbs().maxCoeff();
    const Eigen::VectorXd velocity = random_vector();
    const Eigen::VectorXd direct =
        basis.transpose() *
        body.strain_rate_damping_force(std::span(viscosities), basis * q, basis * velocity);
    error = std::max(error, (reduced_force(q, velocity) - direct).norm() / direct.norm());
  }
  std::string named;
  for (const auto& [phi, psi] : viscosities) {
    named += fmt::format("{}phi = {:.4g} and psi = {:.4g}", named.empty() ? "" : ", ", phi, psi);
  }
  figures.push_back({"reduced_damping", error, 1e-10, "1",
                     fmt::format("strain-rate damping against U^T D(U q) U q' with {} Pa s, "
                                 "relative, over {} random states up to |u|max = {} of the size",
                                 named, kStates, kMaxDisplacement)});
}

}  // namespace haptic
