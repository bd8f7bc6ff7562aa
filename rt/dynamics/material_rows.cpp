#include "rt/dynamics/material_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/truncation.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Relative tolerance: the bake writes rows in double, so their sum differs from the total by
/// rounding only.
constexpr double kAddUp = 1e-6;

using Values = std::span<const double>;

AlignedVector<double> row_of(std::uint32_t r, std::uint32_t kept, Values quadratic, Values cubic,
                             Values quartic) {
  return ReducedEnergy::layout(kept, leading_entries(quadratic, r, 2, kept),
                               leading_entries(cubic, r, 3, kept),
                               leading_entries(quartic, r, 4, kept));
}

/// Largest difference of sum_g w_g rows_g from `whole`, over the largest of `whole`.
template <class Row>
double disagreement(const std::vector<Row>& rows, Values weights, Values whole) {
  double difference = 0.0, size = 0.0;
  for (std::size_t t = 0; t < whole.size(); ++t) {
    double sum = 0.0;
    for (std::size_t g = 0; g < rows.size(); ++g) sum += weights[g] * rows[g][t];
    difference = std::max(difference, std::abs(sum - whole[t]));
    size = std::max(size, std::abs(whole[t]));
  }
  return difference / size;
}

void require_sum(const ModelFile& model, std::string_view section, double disagreement) {
  if (disagreement <= kAddUp) return;
  throw InputError(model.path().string(), section,
                   fmt::format("found groups that differ from the whole by {:.2g}", disagreement),
                   fmt::format("at most {:g} of it; bake the model again", kAddUp));
}

}  // namespace

std::vector<MaterialRows::Group> MaterialRows::groups_of(const ModelFile& model) {
  if (!model.has("/reduced/groups/quadratic")) return {};
  const std::uint32_t count = model.material_groups();
  const Values lame = model.doubles("/material/lame"), density = model.doubles("/material/density");
  std::vector<Group> groups(count);
  for (std::uint32_t g = 0; g < count; ++g) {
    groups[g] = {fmt::format("{}", g), lame[2 * g], lame[2 * g + 1], density[g]};
    if (!model.has("/material/names")) continue;
    const auto name = model.bytes("/material/names").subspan(std::size_t{32} * g, 32);
    const auto end = std::find(name.begin(), name.end(), 0);
    if (end != name.begin()) groups[g].name.assign(name.begin(), end);
  }
  return groups;
}

MaterialRows MaterialRows::of_model(const ModelFile& model, std::uint32_t kept) {
  const std::uint32_t r = model.reduced_dimension();
  MaterialRows rows;
  rows.dimension = kept;
  AlignedVector<double> whole =
      row_of(r, kept, model.doubles("/reduced/quadratic"), model.doubles("/reduced/cubic"),
             model.doubles("/reduced/quartic"));
  rows.groups = groups_of(model);
  if (rows.groups.empty()) {
    rows.energy.push_back(std::move(whole));
    return rows;
  }
  const Values quadratic = model.doubles("/reduced/groups/quadratic"),
               cubic = model.doubles("/reduced/groups/cubic"),
               quartic = model.doubles("/reduced/groups/quartic"),
               mass = model.doubles("/reduced/groups/mass");
  const std::size_t n2 = distinct_count(r, 2), n3 = distinct_count(r, 3), n4 = distinct_count(r, 4);
  std::vector<double> weights, densities;
  for (std::size_t g = 0; g < rows.groups.size(); ++g) {
    for (std::size_t row = 2 * g; row < 2 * g + 2; ++row) {
      rows.energy.push_back(row_of(r, kept, quadratic.subspan(row * n2, n2),
                                   cubic.subspan(row * n3, n3), quartic.subspan(row * n4, n4)));
    }
    const Group& group = rows.groups[g];
    weights.push_back(group.anisotropic() ? 1.0 : group.lambda);
    weights.push_back(group.mu);
    densities.push_back(group.density);
    const std::vector<double> packed = leading_entries(mass.subspan(g * n2, n2), r, 2, kept);
    std::vector<double>& full = rows.mass.emplace_back(std::size_t{kept} * kept);
    std::size_t at = 0;
    for (std::size_t i = 0; i < kept; ++i) {
      for (std::size_t j = i; j < kept; ++j) full[i * kept + j] = full[j * kept + i] = packed[at++];
    }
  }
  require_sum(model, "/reduced/groups/quartic", disagreement(rows.energy, weights, whole));
  std::vector<double> identity(std::size_t{kept} * kept, 0.0);
  for (std::size_t i = 0; i < kept; ++i) identity[i * kept + i] = 1.0;
  require_sum(model, "/reduced/groups/mass", disagreement(rows.mass, densities, identity));
  return rows;
}

}  // namespace haptic
