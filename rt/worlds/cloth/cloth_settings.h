#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/scene.h"
#include "rt/worlds/world_kind.h"
#include "shared/math/pose.h"

namespace haptic::cloth {

/// How the cloth of a scene is advanced in time (docs/methods/cloth.md, "Integrators").
enum class ClothMethod : std::uint8_t {
  kImplicitEuler,
  kAdaptiveImex,
  kImexEuler,
  kBackwardDifference2,
  kFilteredForces,
  kNeighbours,
  kEuler,
  kMidpoint,
  kRungeKutta4,
  kVerlet,
  kVelocityVerlet,
  kLeapfrog,
};

/// Values of cloth.integrator in the order of ClothMethod.
inline constexpr std::array<std::string_view, 12> kClothMethods = {
    "implicit-euler", "adaptive-imex", "imex-euler", "bdf2",   "filtered-forces", "neighbours",
    "euler",          "midpoint",      "rk4",        "verlet", "velocity-verlet", "leapfrog"};

/// What particles of a cloth may not do: a table [[constraint]].
struct SceneClothConstraint {
  enum class Kind : std::uint8_t { kPin, kPlane, kLine, kSphere, kFollow };
  Kind kind = Kind::kPin;
  std::vector<std::uint32_t> particles;  ///< by number
  std::string set;                       ///< of a grid: "corners", "left", "top-corners", ...
  struct Box {
    Vector3 low, high;
  };
  std::optional<Box> within;  ///< particles in this box at rest, model frame [m]
  /// Normal of the plane or direction of the line, of unit length, world.
  Vector3 direction = Vector3::UnitY();
  Vector3 centre = Vector3::Zero();  ///< of the sphere, world [m]
  /// Of what is followed: x + amplitude sin(2 pi frequency t), world [m], [Hz].
  Vector3 amplitude = Vector3::Zero();
  double frequency = 0.0;
  std::string key;  ///< of the table, for messages: "constraint[0]"
};

/// A body in whose lee there is no wind: a table [[wind_shadow]].
struct SceneWindShadow {
  std::string name;
  std::size_t body = 0;  ///< index in Scene::bodies
};

/// The tables [cloth], [[constraint]], [contact] and [touch] of a scene with world = "cloth"
/// (docs/cloth.md).
class ClothSettings final : public WorldSettings {
 public:
  static constexpr std::size_t kMaxParticles = 100'000;
  static constexpr std::size_t kMaxContacts = 16'384;
  static constexpr double kMaxFoundation = 1e13;  // N/m^3
  static constexpr double kMaxFriction = 100.0;
  static constexpr double kMaxStiffness = 1e9;    ///< N/m
  static constexpr double kMaxDrag = 1e3;         ///< kg/s
  static constexpr double kMaxDragPerArea = 1e6;  ///< N s/m^3
  static constexpr double kMaxAirSpeed = 100.0;   ///< m/s

  std::string body_name;  ///< empty: the only anchored body with a model
  std::size_t body = 0;   ///< index of the cloth in Scene::bodies

  ClothMethod method = ClothMethod::kImplicitEuler;
  std::uint32_t substeps = 1;
  std::uint32_t iterations = 30;  ///< most of the linear solver in a pass
  std::uint32_t passes = 6;       ///< most solutions of a substep for changing contacts
  double tolerance = 1e-2;        ///< relative residual at which it ends
  /// Largest difference of a step of a Runge-Kutta method from two halves [m]; absent: no control.
  std::optional<double> step_tolerance;

  double drag = 0.0;           ///< kg/s of each particle
  double drag_per_area = 0.0;  ///< N s/m^3, besides
  Vector3 wind = Vector3::Zero();
  double wind_pressure = 0.6;  ///< half the density of air times a coefficient of 1 [kg/m^3]
  std::vector<SceneWindShadow> wind_shadows;
  Vector3 gust = Vector3::Zero();
  double gust_coefficient = 1e-4, gust_period = 3.0;  ///< kg/s, s
  double gust_per_area = 0.0;                         ///< N s/m^3, besides

  std::optional<double> strain_limit;  ///< s_max - 1
  double strain_least = 0.0;           ///< s_min
  std::uint32_t strain_sweeps = 4;
  bool strain_ordered = false;  ///< the most stretched springs first

  double thickness = 2e-3;  ///< of the cloth [m]
  bool self_contact = true;

  double contact_stiffness = 500.0;  ///< N/m of each point of contact, or
  bool contact_foundation = false;   ///< N/m^3, by the area of each
  double contact_friction = 0.3;
  std::size_t contact_capacity = 2048;

  enum class Hand : std::uint8_t { kPoint, kTool };
  Hand hand = Hand::kTool;
  enum class Shading : std::uint8_t { kNone, kInterpolated, kSubProxy };
  Shading shading = Shading::kNone;
  double touch_radius = 1e-4;  ///< of the point [m]
  double touch_friction = 0.3;
  std::optional<std::int64_t> grab_button;  ///< bit of the device's buttons
  double grab_reach = 0.02;                 ///< m
  /// Grabs after it has pressed with this force [N] for grab_s; absent: by the button alone.
  std::optional<double> grab_force;
  double grab_s = 0.3;
  double slip_force = 6.0;  ///< N, at which what was grabbed by force slips out

  std::vector<SceneClothConstraint> constraints;

  bool is_explicit() const { return method >= ClothMethod::kEuler; }
  /// Whether a step solves a linear system, which has the air and the bending of a fabric.
  bool has_solver() const {
    return method == ClothMethod::kImplicitEuler || method == ClothMethod::kAdaptiveImex ||
           method == ClothMethod::kBackwardDifference2;
  }
  bool implicit_contact() const { return method == ClothMethod::kImplicitEuler; }
};

/// The settings of a scene of this kind. @pre the scene has such settings
const ClothSettings& cloth_settings(const Scene& scene);

/// For a program that changes a scene before its world is built, as edit_solids.
ClothSettings& edit_cloth(Scene& scene);

}  // namespace haptic::cloth
