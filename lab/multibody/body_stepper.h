#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rt/bodies/free_body.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_world.h"
#include "shared/math/pose.h"

namespace haptic {

/// The free rigid bodies of a scene, advanced by one method; the other bodies do not move. For
/// comparing methods over the same bodies and the same contact search.
class BodyStepper {
 public:
  /// Of the last step.
  struct Report {
    double search_seconds = 0.0;  ///< finding contacts
    double solve_seconds = 0.0;   ///< forces, system and motion
    std::uint32_t contacts = 0;   ///< points inside another body at the start of the step
  };

  virtual ~BodyStepper() = default;
  /// @returns false if the method cannot go on: a state is not finite or turns by more than a
  ///          radian in the step
  [[nodiscard]] virtual bool step() = 0;
  virtual Report report() const = 0;
  /// World poses, one per body of the scene.
  virtual std::span<const Pose> poses() const = 0;
  /// Kinetic energy and that of gravity, of all free bodies [J].
  virtual double energy() const = 0;

 protected:
  static double seconds_since(std::chrono::steady_clock::time_point start);
};

/// The implicit step of SolidsWorld.
class ImplicitStepper final : public BodyStepper {
 public:
  /// @throws InputError as SolidsWorld
  explicit ImplicitStepper(const Scene& scene) : world_(scene, &clock_) {}

  bool step() override;
  Report report() const override { return report_; }
  std::span<const Pose> poses() const override { return world_.poses(); }
  double energy() const override;
  const solids::SolidsWorld& world() const { return world_; }

 private:
  MonotonicClock clock_;
  solids::SolidsWorld world_;
  Report report_;
};

/// Symplectic Euler with the contact forces of the start of the step: momenta by these forces, then
/// positions by the new momenta (Xu, Zhao & Barbic 2014, section 6). The contact law, friction and
/// damping included, is that of the scene; between its contacts a body turns as FreeBody does.
class ExplicitStepper final : public BodyStepper {
 public:
  /// @throws InputError as SolidsWorld, or if a free body deforms
  explicit ExplicitStepper(const Scene& scene);

  bool step() override;
  Report report() const override { return report_; }
  std::span<const Pose> poses() const override { return poses_; }
  double energy() const override;

 private:
  void add_force(std::size_t body, const Vector3& at, const Vector3& force);

  solids::SolidsWorld world_;                    // models and contact search
  std::vector<std::unique_ptr<FreeBody>> free_;  // per body; nullptr: does not move
  std::vector<Wrench> wrenches_;                 // per body, about the centre of mass
  std::vector<BodyMotion> motions_;
  std::vector<Pose> poses_;
  Report report_;
};

}  // namespace haptic
