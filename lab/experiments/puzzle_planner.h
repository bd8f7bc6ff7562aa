#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "rt/contact/swept_contact.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "shared/math/pose.h"

namespace haptic {

/// Offline search for paths of a body with a field among fixed points: samples of a guide are
/// pushed out of contact and joined to a tree of poses by motions that continuous collision
/// detection finds free.
class PuzzlePlanner {
 public:
  /// @param lever  m of motion equivalent to a rotation by 1 rad
  PuzzlePlanner(const PointShell& shell, const PointTree& tree, SignedField& field, double lever,
                std::uint64_t seed);

  using Random = std::mt19937_64;
  Random& random() { return random_; }

  /// Smallest distance of a point to the field [m]; negative in contact.
  double clearance(const Pose& field_pose);
  /// Pushes a pose out along the gradient at its deepest point until it is clear by `margin` [m].
  /// @returns false if a few pushes are not enough
  bool retract(Pose& pose, double margin);
  bool is_free(const Pose& from, const Pose& to);
  double distance(const Pose& a, const Pose& b) const;

  /// A chain of poses from `start` to one for which `solved` holds, each free motion to the next.
  /// Empty if none is found in so many samples.
  /// @param sample  returns a target pose, in or out of contact
  std::vector<Pose> search(const Pose& start, const std::function<Pose()>& sample,
                           const std::function<bool(const Pose&)>& solved, int samples,
                           double margin);
  /// Shortens a path by random shortcuts, then increases its clearance: poses are pushed to
  /// `margin` and motions split where possible.
  void smooth(std::vector<Pose>& path, int rounds, double margin);

 private:
  struct Node {
    Pose pose;
    std::int32_t parent;
  };
  struct Nearest {
    std::uint32_t point;
    double distance;
  };
  Nearest nearest(const Pose& field_pose);
  /// The farthest free pose without contact on the motion from `from` to `to`.
  Pose reach(const Pose& from, const Pose& to, double margin);

  const PointShell* shell_;
  const PointTree* tree_;
  SignedField* field_;
  double lever_;
  SweptContact swept_;
  Random random_;
};

}  // namespace haptic
