#include "rt/worlds/solids/solids_changed_defaults.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rt/worlds/changed_coupling.h"
#include "rt/worlds/solids/implicit_step.h"

namespace haptic::solids {
namespace {

const SceneBody* body_of(const Scene& scene, const TomlTable& contact, std::string_view key) {
  if (!contact.has(key)) return nullptr;
  const auto body = std::ranges::find(scene.bodies, contact.text(key), &SceneBody::name);
  return body == scene.bodies.end() ? nullptr : &*body;
}

/// Whether a [[contact]] without `key` satisfies `holds`.
template <class Condition>
bool any_contact_without(const TomlTable& root, std::string_view key, Condition holds) {
  return std::ranges::any_of(root.tables("contact"), [&](const TomlTable& contact) {
    return !contact.has(key) && holds(contact);
  });
}

bool untyped_static_damping(const Scene& scene, const TomlTable& root) {
  return ImplicitStep::chosen_by(scene) && lacks_static_damping(scene, root);
}

bool untyped_scaling_of_free_bodies(const Scene& scene, const TomlTable& root) {
  const auto is_free = [&](const TomlTable& contact, const char* key) {
    const SceneBody* const body = body_of(scene, contact, key);
    return body != nullptr && body->role == BodyRole::kFree;
  };
  return any_contact_without(root, "scaling", [&](const TomlTable& contact) {
    // Some keys decide the scaling, or leave none to choose.
    if (contact.has("scaling_count") || contact.has("wall") || contact.has("foundation"))
      return false;
    return contact.has("among") || is_free(contact, "points") || is_free(contact, "field");
  });
}

/// Contacts with a free body had the field's normals before.
bool untyped_normals(const Scene& scene, const TomlTable& root) {
  if (!ImplicitStep::chosen_by(scene)) return false;
  return any_contact_without(root, "normals", [&](const TomlTable& contact) {
    const SceneBody *const points = body_of(scene, contact, "points"), *const field = body_of(
                                                                           scene, contact, "field");
    return points != nullptr && field != nullptr && points->role != BodyRole::kFree &&
           field->role != BodyRole::kFree;
  });
}

bool untyped_plateau(const Scene& scene, const TomlTable& root) {
  if (!ImplicitStep::chosen_by(scene) || !lacks_coupling_key(root, "permitted_depth")) return false;
  return std::ranges::any_of(root.tables("contact"), [&](const TomlTable& contact) {
    for (const char* key : {"points", "field"}) {
      const SceneBody* const body = body_of(scene, contact, key);
      if (body != nullptr && body->role == BodyRole::kHeld) return true;
    }
    return contact.has("among");
  });
}

constexpr ChangedDefault kChanges[] = {
    changed_static_damping(untyped_static_damping),
    {2, "contact[].scaling", "scaling = \"published\"", "\"none\" for a free body",
     "bodies come to rest and are pushed by each of their points", untyped_scaling_of_free_bodies},
    {2, "contact[].normals", "normals = \"shell\"",
     "\"field\" where the field is smoother than the points",
     "contact forces act along the gradient of the field, so that edges do not push sideways",
     untyped_normals},
    {2, "coupling.permitted_depth",
     "permitted_depth = D, D half of the greatest depth of the field that the held body touches or "
     "carries",
     "that of limits.force", "bodies get the force that the hand feels, up to limits.force",
     untyped_plateau},
};

}  // namespace

std::span<const ChangedDefault> solids_changed_defaults() {
  return kChanges;
}

}  // namespace haptic::solids
