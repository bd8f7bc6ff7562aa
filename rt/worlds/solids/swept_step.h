#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/contact/swept_contact.h"
#include "rt/coupling/grasp.h"
#include "rt/worlds/scene.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {
struct BodyMotion;
}

namespace haptic::solids {

class ContactSet;

/// Continuous collision detection for the contact pairs with `continuous = true`: limits the motion
/// of a cycle (rt/contact/swept_contact.h).
///
/// In a cycle, the deformables move first, one at a time with all other bodies at rest, then the
/// held body. Each of these motions is checked separately.
class SweptStep {
 public:
  /// @param models  one per body of the scene; must outlive this object. ContactSet must have
  ///                checked the pairs
  SweptStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models);

  bool empty() const HAPTIC_REALTIME { return pairs_.empty(); }

  /// Before a touch: sets its margins, so that it lists the points that can come into contact in
  /// motions twice as long as the longest recent one.
  void set_margins(ContactSet& contacts) HAPTIC_REALTIME;
  /// After the touch: the next motions begin in its state.
  void begin(const ContactSet& contacts) HAPTIC_REALTIME;

  /// Fraction of the way from bodies[body].q to `q` that `body` can deform, 0..1.
  /// @param bodies  all bodies, at the start of the motion
  double deformation(std::span<const BodyMotion> bodies, std::size_t body,
                     std::span<const double> q) HAPTIC_REALTIME;

  /// Pose that the held body reaches on its way from bodies[held].pose to `to`. If a point stops
  /// it, the rest of the step continues tangentially to the surface at that point, up to three
  /// times.
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
    std::uint32_t nodes, first_level;                // of the tree, in all and in its first level
    std::uint32_t cost_of_deform;                    // of the field [points]
    double edge;                                     // of the field [m]
    std::size_t contact = 0, points = 0, field = 0;  // indices: contact pair of the scene, bodies
    double permitted_depth = 0.0;                    // m
    double recent = 0.0;                             // longest recent motion, decaying [m]
  };

  // Margins [voxels]. The least one covers the first motion of a hand at rest; beyond the largest
  // one, the list of near points costs more than a search.
  static constexpr double kMinMargin = 0.125, kMaxMargin = 2.0;
  static constexpr double kFading = 0.98;  // per cycle
  /// Queries per motion and node of the contact's budget. Without a budget: per node of the tree,
  /// but at least for kMinNodes (about 6 ms of queries in all).
  static constexpr std::uint64_t kLooks = 4, kMinNodes = 1 << 14;
  /// Additional instants at which a field may be deformed: enough for one whole interval.
  static constexpr std::uint64_t kInstants = 24;

  SweptResult first_stop(std::span<const BodyMotion> bodies, const Pose& from, const Pose& to,
                         std::size_t& pair) HAPTIC_REALTIME;

  std::size_t held_;
  Grasp grasp_;    // of the held body
  double radius_;  // bounding radius of the held body about it [m]
  std::vector<std::unique_ptr<Pair>> pairs_;
};

}  // namespace haptic::solids
