#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rt/bodies/body_dynamics.h"
#include "rt/contact/contact_settings.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/joint.h"
#include "rt/worlds/world_kind.h"

namespace haptic::solids {

struct SceneContact {
  std::size_t points = 0;  ///< index of the body that carries the shell
  std::size_t field = 0;   ///< index of the body that carries the field
  ContactSettings settings{};
  /// Absent: kNone with a free body, otherwise kPublished.
  std::optional<ContactScaling> scaling{};
  bool area_weights = false;          ///< weights of the points from /shell/weights of their model
  std::optional<double> budget_us{};  ///< time of one touch [us]; absent: node limit of `settings`
  bool continuous = false;            ///< continuous collision detection (swept_step.h)
  std::optional<ContactGradient> gradient{};  ///< absent: that of the coupling
  /// Absent: kField for a free body against a rigid field, and where the field is smoother than the
  /// points, both with the contact forces of a step's end; otherwise kShell.
  std::optional<ContactNormals> normals{};
  /// Speed after an impact over that before, 0..1; only of two rigid bodies that the hand does not
  /// hold. Absent: that of the springs of the points.
  std::optional<double> restitution{};
  /// Arms of the torques against rolling on each other, and against turning about the normal, per
  /// normal force [m], >= 0; only of rigid bodies.
  double rolling_friction = 0.0, spinning_friction = 0.0;
};

struct SceneJoint {
  static constexpr std::size_t kWorld = ~std::size_t{0};
  std::string name;
  /// Indices of bodies, of which one may be kWorld; one of them moves.
  std::size_t first = kWorld, second = kWorld;
  JointSettings settings{};
};

/// Scene settings of a world of solids: [[contact]], [[joint]] and [dynamics]
/// (docs/contact.md, docs/dynamics.md).
///
/// A contact needs the held body, a free or a deformable one.
class SolidsSettings final : public WorldSettings {
 public:
  std::vector<SceneContact> contacts;
  std::vector<SceneJoint> joints;
  BodyDynamics dynamics;
};

/// The settings of a scene of solids. @pre the scene has such settings
const SolidsSettings& solids_settings(const Scene& scene);

/// For a program that changes a scene before its world is built. The scene gets a new copy of its
/// settings, or the defaults if it has none; other copies of the scene do not change.
/// @returns the new copy, valid until the next call for this scene
SolidsSettings& edit_solids(Scene& scene);

}  // namespace haptic::solids
