#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/contact/contact_solver.h"
#include "rt/worlds/pull.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/jointed_body.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// The spring of `haptic pull`: three links of the system of a step, between a material point of a
/// body and an anchor in the world:
///
///   force = -k (p - anchor) - k tau p',    k |p - anchor| and each component at most `limit`
///
/// The anchor moves to its target in kMove_s, from where the point is when the spring is new, so
/// the force is continuous. Allocates in the constructor only.
/// Source: docs/methods/multibody.md, "Pulling".
class PullSpring {
 public:
  static constexpr std::uint32_t kLinks = 3;
  static constexpr double kMove_s = 0.05;        ///< s
  static constexpr double kRelaxation_s = 0.05;  ///< tau
  static constexpr double kMaxStiffness = 1e6;   ///< N/m
  static constexpr double kMaxForce = 1e3;       ///< N
  static constexpr double kMaxDistance = 1e3;    ///< of a place from the origin [m]

  /// @param models  outlive this object
  PullSpring(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models, double dt);

  /// Completes a pull for the loop: the point of the surface that is nearest to `at_rest`. Not for
  /// the loop. @param body  its name
  /// @returns why the point cannot be pulled; empty: it can
  std::string prepare(const std::string& body, Pull& pull) const;

  /// From the next step on. @param pull  of prepare()
  void set(const Pull& pull) HAPTIC_REALTIME;
  void reset() HAPTIC_REALTIME { pull_.body = Pull::kNoBody; }

  /// The body that is pulled; Pull::kNoBody: none.
  std::uint32_t body() const HAPTIC_REALTIME { return pull_.body; }
  /// Begins a step: the anchor moves on.
  void begin(const JointedBody::Placement& body) HAPTIC_REALTIME;
  /// Adds its links. @pre begin() of this step, and the solver's matrix is filled
  void add_to(ContactSolver& solver) HAPTIC_REALTIME;

 private:
  /// What a pull needs of a body.
  struct Body {
    std::string name;
    const BodyModel* model;
    bool moves;                    // as a whole
    std::span<const float> basis;  // /surface/basis; empty: rigid
    std::size_t width;             // of its rows
    double radius;                 // m
  };

  void load_displacement(const Body& body) HAPTIC_REALTIME;

  std::vector<Body> bodies_;
  double dt_;
  Pull pull_;
  JointedBody::Placement placement_;
  bool is_new_ = false;
  double left_s_ = 0.0;  // until the anchor is at its target
  Vector3 anchor_ = Vector3::Zero(), point_ = Vector3::Zero();
  Eigen::Matrix3Xd displacement_;  // of the point, world axes, in its first columns
};

}  // namespace haptic::solids
