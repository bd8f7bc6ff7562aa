#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/geometry/triangle_distance.h"
#include "rt/worlds/cloth/touch/constraint_planes.h"
#include "rt/worlds/cloth/touch/near_triangles.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

struct GodObjectSettings {
  double radius = 1e-4;   ///< of the ball that touches [m], > 0; far below an edge of the cloth
  double friction = 0.0;  ///< Coulomb's coefficient, >= 0
};

/// A triangle that holds the god-object.
struct TouchContact {
  std::uint32_t triangle = 0;
  Vector3 weights = Vector3::Zero();  ///< of the corners, at the touched point
  Vector3 normal = Vector3::Zero();   ///< from the triangle to the god-object, unit length
  double share = 0.0;                 ///< part of device -> god-object along the normal, >= 0 [m]
};

/// A triangle in front of which the god-object is, without being held by it.
struct NearPlane {
  std::uint32_t triangle = 0;
  Vector3 weights = Vector3::Zero();  ///< of the corners, at the point nearest to the god-object
  Vector3 normal = Vector3::Zero();   ///< of the face, on the side of the god-object
  double gap = 0.0;                   ///< between ball and plane, >= 0 [m]
};

enum class TouchResult {
  kDone,
  kUnfinished,  ///< the moves of one call did not suffice; the next call goes on, no side is lost
  kNotFinite,   ///< the device or a corner is not finite; the god-object stays
};

/// The god-object of a point in the hand: a small ball that follows the device and never passes
/// through the cloth, from either side.
///
/// Its distance to every triangle stays at least its radius, or what there is between two sheets
/// nearer than two radii. So the side is where the ball is, and edges and corners have no gaps.
/// Each call of `move_to` goes straight towards the point nearest to the device that the touched
/// triangles allow, up to the first triangle in the way, until it no longer moves. On a still cloth
/// its distance to the device never grows.
/// Source: docs/methods/cloth.md, "Point in the hand"; Zilles & Salisbury 1995; Ruspini et al.
/// 1997.
class GodObject {
 public:
  static constexpr int kMoves = 48;               ///< of one call
  static constexpr std::size_t kMaxTouched = 48;  ///< triangles at once
  static constexpr std::size_t kMaxPlanes = 24;   ///< of these triangles, each once

  /// @param triangles  of a checked mesh
  /// @param near       finds triangles of this mesh; outlives the god-object
  /// @throws InputError if a setting is out of its range
  GodObject(std::vector<std::array<std::uint32_t, 3>> triangles, const NearTriangles& near,
            const GodObjectSettings& settings);

  /// Puts it at p, free. @param x  particles [m], 3n values
  /// @returns false, and leaves it where it is, if p is nearer to the cloth than the radius
  bool place(const Vector3& p, std::span<const double> x) HAPTIC_REALTIME;

  /// Goes with the cloth from `start` to `end`: with the triangle that it touches, or, if it is
  /// free, with the first that meets it.
  /// @param start, end  particles [m], 3n values each
  TouchResult carry(std::span<const double> start, std::span<const double> end) HAPTIC_REALTIME;

  /// Follows the device on a still cloth.
  /// @param device  position of the device [m]
  /// @param x       particles [m], 3n values
  TouchResult move_to(const Vector3& device, std::span<const double> x) HAPTIC_REALTIME;

  /// What the ball may come to when it slides: triangles with a corner of one of contacts(), in
  /// front of which it is. Beyond a ridge it is behind the plane, which is not in its way.
  /// @param reach  from the ball's surface [m]
  /// @returns how many of `planes` were set
  std::size_t neighbours(std::span<const double> x, double reach,
                         std::span<NearPlane> planes) HAPTIC_REALTIME;

  const Vector3& position() const HAPTIC_REALTIME { return position_; }  ///< m
  /// How far it can go in any direction before it touches a still cloth, at most `most` [m].
  double clearance(std::span<const double> x, double most) HAPTIC_REALTIME;
  /// Triangles that hold it since the last `move_to`, at most three; none if it is free.
  std::span<const TouchContact> contacts() const HAPTIC_REALTIME {
    return {contacts_.data(), contact_count_};
  }
  std::span<const std::array<std::uint32_t, 3>> triangles() const HAPTIC_REALTIME {
    return triangles_;
  }

 private:
  /// A triangle on which the ball goes with the cloth.
  struct Ride {
    std::uint32_t triangle = 0;
    Vector3 weights = Vector3::Zero();
    double side = 1.0;                 // 1 in front of it, -1 behind
    Vector3 offset = Vector3::Zero();  // ball from the point of the weights, in the triangle's axes
  };

  std::size_t find(std::span<const double> start, std::span<const double> end, const Vector3& p,
                   double reach) HAPTIC_REALTIME;
  bool measure(std::span<const double> x, std::size_t found) HAPTIC_REALTIME;
  bool behind_a_face(std::span<const TouchContact> touched, std::size_t i,
                     std::span<const double> distance) const HAPTIC_REALTIME;
  void collect_planes(std::span<const double> x, std::size_t found) HAPTIC_REALTIME;
  Vector3 goal(const Vector3& device, NearestPoint& held) HAPTIC_REALTIME;
  void keep_contacts(const NearestPoint& held) HAPTIC_REALTIME;
  bool touched(std::span<const double> x, std::size_t found, Ride& ride) const HAPTIC_REALTIME;
  bool met(std::span<const double> start, std::span<const double> end, std::size_t found,
           Ride& ride) const HAPTIC_REALTIME;
  double free_way(std::span<const double> x, const Ride& ride, const Vector3& from,
                  const Vector3& to) HAPTIC_REALTIME;

  std::vector<std::array<std::uint32_t, 3>> triangles_;
  const NearTriangles& near_;
  GodObjectSettings settings_;
  double skin_;  // distance above the radius within which the ball touches

  Vector3 position_ = Vector3::Zero();
  std::array<TouchContact, 3> contacts_{};
  std::size_t contact_count_ = 0;

  // Of one call.
  std::vector<std::uint32_t> found_;
  std::vector<double> distance_;  // of the ball's centre to the found triangles
  std::array<HalfSpace, kMaxPlanes> planes_{};
  std::array<TouchContact, kMaxPlanes> touching_{};  // the triangle of each plane
  std::array<double, kMaxPlanes> gap_{};             // radius, or the distance if that is less
  std::size_t plane_count_ = 0;
  double radius_now_ = 0.0;  // the radius, or the distance to the nearest triangle if that is less
};

}  // namespace haptic::cloth
