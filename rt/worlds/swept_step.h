#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rt/contact/swept_contact.h"
#include "rt/worlds/body_model.h"
#include "rt/worlds/scene.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

struct BodyMotion;

/// The contact pairs of a scene with `continuous = true`: what of a cycle's motion they let through
/// (rt/contact/swept_contact.h).
///
/// A cycle moves first every deformable, with all else still, then the held body among what has
/// deformed; each of these motions is followed as it happens.
class SweptStep {
 public:
  /// @param models  one a body of the scene; outlive it. Pairs are taken to have been checked by
  ///                ContactSet
  SweptStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models);

  bool empty() const HAPTIC_REALTIME { return pairs_.empty(); }

  /// Part of the way from bodies[body].q to `q` that `body` may deform, 0..1.
  /// @param bodies  all at the beginning of the motion
  double deformation(std::span<const BodyMotion> bodies, std::size_t body,
                     std::span<const double> q) HAPTIC_REALTIME;

  /// Where the held body comes to on its way from bodies[held].pose to `to`. Where a point stops it
  /// the rest of the step goes on along what the point touches, a few times.
  Pose held(std::span<const BodyMotion> bodies, const Pose& to) HAPTIC_REALTIME;

 private:
  struct Pair {
    SweptContact swept;
    std::size_t points, field;  ///< body indices
    double permitted_depth;     ///< m
  };

  SweptResult first_stop(std::span<const BodyMotion> bodies, const Pose& from, const Pose& to,
                         std::size_t& pair) HAPTIC_REALTIME;

  std::size_t held_;
  double radius_;  // bounding, of the held body [m]
  std::vector<Pair> pairs_;
};

}  // namespace haptic
