#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rt/worlds/condensed/modal_step.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world_kind.h"
#include "shared/math/pose.h"

namespace haptic::condensed {

/// The tables [condensed] and [contact] of a scene with world = "condensed" (docs/condensed.md).
class CondensedSettings final : public WorldSettings {
 public:
  /// How statics and modes act on each other.
  enum class Coupling : std::uint8_t {
    kMultipliers,  ///< both are solved together: stable at any step ("multipliers")
    kStatics,      ///< forces of the statics drive the modes in the next step ("statics")
  };
  static constexpr double kMaxFriction = 100.0;
  static constexpr std::size_t kMaxContacts = 512;

  Coupling coupling = Coupling::kMultipliers;
  ModalIntegrator integrator = ModalIntegrator::kExact;
  std::optional<std::uint32_t> modes{};  ///< absent: all of the model
  bool corotated = false;                ///< nodes turn with the modes (CorotatedShape)
  double release_s = 0.0;                ///< time constant of the statics after a release [s]

  std::vector<Vector3> points;        ///< of a stylus, frame of the held body [m]; empty: its field
  bool stick = false;                 ///< contacts do not slide, whatever the force
  double friction = 0.5;              ///< Coulomb's coefficient, without `stick`
  std::optional<double> viscosity{};  ///< of sliding below the friction limit [N s/m]; absent: none
  std::size_t capacity = 64;          ///< of contacts

  std::size_t body = 0;  ///< index of the condensed body in Scene::bodies
};

/// The settings of a scene of this kind. @pre the scene has such settings
const CondensedSettings& condensed_settings(const Scene& scene);

/// For a program that changes a scene before its world is built, as edit_solids.
CondensedSettings& edit_condensed(Scene& scene);

}  // namespace haptic::condensed
