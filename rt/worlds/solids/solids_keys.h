#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/solids/solids_settings.h"
#include "shared/config/key_schema.h"

namespace haptic::solids {

/// A table [[contact]]: of two named bodies, or of all pairs with a free one.
struct ContactTable {
  ContactTable() { contact.settings.traversal.temporal_coherence = true; }

  bool has_known_stiffness() const { return foundation || contact.settings.wall > 0.0; }
  bool has_budget() const {
    return contact.budget_us || contact.settings.traversal.degradation.warm_nodes > 0;
  }

  bool among = false;  ///< of all pairs
  bool two_way = false;
  std::string points, field;              ///< names of bodies
  std::optional<double> foundation = {};  ///< N/m^3
  double fade_s = 0.02;                   ///< of a change of levels
  SceneContact contact = {};              ///< without its bodies
};

/// A table [[joint]].
struct JointTable {
  std::array<std::string, 2> bodies;           ///< names
  std::array<double, 2> limits = {-1e3, 1e3};  ///< least and greatest target [rad or m]
  SceneJoint joint = {};                       ///< without its bodies
};

/// The tables [[contact]], [[joint]] and [dynamics] of a scene (docs/contact.md, docs/dynamics.md).
struct SolidsTables {
  std::vector<ContactTable> contacts;
  std::vector<JointTable> joints;
  BodyDynamics dynamics;
};

const KeySchema<SolidsTables>& solids_keys();
const KeySchema<ContactTable>& contact_keys();
const KeySchema<JointTable>& joint_keys();
const KeySchema<BodyDynamics>& dynamics_keys();

// The functions that follow find what tables refer to in the rest of the scene. Each throws
// InputError as load_scene does; `table` is where it was read.

/// Reads what a scene of solids has besides the core.
std::shared_ptr<const WorldSettings> read_solids(const TomlTable& root, const Scene& core);

/// Index of the body that a key names. @param name  the value of the key, or one of its values
std::size_t body_named(const TomlTable& table, std::string_view key, const std::string& name,
                       const std::vector<SceneBody>& bodies);

/// The contact of two named bodies. @param earlier  the contacts before this one
SceneContact named_contact(const TomlTable& table, const ContactTable& read, const Scene& core,
                           const std::vector<SceneContact>& earlier);

/// Adds a contact for every pair of bodies of which one is free and which no contact names and no
/// joint connects: the points are on the free body, of two on the later one.
/// @param pools     whether pairs share workspaces: more of them are allowed
/// @param contacts  all contacts that name their bodies
void add_contacts_among(const TomlTable& table, const ContactTable& read, const Scene& core,
                        const std::vector<SceneJoint>& joints, bool pools,
                        std::vector<SceneContact>& contacts);

/// @param earlier  the joints before this one
SceneJoint joint_of(const TomlTable& table, const JointTable& read, const Scene& core,
                    const std::vector<SceneJoint>& earlier);

}  // namespace haptic::solids
