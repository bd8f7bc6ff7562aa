#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rt/worlds/scene.h"
#include "shared/math/pose.h"

namespace haptic {

/// The bowl of the catalogue: a half-sphere shell on a foot, opening up (y), foot on y = 0.
struct BowlShape {
  double radius = 0.06;   ///< outer [m]
  double wall = 0.006;    ///< m
  double foot = 0.025;    ///< radius of the foot [m]
  double pitch = 0.0227;  ///< vertical distance of two bowls, one at rest in the other [m]

  /// Height of the centre of the spheres, where the rim is [m].
  double rim() const { return radius + 0.5 * wall; }
  /// On which side of the middle surface of the wall p is: 1 in the hollow, -1 outside, 0 near the
  /// rim and above it.
  /// @param p  frame of the bowl [m]
  int side(const Vector3& p) const;
};

/// The bowl as convex parts: `sectors` x 4 of the wall and as many of the foot as sectors. Between
/// their corners, the faces of the parts are up to radius (1 - cos(pi / sectors)) from the spheres.
/// @returns the corners of each part, frame of the bowl [m]
std::vector<std::vector<Vector3>> convex_parts(const BowlShape& shape, int sectors = 20);

/// Bowls that fall on top of each other, above a plane.
struct BowlStackSettings {
  int bowls = 20;
  double offset = 0.0;     ///< largest horizontal distance of a bowl from the axis [m], random
  double gap = 0.0175;     ///< between one bowl and the next at the start [m]
  double stiffness = 1e5;  ///< N/m per point
  double damping = 20.0;   ///< s/m
  double friction = 0.3;   ///< coefficient
  int reach = 0;           ///< bowls i and j can touch if |i - j| <= reach; 0: all
  int points = 600;        ///< of a bowl
  int resolution = 64;     ///< of its field
};

/// The scene in a folder of its own; bodies: the hand, far away, the ground, then the bowls.
/// Points of each bowl touch the field of the other one.
class BowlStack {
 public:
  static constexpr std::size_t kFirst = 2;  ///< index of the first bowl among the bodies

  /// Bakes the bowl.
  BowlStack(std::filesystem::path folder, const BowlStackSettings& settings);

  Scene scene(double rate_hz) const;
  const BowlShape& shape() const { return shape_; }
  const BowlStackSettings& settings() const { return settings_; }
  const std::filesystem::path& model() const { return model_; }
  /// Places of the bowls' points, frame of the bowl [m].
  std::span<const Vector3> points() const { return points_; }
  /// Height of the foot of a bowl at the start [m].
  double start_height(int bowl) const;

 private:
  BowlShape shape_;
  BowlStackSettings settings_;
  std::filesystem::path folder_, model_;
  std::vector<Vector3> points_;
};

/// Detects that a bowl passes through the wall of another one. The depth in a distance field does
/// not show it: it falls again beyond the middle of the wall.
class WallCrossings {
 public:
  explicit WallCrossings(const BowlStack& stack);
  /// Compares the places of all points with those of the last call.
  void observe(std::span<const Pose> poses);
  /// Points that have changed to the other side of the middle of a wall, below the rim, from one
  /// call to the next.
  std::uint64_t count() const { return count_; }
  /// Whether at some call two bowls whose contact is not searched were close enough to touch.
  bool misses_pairs() const { return misses_pairs_; }

 private:
  const BowlStack* stack_;
  double bound_;                          // radius of a sphere about a bowl [m]
  Vector3 centre_;                        // of this sphere, frame of the bowl
  std::vector<std::vector<char>> sides_;  // per ordered pair; empty: far apart at the last call
  std::uint64_t count_ = 0;
  bool misses_pairs_ = false;
};

/// Bowls whose foot is in the hollow of the one before, and the first if it stands on the ground.
int nested_bowls(const BowlStack& stack, std::span<const Pose> poses);

}  // namespace haptic
