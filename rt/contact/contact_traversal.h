#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rt/contact/ascending_index_set.h"
#include "rt/contact/level_schedule.h"
#include "rt/contact/motion_odometer.h"
#include "rt/contact/touching_point.h"
#include "rt/contact/traversal_kernels.h"
#include "rt/contact/traversal_layout.h"
#include "rt/geometry/modal_coordinates.h"
#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

class PointShell;
class PointTree;

struct TraversalSettings {
  Culling culling = Culling::kSafe;  ///< which free radius culls subtrees
  /// Skips subtrees known to be free until the bodies have moved far enough (MotionOdometer). The
  /// result is the same.
  bool temporal_coherence = false;
  bool near_points = false;           ///< runs with a margin fill near()
  DegradationSettings degradation{};  ///< by default none: every level is rendered

  bool operator==(const TraversalSettings&) const = default;
};

/// Finds the points of a shell that are inside a field, by a breadth-first traversal of the shell's
/// tree that culls subtrees without contact. With kSafe the result equals a test of every point of
/// the levels rendered, in the same order. A pose that is not finite gives no touching point.
/// Source: docs/methods/contact-and-coupling.md, "Traversal".
class ContactTraversal {
 public:
  /// The field outlives the traversal; the data of shell and tree are copied. Allocates all working
  /// memory; `run` allocates nothing.
  /// @throws InputError if shell and tree do not match or a setting is out of range
  ContactTraversal(const PointShell& shell, const PointTree& tree, const SignedField& field,
                   const TraversalSettings& settings);

  /// Touching points, ascending; valid until the next run.
  /// @param q  reduced coordinates of the shell's body
  /// @param field_q  state last set by the field's `deform` (empty if rigid)
  /// @param margin  m, finite; >= 0 fills near(), at the cost of visits to all nodes whose spheres
  ///                are within it. Without a node limit the touching points do not depend on it
  ///                (kSafe)
  std::span<const TouchingPoint> run(const Pose& shell_pose, const Pose& field_pose,
                                     const ModalCoordinates& q,
                                     std::span<const double> field_q = {},
                                     double margin = kNoMargin) HAPTIC_REALTIME;
  static constexpr double kNoMargin = -1.0;
  /// Points of the last run whose free radius is at most its margin, touching ones included, in no
  /// order; empty without a margin or near_points. Any other point of the levels rendered stays out
  /// of contact while it moves relative to the inside of the field by at most the margin (kSafe).
  std::span<const NearPoint> near() const HAPTIC_REALTIME { return {near_.data(), near_count_}; }
  /// Touching points by a test of every point, without the tree: the oracle. No effect on later
  /// runs.
  std::span<const TouchingPoint> run_all(const Pose& shell_pose, const Pose& field_pose,
                                         const ModalCoordinates& q) HAPTIC_REALTIME;

  /// How far a body can go relative to the other before a point may touch, at most `most` [m]; 0
  /// where one does. No effect on the last run and on later ones.
  double clearance(const Pose& shell_pose, const Pose& field_pose, const ModalCoordinates& q,
                   double most) HAPTIC_REALTIME;

  /// Of the last run: number of nodes visited, copies of a point included; deepest level rendered,
  /// from 1; whether the node limit left out deeper levels that can touch.
  std::uint32_t visited_nodes() const HAPTIC_REALTIME { return visited_; }
  std::uint32_t level() const HAPTIC_REALTIME { return level_; }
  bool was_cut() const HAPTIC_REALTIME { return cut_; }
  std::uint32_t levels() const HAPTIC_REALTIME { return levels_; }  ///< of the tree

  /// Another field from the next run on. @pre it has the same data
  void serve(const SignedField& field) HAPTIC_REALTIME {
    field_ = &field;
    odometer_.serve(field);
  }
  /// Discards the state of earlier runs: the next run skips no subtree and treats all levels as
  /// cold.
  void clear_history() HAPTIC_REALTIME;
  /// As after a run that visited no node.
  void clear() HAPTIC_REALTIME;
  /// V_W from the next run on; 0: no limit.
  std::uint32_t warm_nodes() const HAPTIC_REALTIME { return schedule_.warm_nodes(); }
  void set_warm_nodes(std::uint32_t nodes) HAPTIC_REALTIME { schedule_.set_warm_nodes(nodes); }
  /// Cost of a contact in nodes, in addition to its visit; from the next run on.
  void set_contact_nodes(double nodes) HAPTIC_REALTIME { schedule_.set_contact_nodes(nodes); }

 private:
  struct Batch;
  /// A node to visit, in the order of the traversal.
  struct Entry {
    std::uint32_t node;
    std::uint32_t parent;  // entry of the parent; kCopy is set if both have the same point
    double room;           // d if d < 0, else the contact-free radius about the point [m]
  };
  static constexpr std::uint32_t kCopy = 1u << 31;
  static constexpr double kNever = std::numeric_limits<double>::infinity();  // odometer reading
  /// An entry whose children are visited next.
  struct Expanded {
    std::uint32_t entry;
    TraversalLayout::Children children;
  };

  void begin(const Pose& shell_pose, const Pose& field_pose,
             const ModalCoordinates& q) HAPTIC_REALTIME;
  void set_frame(const Pose& shell_pose, const Pose& field_pose,
                 const ModalCoordinates& q) HAPTIC_REALTIME;
  void gather_roots() HAPTIC_REALTIME;
  void gather_children() HAPTIC_REALTIME;
  void look_up(std::uint32_t first, std::uint32_t last) HAPTIC_REALTIME;
  void evaluate(Batch& batch) HAPTIC_REALTIME;
  void decide(std::uint32_t first, std::uint32_t last) HAPTIC_REALTIME;
  void decide_leaves(std::uint32_t first, std::uint32_t last) HAPTIC_REALTIME;
  void settle() HAPTIC_REALTIME;
  std::span<const TouchingPoint> in_order() HAPTIC_REALTIME;

  TraversalLayout layout_;
  const SignedField* field_;
  const TraversalKernels* kernels_;
  TraversalSettings settings_;
  std::uint32_t roots_, levels_, points_;
  std::vector<std::uint32_t> level_end_;  // per level: one past its last node
  bool ascending_;                        // new points in node order are in ascending order

  // Of the current run.
  FrameChange change_{};
  Matrix3 rotation_ = Matrix3::Identity();
  Vector3 offset_ = Vector3::Zero();
  HugeVector<double> coordinates_, magnitudes_;  // (1 | q | 0), (1 | |q| | 0)
  std::uint32_t visited_ = 0, level_ = 0;
  std::uint32_t entry_count_ = 0, root_entries_ = 0, expanded_count_ = 0, found_count_ = 0;
  std::uint32_t settled_ = 0;  // entries from here on already have their free_until_
  double margin_ = 0.0;        // m
  double awake_ = 0.0;         // a subtree is skipped if it is free beyond this odometer reading
  std::uint32_t near_count_ = 0;
  bool lists_near_ = false;
  bool cut_ = false;

  // Kept from run to run.
  MotionOdometer odometer_;
  LevelSchedule schedule_;
  HugeVector<double> free_until_;  // per node: odometer reading up to which its subtree is free

  // Working memory.
  HugeVector<Entry> entries_;       // each node at most once
  HugeVector<double> own_, below_;  // per entry: readings up to which node, children are free
  HugeVector<Expanded> expanded_;   // of the current level
  HugeVector<TouchingPoint> found_, sorted_;
  HugeVector<NearPoint> near_;  // empty without near_points
  AscendingIndexSet touching_;
  std::vector<std::uint32_t> place_in_found_;  // per point
};

}  // namespace haptic
