#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "host/bake/cloth_body.h"
#include "host/bake/cloth_source.h"
#include "host/bake/verify_parts.h"
#include "rt/bodies/cloth_model.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Sums of up to 4e6 terms, each rounded to 1.1e-16.
constexpr double kSumRounding = 1e-9;
/// The same formula of the same numbers, perhaps by other instructions.
constexpr double kRounding = 1e-12;

void verify_masses(const ClothModel& cloth, SpringTopology topology, double areal_density,
                   VerifiedFigures& figures) {
  const std::vector<double> areas = particle_areas(cloth.mesh);
  const double area = std::accumulate(areas.begin(), areas.end(), 0.0);
  const double expected = areal_density * area;
  const double mass = std::accumulate(cloth.masses.begin(), cloth.masses.end(), 0.0);
  figures.push_back({"cloth_mass", std::abs(mass / expected - 1.0), kSumRounding, "1",
                     fmt::format("sum of the masses of {} particles against area x density, "
                                 "{:.6g} m^2 x {:.6g} kg/m^2",
                                 areas.size(), area, areal_density)});
  const std::vector<double> shares = particle_masses(cloth.mesh, topology, expected, areas);
  double worst = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    worst = std::max(worst, std::abs(cloth.masses[i] / shares[i] - 1.0));
  }
  figures.push_back({"cloth_particle_masses", worst, kSumRounding, "1",
                     !cloth.mesh.grid ? "mass of each particle against a third of its triangles'"
                     : topology == SpringTopology::kFabric
                         ? "mass of each particle against a quarter of its cells'"
                         : "mass of each particle of the grid against M / n"});
}

void verify_rest_lengths(const ClothModel& cloth, VerifiedFigures& figures) {
  const Springs& springs = cloth.springs;
  double worst = 0.0;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const auto &p = cloth.mesh.vertices[springs.first[s]],
               &q = cloth.mesh.vertices[springs.second[s]];
    const double length = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    worst = std::max(worst, std::abs(length / springs.rest[s] - 1.0));
  }
  figures.push_back({"cloth_rest_lengths", worst, kRounding, "1",
                     fmt::format("distance of the particles of each of {} springs, at rest, "
                                 "against its rest length",
                                 springs.size())});
}

/// A spring as one number: kind and particles.
using SpringKey = std::array<std::uint32_t, 3>;

std::vector<SpringKey> sorted_keys(const Springs& springs) {
  std::vector<SpringKey> keys;
  keys.reserve(springs.size());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    keys.push_back(
        {static_cast<std::uint32_t>(springs.kind[s]), springs.first[s], springs.second[s]});
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

void verify_topology(const ClothModel& cloth, SpringTopology topology, VerifiedFigures& figures) {
  const std::vector<SpringKey> found = sorted_keys(cloth.springs);
  const std::vector<SpringKey> expected = sorted_keys(make_springs(cloth.mesh, topology, {}));
  std::vector<SpringKey> different;
  std::ranges::set_symmetric_difference(found, expected, std::back_inserter(different));
  figures.push_back({"cloth_springs", static_cast<double>(different.size()), 0.0, "1",
                     fmt::format("springs missing or added, of the {} that \"{}\" has on this mesh",
                                 expected.size(), name_of(topology))});
}

}  // namespace

void verify_cloth(const ModelFile& model, const ModelAttributes& attributes,
                  VerifiedFigures& figures) {
  // Refuses masses, indices and constants out of range, and pairs with two springs.
  const ClothModel cloth = read_cloth_model(model);
  const std::string name = text_attribute(attributes, "/cloth.springs", "");
  const auto found = std::ranges::find(kSpringTopologies, name);
  if (found == kSpringTopologies.end()) {
    throw InputError(model.path().string(), "/cloth.springs", fmt::format("found \"{}\"", name),
                     "\"three-kinds\", \"choi-ko\", \"edges\" or \"fabric\"");
  }
  const auto topology = static_cast<SpringTopology>(found - kSpringTopologies.begin());
  verify_masses(cloth, topology,
                number_attribute(attributes, model.path(), "/cloth.areal_density_kg_m2"), figures);
  verify_rest_lengths(cloth, figures);
  verify_topology(cloth, topology, figures);
}

}  // namespace haptic
