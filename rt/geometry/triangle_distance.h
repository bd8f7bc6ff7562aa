#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Corners of a triangle, counter-clockwise from the front [m].
struct Corners {
  Vector3 a, b, c;

  /// Unit normal of the front; zero for a triangle without area.
  Vector3 normal() const HAPTIC_REALTIME;
  Vector3 at(const Vector3& weights) const HAPTIC_REALTIME {
    return weights[0] * a + weights[1] * b + weights[2] * c;
  }
};

/// Point of a triangle that is nearest to p.
struct ClosestPoint {
  Vector3 weights;  ///< barycentric: >= 0, sum 1
  Vector3 point;    ///< m
};

/// By the Voronoi regions of corners, edges and face. A triangle without area gives a point of one
/// of its edges. Source: docs/methods/cloth.md, "Point in the hand"; Ericson 2005, section 5.1.5.
ClosestPoint closest_point(const Corners& triangle, const Vector3& p) HAPTIC_REALTIME;

/// How much of the way from `from` to `to` a ball can go before it touches a still triangle.
///
/// The distance to a triangle is convex along a line, so Newton's method for distance = radius,
/// which goes to the tangent plane at the closest point, never passes the first touch. It ends in
/// the skin above the radius. Source: docs/methods/cloth.md, "Point in the hand".
/// @param radius  of the ball, at most the distance at `from` [m], > 0
/// @param skin    distance above the radius within which the ball stops [m], > 0
/// @returns fraction of the way, 1 if nothing is in it
double free_fraction(const Corners& triangle, const Vector3& from, const Vector3& to, double radius,
                     double skin) HAPTIC_REALTIME;

}  // namespace haptic
