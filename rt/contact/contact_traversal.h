#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/ascending_index_set.h"
#include "rt/contact/modal_coordinates.h"
#include "rt/contact/signed_field.h"
#include "rt/contact/touching_point.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;

struct TraversalSettings {
  Culling culling = Culling::kSafe;  ///< what a free radius is worth (spec 2.16)
};

/// Finds the points of a shell that are inside a field: breadth-first through the shell's tree,
/// level by level, without the subtrees that cannot touch (spec contact-and-coupling 2.13). What it
/// finds is what a look at every point finds (kSafe), in the same order. A pose that is not finite
/// gives no touching point.
class ContactTraversal {
 public:
  /// The three outlive the traversal. Allocates all working memory (one entry a shell point and a
  /// tree node); `run` allocates nothing.
  /// @throws InputError if shell and tree do not belong together
  ContactTraversal(const PointShell& shell, const PointTree& tree, const SignedField& field,
                   const TraversalSettings& settings);

  /// Touching points, ascending; valid until the next run.
  /// @param q  reduced coordinates of the shell's body
  /// @param field_q  those the field was last brought to by `deform` (empty if rigid)
  std::span<const TouchingPoint> run(const Pose& shell_pose, const Pose& field_pose,
                                     const ModalCoordinates& q,
                                     std::span<const double> field_q = {}) HAPTIC_REALTIME;
  /// The same from all points, without the tree: the oracle.
  std::span<const TouchingPoint> run_all(const Pose& shell_pose, const Pose& field_pose,
                                         const ModalCoordinates& q) HAPTIC_REALTIME;

  /// Of the last run: nodes looked at, copies of a point included; deepest level rendered, from 1.
  std::uint32_t visited_nodes() const HAPTIC_REALTIME { return visited_; }
  std::uint32_t level() const HAPTIC_REALTIME { return level_; }

 private:
  /// What is known of a point, shared by its instances in the tree.
  struct Evaluated {
    double room = 0.0;        // d where d < 0; else a radius about the point free of contact, >= 0
    std::uint64_t cycle = 0;  // run it belongs to
  };

  void begin(const Pose& shell_pose, const Pose& field_pose) HAPTIC_REALTIME;
  std::uint32_t visit(std::span<const std::uint32_t> nodes, std::uint32_t* queue,
                      const ModalCoordinates& q) HAPTIC_REALTIME;
  void evaluate_points(std::span<const std::uint32_t> points,
                       const ModalCoordinates& q) HAPTIC_REALTIME;
  bool subtree_is_free(std::uint32_t node, double room,
                       const ModalCoordinates& q) const HAPTIC_REALTIME;
  std::span<const TouchingPoint> collect() HAPTIC_REALTIME;

  const PointShell* shell_;
  const PointTree* tree_;
  const SignedField* field_;
  TraversalSettings settings_;

  // Of the current run: from the shell's material frame to the field's.
  Matrix3 rotation_ = Matrix3::Identity();
  Vector3 offset_ = Vector3::Zero();
  std::uint64_t cycle_ = 0;
  std::uint32_t visited_ = 0, level_ = 0;

  // Working memory.
  std::vector<Evaluated> evaluated_;        // per point
  std::vector<std::uint32_t> list_, next_;  // nodes of a level
  AscendingIndexSet touching_;              // points with d < 0
  std::vector<TouchingPoint> found_;        // room for every point
};

}  // namespace haptic
