#pragma once

#include <memory>
#include <vector>

#include "rt/worlds/scene_tables.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {

// Readers of the scene-file tables of a world of solids. Each throws InputError as load_scene does.

/// Reads [[contact]] and [dynamics]. @param core  the scene without these settings
std::shared_ptr<const WorldSettings> read_solids(const TomlTable& root, const Scene& core);

/// @param earlier  the contacts before this one
SceneContact read_contact(const TomlTable& table, const Scene& core,
                          const std::vector<SceneContact>& earlier);
/// Reads a table with `among = "free"` and adds a contact for every pair of bodies of which one is
/// free and which no contact names: the points are on the free body, of two on the later one.
/// @param contacts  all contacts that name their bodies
void add_contacts_among(const TomlTable& table, const Scene& core,
                        std::vector<SceneContact>& contacts);
BodyDynamics read_dynamics(const TomlTable& table);

}  // namespace haptic
