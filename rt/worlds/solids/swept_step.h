#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/contact/swept_contact.h"
#include "rt/worlds/scene.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class ContactSet;
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

  /// Before a touch: has it list the points that the cycle's motions may bring into contact, were
  /// they twice as long as the longest of late.
  void set_margins(ContactSet& contacts) HAPTIC_REALTIME;
  /// After it: the motions that follow begin in its state.
  void begin(const ContactSet& contacts) HAPTIC_REALTIME;

  /// Part of the way from bodies[body].q to `q` that `body` may deform, 0..1.
  /// @param bodies  all at the beginning of the motion
  double deformation(std::span<const BodyMotion> bodies, std::size_t body,
                     std::span<const double> q) HAPTIC_REALTIME;

  /// Where the held body comes to on its way from bodies[held].pose to `to`. Where a point stops it
  /// the rest of the step goes on along what the point touches, a few times.
  Pose held(std::span<const BodyMotion> bodies, const Pose& to) HAPTIC_REALTIME;

 private:
  struct Pair {
    Pair(const BodyModel& of_points, const BodyModel& of_field)
        : swept(*of_points.shell, *of_points.tree, *of_field.field),
          nodes(of_points.tree->node_count()),
          first_level(of_points.tree->level_begin(1)),
          cost_of_deform(of_field.field->cost_of_deform()),
          edge(of_field.field->edge()) {}

    SweptContact swept;
    std::uint32_t nodes, first_level;                // of the tree, in all and of its first level
    std::uint32_t cost_of_deform;                    // of the field [points]
    double edge;                                     // of the field [m]
    std::size_t contact = 0, points = 0, field = 0;  // indices: contact pair of the scene, bodies
    double permitted_depth = 0.0;                    // m
    double recent = 0.0;                             // longest motions of late, fading [m]
  };

  // Margins [voxels]: one that is always there, so that a hand that starts to move is expected, and
  // one beyond which what is near costs more than a search.
  static constexpr double kLeastMargin = 0.125, kMostMargin = 2.0;
  static constexpr double kFading = 0.98;  // a cycle
  /// Queries that a motion may use for each node of the contact's budget. Without a budget: for
  /// each node of the tree, but at least for kLeastNodes (about 6 ms of queries in all).
  static constexpr std::uint64_t kLooks = 4, kLeastNodes = 1 << 14;
  /// Instants at which a field may be deformed in addition: enough for one interval in full.
  static constexpr std::uint64_t kInstants = 24;

  SweptResult first_stop(std::span<const BodyMotion> bodies, const Pose& from, const Pose& to,
                         std::size_t& pair) HAPTIC_REALTIME;

  std::size_t held_;
  double radius_;  // bounding, of the held body [m]
  std::vector<std::unique_ptr<Pair>> pairs_;
};

}  // namespace haptic
