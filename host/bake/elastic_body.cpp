#include "host/bake/elastic_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/bake/modal_damping.h"
#include "host/bake/reduced_basis.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;
using RunOn = Stages::RunOn;
using ResultOn = Stages::ResultOn;

void embed_surface(const SourceSurface& source, const Stages& stages, ElasticBody& body,
                   const StageDigest& source_digest) {
  StageKey key("embedding");
  key.add(source_digest, body.solid_digest, body.basis_digest);
  auto embedded = stages.run<std::vector<float>>(
      "embedding", key, RunOn::kFirst, ResultOn::kFirst, [&](const Fraction&) {
        const std::vector<EmbeddedPoint> points = embed_points(body.solid, source.mesh.vertices);
        std::vector<float> basis(3 * source.mesh.vertices.size() * body.dimension);
        embed_basis(points, body.basis, body.dimension, std::span<float>(basis));
        const auto outside = std::count_if(points.begin(), points.end(),
                                           [](const EmbeddedPoint& p) { return !p.inside; });
        if (outside > 0) {
          stages.progress().note(
              fmt::format("{} of {} surface vertices lie outside the mesh and follow its "
                          "nearest element",
                          outside, points.size()));
        }
        return basis;
      });
  body.surface_basis = std::move(embedded.value);
}

}  // namespace

ElasticBody make_elastic_body(const Recipe& recipe, const BodyMesh& mesh,
                              const StageResult<SourceSurface>& source, const Stages& stages) {
  ElasticBody body;
  static_cast<BodyMesh&>(body) = mesh;
  BasisResult basis = make_reduced_basis(recipe, body, stages);
  body.dimension = static_cast<std::uint32_t>(basis.dimension);
  body.basis = std::move(basis.basis);
  body.basis_digest = basis.digest;
  body.eigenvalues = std::move(basis.eigenvalues);
  if (stages.ranks().first()) {
    body.damping = modal_damping(recipe, body.eigenvalues, stages.progress());
  }
  body.polynomials = make_polynomials(recipe, body.solid, body.solid_digest, body.groups,
                                      {body.basis, body.dimension}, body.basis_digest, stages);
  embed_surface(source.value, stages, body, source.digest);
  return body;
}

}  // namespace haptic
