#include "rt/geometry/model_field.h"

#include <fmt/format.h>

#include <vector>

#include "rt/geometry/deformed_field.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/sparse_field.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The first `kept` numbers of each row of `r`.
std::vector<double> leading_columns(std::span<const double> rows, std::uint32_t r,
                                    std::uint32_t kept) {
  std::vector<double> leading;
  leading.reserve(rows.size() / r * kept);
  for (std::size_t row = 0; row < rows.size(); row += r) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row);
    leading.insert(leading.end(), first, first + kept);
  }
  return leading;
}

std::vector<DistanceField> rest_fields(const ModelFile& model) {
  std::vector<DistanceField> fields;
  if (!model.has("/field/domains/values")) {
    fields.emplace_back(model);
    return fields;
  }
  constexpr std::string_view kDomainValues = "/field/domains/values";
  const std::span<const float> values = model.floats(kDomainValues);
  const std::span<const double> frames = model.doubles("/field/domains/frame");
  const std::size_t domains = frames.size() / 5;
  if (domains == 0 || values.size() % domains != 0) {
    throw InputError(model.path().string(), kDomainValues,
                     fmt::format("found {} values", values.size()),
                     fmt::format("as many for each of {} domains", domains));
  }
  const std::size_t each = values.size() / domains;
  for (std::size_t d = 0; d < domains; ++d) {
    fields.emplace_back(values.subspan(d * each, each), frames.subspan(5 * d, 5),
                        model.path().string());
  }
  return fields;
}

std::unique_ptr<SignedField> deformed_field(const ModelFile& model, std::uint32_t kept) {
  const std::uint32_t r = model.reduced_dimension();
  const auto displacement = leading_columns(model.doubles("/field/proxies/displacement"), r, kept);
  const auto gradients = leading_columns(model.doubles("/field/proxies/gradients"), r, kept);
  ProxyData proxies;
  proxies.dimension = kept;
  proxies.points = model.doubles("/field/proxies/points");
  proxies.displacement = displacement;
  proxies.gradients = gradients;
  if (model.has("/field/proxies/domain")) proxies.domain = model.indices("/field/proxies/domain");
  return std::make_unique<DeformedField>(rest_fields(model), proxies, ProxyForce::kNearest,
                                         model.path().string());
}

}  // namespace

std::unique_ptr<SignedField> make_field(const ModelFile& model, std::uint32_t kept) {
  if (kept > 0 && model.has("/field/proxies/points")) return deformed_field(model, kept);
  if (model.has("/field/values")) return std::make_unique<DistanceField>(model);
  if (model.has("/field/sparse")) return std::make_unique<SparseField>(model);
  return nullptr;
}

}  // namespace haptic
