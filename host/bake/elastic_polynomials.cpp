#include "host/bake/elastic_polynomials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/bake/group_mass.h"
#include "rt/dynamics/reduced_energy.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;

/// Number of element ranges that the ranks share. It does not depend on the number of ranks; the
/// sums are added in the order of the ranges.
std::size_t part_count(std::size_t elements) {
  return std::clamp<std::size_t>(elements / 256, 1, 16);
}

/// Largest error of force and stiffness with coefficients in single precision, relative, over
/// random states of the size that `q` has at a displacement of the body's length.
double float_error(const ReducedPolynomials& p, double largest_entry, double size) {
  constexpr int kStates = 20;
  const std::size_t r = p.dimension;
  const ReducedEnergy exact(p.dimension, p.quadratic, p.cubic, p.quartic);
  const ReducedEnergy rounded(p.dimension, p.quadratic, p.cubic, p.quartic,
                              CoefficientStorage::kFloat);
  ReducedEnergy::Workspace workspace(p.dimension);
  std::mt19937_64 random(20261121);
  double worst = 0.0;
  std::vector<double> q(r), force(r), float_force(r), stiffness(r * r), float_stiffness(r * r);
  for (int state = 0; state < kStates; ++state) {
    for (double& x : q) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
      x = uniform * 0.3 * size / largest_entry;
    }
    exact.force_and_stiffness(q, force, stiffness, workspace);
    rounded.force_and_stiffness(q, float_force, float_stiffness, workspace);
    const auto error = [](const std::vector<double>& a, const std::vector<double>& b) {
      double difference = 0.0, norm = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += a[i] * a[i];
      }
      return std::sqrt(difference / norm);
    };
    worst = std::max({worst, error(force, float_force), error(stiffness, float_stiffness)});
  }
  return worst;
}

BodyPolynomials polynomials_of_parts(const Recipe& recipe, const SolidMesh& mesh, BasisView basis,
                                     const Ranks& ranks, const Fraction& fraction) {
  const PolynomialContents contents{.groups = recipe.editable, .viscosity = viscosities_of(recipe)};
  const auto elements = static_cast<std::size_t>(mesh.element_count());
  const std::size_t parts = part_count(elements);
  const auto mine = ranks.range_of(ranks.rank(), parts);
  // Rank 0 adds the parts of its range as they are computed, then those of the other ranks in
  // order.
  const auto encoded = ranks.run_parts(parts, Ranks::Parts::kInTurn, [&](std::size_t part) {
    PolynomialSettings settings;
    settings.progress = [&](double done) {
      fraction((static_cast<double>(part - mine.begin) + done) /
               static_cast<double>(mine.end - mine.begin));
    };
    PolynomialAccumulator accumulator(mesh, basis, contents, settings);
    accumulator.add(static_cast<int>(part * elements / parts),
                    static_cast<int>((part + 1) * elements / parts));
    const auto bytes = std::as_bytes(accumulator.raw());
    return Ranks::Bytes(bytes.begin(), bytes.end());
  });
  BodyPolynomials result;
  if (!ranks.first()) return result;

  PolynomialAccumulator total(mesh, basis, contents);
  const std::span<double> sum = total.raw();
  std::vector<double> values(sum.size());
  for (const Ranks::Bytes& bytes : encoded) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  result.whole = total.whole();
  if (recipe.editable) {
    result.groups = total.groups();
    result.group_mass = group_mass(mesh, basis, recipe.mass);
  }
  if (!contents.viscosity.empty()) result.viscous = total.viscous();
  return result;
}

}  // namespace

BodyPolynomials make_polynomials(const Recipe& recipe, const SolidBody& solid,
                                 const StageDigest& solid_digest,
                                 const std::vector<std::uint32_t>& groups, BasisView basis,
                                 const StageDigest& basis_digest, const Stages& stages) {
  const bool rounded = recipe.reduction->coefficient_bytes == 4;
  StageKey key("polynomials");
  std::vector<double> viscosities;
  for (const auto& [phi, psi] : viscosities_of(recipe)) {
    viscosities.insert(viscosities.end(), {phi, psi});
  }
  key.add(solid_digest, solid.cells.held, basis_digest, groups, recipe.editable, viscosities,
          rounded, recipe.mass);
  for (const MaterialGroupRecipe& group : recipe.groups) {
    const ElasticityMatrix C = group.material.elasticity();
    key.add(group.material.is_isotropic(), C);
  }
  auto result = stages.run<BodyPolynomials>(
      "polynomials", key, Stages::RunOn::kAll, Stages::ResultOn::kFirst,
      [&](const Fraction& fraction) {
        const SolidMesh mesh = solid_mesh_of(recipe, solid, groups);
        BodyPolynomials made = polynomials_of_parts(recipe, mesh, basis, stages.ranks(), fraction);
        if (rounded && stages.ranks().first()) {
          double largest = 0.0;
          for (const double x : basis.values) largest = std::max(largest, std::abs(x));
          const double size = (mesh.upper() - mesh.lower()).maxCoeff();
          stages.progress().note(
              fmt::format("coefficients as float: force and stiffness off by at most {:.1e}, "
                          "relative, over 20 random states",
                          float_error(made.whole, largest, size)));
        }
        return made;
      });
  return std::move(result.value);
}

}  // namespace haptic
