#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/worlds/condensed/condensed_contact.h"
#include "rt/worlds/condensed/condensed_surface.h"
#include "rt/worlds/condensed/first_meeting.h"
#include "rt/worlds/condensed/near_surface.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The points of a stylus that touch the surface of a condensed body: found by continuous detection
/// and followed along the surface until nothing presses.
///
/// A step: meet() with the motion that tool and surface are about to make, collect(), the solution,
/// follow() with what it gave, and meet() with the motion that both have made. So a point that
/// crosses the surface in either phase is in contact from then on.
/// Poses are of the tool in the frame of the body's model.
/// Source: Sedaghat 2011, sections 4.1 to 4.3.
class StylusContacts {
 public:
  /// @param points   of the stylus, frame of the tool [m]
  /// @param surface  outlives the contacts, as does the model
  StylusContacts(const CondensedModel& model, const CondensedSurface& surface,
                 std::span<const Vector3> points);

  /// Motion of tool and surface in a step, or in a part of it. Node displacements, 3 a node [m].
  struct Motion {
    Pose from, to;
    std::span<const double> u_from, u_to;
  };

  /// Puts every point in contact that crosses the surface from outside.
  void meet(const NearSurface& near, const Motion& motion) HAPTIC_REALTIME;
  /// A pose of the body. Node displacements, 3 a node [m].
  struct Shape {
    std::span<const double> u;       ///< displayed
    std::span<const double> smooth;  ///< without the dents of the contacts (SmoothShape)
  };
  /// Appends the contacts at a pose of the tool, in the order of the points. They push along the
  /// normals of the smooth shape.
  /// @param contacts  as many as there is room @returns how many were written
  std::size_t collect(const Pose& tool, const Shape& body,
                      std::span<CondensedContact> contacts) const HAPTIC_REALTIME;
  /// What the solution made of a contact.
  struct Outcome {
    std::uint32_t key;
    bool presses;  ///< the body is pushed
    bool slides;   ///< the tool's point moves along the surface
  };
  /// After the step: a contact that slides is moved along the smooth shape, by the way from its
  /// material point to the tool's point; where that way leads over an edge of the body, it goes to
  /// the face beyond. One without pressure ends unless the tool's point is inside, along its push.
  void follow(const Outcome& outcome, const Pose& tool, const Shape& body) HAPTIC_REALTIME;
  void clear() HAPTIC_REALTIME;
  /// How far the tool can go in any direction before a point touches the surface, at most `most`
  /// [m]; 0 where one does. @param near  of at least so much about the tool
  double clearance(const NearSurface& near, const Pose& tool, std::span<const double> u,
                   double most) const HAPTIC_REALTIME;

  std::size_t size() const HAPTIC_REALTIME { return points_.size(); }
  std::size_t touching() const HAPTIC_REALTIME;
  /// Greatest distance of a point from the origin of the tool [m].
  double reach() const HAPTIC_REALTIME { return reach_; }

 private:
  struct Point {
    Vector3 local;
    bool touches = false;
    SurfacePoint at;
    Vector3 way = Vector3::Zero();  // from the material point to the tool's, where it last slid
    double share = 1.0;             // of the way that is taken
  };
  std::uint32_t first_key() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(surface_->vertex_count());
  }
  double steepness(std::uint32_t triangle, const Shape& body) const HAPTIC_REALTIME;
  static double share_of_way(const Point& point, const Vector3& way) HAPTIC_REALTIME;
  SurfacePoint slid(const SurfacePoint& at, const Vector3& way,
                    std::span<const double> smooth) const HAPTIC_REALTIME;
  void locate(const NearSurface& near, const Motion& motion) HAPTIC_REALTIME;

  const CondensedModel* model_;
  const CondensedSurface* surface_;
  std::vector<Point> points_;
  double reach_ = 0.0, tolerance_;
  std::vector<Vector3> from_, to_;  // of the near vertices, by vertex
};

}  // namespace haptic::condensed
