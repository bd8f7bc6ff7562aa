#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/scene_tables.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic::solids {

// Readers of the scene-file tables of a world of solids. Each throws InputError as load_scene does.

/// Reads [[contact]], [[joint]] and [dynamics]. @param core  the scene without these settings
std::shared_ptr<const WorldSettings> read_solids(const TomlTable& root, const Scene& core);

/// Index of the body that a key names. @param name  the value of the key, or one of its values
std::size_t body_named(const TomlTable& table, std::string_view key, const std::string& name,
                       const std::vector<SceneBody>& bodies);
/// @param earlier  the contacts before this one
SceneContact read_contact(const TomlTable& table, const Scene& core,
                          const std::vector<SceneContact>& earlier);
/// Reads a table with `among = "free"` and adds a contact for every pair of bodies of which one is
/// free and which no contact names and no joint connects: the points are on the free body, of two
/// on the later one.
/// @param pools     whether pairs share workspaces: more of them are allowed
/// @param contacts  all contacts that name their bodies
void add_contacts_among(const TomlTable& table, const Scene& core,
                        const std::vector<SceneJoint>& joints, bool pools,
                        std::vector<SceneContact>& contacts);
/// @param earlier  the joints before this one
SceneJoint read_joint(const TomlTable& table, const Scene& core,
                      const std::vector<SceneJoint>& earlier);
BodyDynamics read_dynamics(const TomlTable& table);

}  // namespace haptic::solids
