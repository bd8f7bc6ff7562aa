#include "rt/bodies/condensed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kSingleSection = "/condensed/compliance/single";
constexpr std::string_view kDoubleSection = "/condensed/compliance/double";
/// Rounding of eight weights, which are products of three numbers.
constexpr double kWeightRounding = 1e-9;

[[noreturn]] void refuse_condensed(const ModelFile& model, std::string_view section,
                                   const std::string& found, std::string_view expected) {
  throw InputError(model.path().string(), section, found, expected);
}

ComplianceView read_compliance(const ModelFile& model) {
  const bool single = model.has(kSingleSection);
  if (!single && !model.has(kDoubleSection)) {
    refuse_condensed(model, "/condensed/compliance", "missing",
                     "the model of a recipe with [condensed]");
  }
  const std::string_view name = single ? kSingleSection : kDoubleSection;
  ComplianceView view;
  view.dof = model.section(name).shape[0];
  if (single) {
    view.single = model.floats(name);
  } else {
    view.full = model.doubles(name);
  }
  if (view.dof == 0) refuse_condensed(model, name, "found no degree of freedom", "at least one");
  for (std::size_t i = 0; i < view.dof; ++i) {
    const std::size_t at = i * (view.dof + 1);
    const double value = single ? static_cast<double>(view.single[at]) : view.full[at];
    if (!(value > 0.0)) {
      refuse_condensed(model, name, fmt::format("found {} m/N on the diagonal at row {}", value, i),
                       "numbers > 0");
    }
  }
  return view;
}

void require_nodes(const ModelFile& model) {
  const std::string_view name = "/condensed/nodes";
  const std::span<const std::uint32_t> nodes = model.indices(name);
  const std::span<const std::uint32_t> fixed = model.indices("/mesh/fixed");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && nodes[i] <= nodes[i - 1]) {
      refuse_condensed(model, name, fmt::format("found {} after {}", nodes[i], nodes[i - 1]),
                       "ascending vertices");
    }
    if (std::ranges::binary_search(fixed, nodes[i])) {
      refuse_condensed(model, name, fmt::format("found the fixed vertex {}", nodes[i]),
                       "free vertices");
    }
  }
}

void require_eigenvalues(const ModelFile& model, std::span<const double> eigenvalues) {
  const std::string_view name = "/condensed/eigenvalues";
  if (eigenvalues.empty()) refuse_condensed(model, name, "found no mode", "at least one");
  double last = 0.0;
  for (const double value : eigenvalues) {
    if (!(value > 0.0) || value < last) {
      refuse_condensed(model, name, fmt::format("found {} after {}", value, last),
                       "ascending numbers > 0 [s^-2]");
    }
    last = value;
  }
}

RayleighDamping read_condensed_damping(const ModelFile& model) {
  const std::span<const double> values = model.doubles("/condensed/damping");
  if (!(values[0] >= 0.0) || !(values[1] >= 0.0)) {
    refuse_condensed(model, "/condensed/damping", fmt::format("found {}, {}", values[0], values[1]),
                     "two numbers >= 0");
  }
  return {values[0], values[1]};
}

void require_weights(const ModelFile& model, std::span<const double> weights) {
  for (std::size_t v = 0; v < weights.size(); v += CondensedModel::kCorners) {
    double sum = 0.0;
    for (std::size_t c = 0; c < CondensedModel::kCorners; ++c) sum += weights[v + c];
    if (!(std::abs(sum - 1.0) <= kWeightRounding)) {
      refuse_condensed(
          model, "/condensed/embedding/weights",
          fmt::format("found the sum {} of surface vertex {}", sum, v / CondensedModel::kCorners),
          "1");
    }
  }
}

}  // namespace

CondensedModel read_condensed_model(const ModelFile& model) {
  CondensedModel condensed;
  condensed.compliance = read_compliance(model);
  require_nodes(model);
  condensed.modes = model.doubles("/condensed/modes");
  condensed.eigenvalues = model.doubles("/condensed/eigenvalues");
  require_eigenvalues(model, condensed.eigenvalues);
  condensed.mode_count = condensed.eigenvalues.size();
  condensed.damping = read_condensed_damping(model);
  condensed.vertices = model.doubles("/surface/vertices");
  condensed.triangles = model.indices("/surface/triangles");
  condensed.embedding_nodes = model.indices("/condensed/embedding/nodes");
  condensed.embedding_weights = model.doubles("/condensed/embedding/weights");
  require_weights(model, condensed.embedding_weights);
  return condensed;
}

}  // namespace haptic
