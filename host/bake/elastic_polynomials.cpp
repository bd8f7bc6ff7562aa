#include "host/bake/reduced_basis.h"

namespace haptic {

void make_polynomials(const Recipe& recipe, ElasticBody& body, const Stages& stages) {
  StageKey key("polynomials");
  key.add(body.solid_digest, body.basis_digest, body.groups, recipe.editable);
  for (const MaterialGroupRecipe& group : recipe.groups) {
    const ElasticityMatrix C = group.material.elasticity();
    key.add(group.material.is_isotropic(), C);
  }
  auto polynomials = stages.run<ReducedPolynomials>(
      "polynomials", key, Stages::Who::kFirst, Stages::Whose::kFirst,
      [&](const Stages::Fraction& fraction) {
        PolynomialSettings settings;
        settings.progress = fraction;
        return reduced_polynomials({.vertices = body.solid.vertices,
                                    .elements = body.solid.elements,
                                    .basis = body.basis,
                                    .dimension = body.dimension,
                                    .material = recipe.groups.front().material.lame()},
                                   settings);
      });
  body.polynomials = std::move(polynomials.value);
}

}  // namespace haptic
