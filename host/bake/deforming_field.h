#pragma once

#include <optional>
#include <vector>

#include "host/artifact/model_writer.h"
#include "host/bake/elastic_body.h"
#include "host/bake/recipe.h"
#include "host/bake/stages.h"
#include "host/field/contact_surface.h"
#include "host/field/distance_field_builder.h"
#include "host/sampling/proxy_builder.h"

namespace haptic {

/// What makes a field follow its body: proxies, and a rest field for each domain if there are more
/// than one.
struct DeformingField {
  FieldProxySamples proxies;
  std::vector<DistanceGrid> domains;
};

/// Stage "proxies" of a recipe with `field.proxies`; the result is whole on rank 0.
/// @param surface the one the field is of
/// @throws InputError if parts are asked of a surface in one piece
std::optional<DeformingField> make_deforming_field(const Recipe& recipe,
                                                   const ContactSurface& surface,
                                                   const StageDigest& surface_digest,
                                                   const ElasticBody* elastic,
                                                   const Stages& stages);

/// Sections /field/proxies and /field/domains.
void write_deforming_field(ModelWriter& writer, const DeformingField& field, std::uint64_t r);

}  // namespace haptic
