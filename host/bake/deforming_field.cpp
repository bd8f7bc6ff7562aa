#include "host/bake/deforming_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/bake/stage_results.h"
#include "host/field/surface_parts.h"
#include "shared/error.h"

namespace haptic {

template <class Archive>
void archive(Archive& a, DeformingField& f) {
  a(f.proxies.points, f.proxies.displacement, f.proxies.gradients, f.proxies.domain, f.domains);
}

namespace {

using Fraction = Stages::Fraction;
using RunOn = Stages::RunOn;
using ResultOn = Stages::ResultOn;

DeformingField build(const Recipe& recipe, const TriangleMesh& mesh, const ElasticBody& elastic,
                     const Fraction& fraction) {
  std::vector<TriangleMesh> domains = {mesh};
  if (recipe.field_proxies->domains == FieldDomains::kParts) {
    domains = split_parts(mesh);
    if (domains.size() == 1) {
      throw InputError("field", "domains", "found a surface in one piece",
                       "several parts, or no domains");
    }
  }
  DeformingField field;
  field.proxies = build_field_proxies(
      domains, recipe.field_proxies->count,
      [&](std::span<const Vector3> points) { return embed_points(elastic.solid, points); },
      elastic.basis, elastic.dimension);
  if (domains.size() == 1) return field;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    field.domains.push_back(
        build_distance_field(SurfaceDistance(domains[d]), *recipe.field, [&](double done) {
          fraction((static_cast<double>(d) + done) / static_cast<double>(domains.size()));
        }));
  }
  return field;
}

}  // namespace

std::optional<DeformingField> make_deforming_field(const Recipe& recipe,
                                                   const ContactSurface& surface,
                                                   const StageDigest& surface_digest,
                                                   const ElasticBody* elastic,
                                                   const Stages& stages) {
  if (!recipe.field_proxies || elastic == nullptr) return std::nullopt;
  auto made = stages.run<DeformingField>(
      "proxies",
      StageKey("proxies").add(surface_digest, elastic->solid_digest, elastic->basis_digest,
                              recipe.field_proxies->count, recipe.field_proxies->domains,
                              recipe.field->resolution, recipe.field->expansion),
      RunOn::kFirst, ResultOn::kFirst, [&](const Fraction& fraction) {
        DeformingField field = build(recipe, surface.mesh, *elastic, fraction);
        stages.progress().note(fmt::format(
            "{} proxies, {} domain{}", field.proxies.points.size() / 3,
            std::max<std::size_t>(field.domains.size(), 1), field.domains.empty() ? "" : "s"));
        return field;
      });
  return std::move(made.value);
}

void write_deforming_field(ModelWriter& writer, const DeformingField& field, std::uint64_t r) {
  const FieldProxySamples& proxies = field.proxies;
  const std::uint64_t P = proxies.points.size() / 3;
  const auto doubles = [](const std::vector<double>& v) { return std::span<const double>(v); };
  writer.add("/field/proxies/points", doubles(proxies.points), {P, 3});
  writer.add("/field/proxies/displacement", doubles(proxies.displacement), {P, 3, r});
  writer.add("/field/proxies/gradients", doubles(proxies.gradients), {P, 9, r});
  if (field.domains.empty()) return;
  writer.add("/field/proxies/domain", std::span<const std::uint32_t>(proxies.domain), {P});
  std::vector<float> values;
  std::vector<double> frames;
  for (const DistanceGrid& domain : field.domains) {
    values.insert(values.end(), domain.values.begin(), domain.values.end());
    const std::array<double, 5> frame = domain.frame();
    frames.insert(frames.end(), frame.begin(), frame.end());
  }
  const std::uint64_t D = field.domains.size(), side = field.domains.front().resolution + 1;
  writer.add("/field/domains/values", std::span<const float>(values), {D * side, side, side});
  writer.add("/field/domains/frame", doubles(frames), {D, 5});
}

}  // namespace haptic
