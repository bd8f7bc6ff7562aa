#pragma once

#include <optional>

#include "rt/bodies/body_model.h"
#include "rt/contact/contact_law.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic::solids {

/// Whether one of the bodies of a contact is free.
bool has_free(const Scene& scene, const SceneContact& contact);

/// Stiffness of the whole contact [N/m], or of a typical part of a foundation; no value where the
/// stiffness of a point is typed.
std::optional<double> whole_stiffness(const ContactSettings& settings, const BodyModel& points);

/// ContactSet::Pair::thick_wall.
double thick_wall(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                  const BodyModel& field);

/// Direction of the contact forces of a pair: as the scene says, else its default (docs/contact.md,
/// "Contact law"). @throws InputError if those of the field are typed and would not be exact
ContactNormals normals_of(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                          const BodyModel& field, bool implicit);

}  // namespace haptic::solids
