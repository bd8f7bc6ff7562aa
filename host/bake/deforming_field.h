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

/// Data by which a field follows its deforming body: proxies, and one rest field per domain if
/// there are several domains.
struct DeformingField {
  FieldProxySamples proxies;
  std::vector<DistanceGrid> domains;
};

/// Stage "proxies" of a recipe with `field.proxies`; the complete result is on rank 0.
/// @param surface the surface of the field
/// @throws InputError if the domains are parts but the surface is in one piece
std::optional<DeformingField> make_deforming_field(const Recipe& recipe,
                                                   const ContactSurface& surface,
                                                   const StageDigest& surface_digest,
                                                   const ElasticBody* elastic,
                                                   const Stages& stages);

/// Sections /field/proxies and /field/domains.
void write_deforming_field(ModelWriter& writer, const DeformingField& field, std::uint64_t r);

}  // namespace haptic
