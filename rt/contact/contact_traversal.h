#pragma once

#include <cstdint>
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
  Culling culling = Culling::kSafe;  ///< what a free radius is worth
  /// Subtrees known to be free sleep until the bodies have moved far enough (MotionOdometer). The
  /// result is the same.
  bool temporal_coherence = false;
  bool near_points = false;           ///< runs with a margin list them
  DegradationSettings degradation{};  ///< none by default: every level
};

/// Finds the points of a shell that are inside a field: breadth-first through the shell's tree,
/// level by level, without the subtrees that cannot touch. What it finds is what a look at every
/// point of the levels rendered finds (kSafe), in the same order. A pose that is not finite gives
/// no touching point. Source: docs/methods/contact-and-coupling.md, "Traversal".
class ContactTraversal {
 public:
  /// The field outlives the traversal; what is needed of shell and tree is copied, node by node.
  /// Allocates all working memory; `run` allocates nothing.
  /// @throws InputError if shell and tree do not belong together or a setting is out of range
  ContactTraversal(const PointShell& shell, const PointTree& tree, const SignedField& field,
                   const TraversalSettings& settings);

  /// Touching points, ascending; valid until the next run.
  /// @param q  reduced coordinates of the shell's body
  /// @param field_q  those the field was last brought to by `deform` (empty if rigid)
  /// @param margin  m, finite: >= 0 to list what is `near`, which costs the nodes whose spheres are
  ///                within it; without a limit of nodes what touches does not depend on it (kSafe)
  std::span<const TouchingPoint> run(const Pose& shell_pose, const Pose& field_pose,
                                     const ModalCoordinates& q,
                                     std::span<const double> field_q = {},
                                     double margin = kNoMargin) HAPTIC_REALTIME;
  static constexpr double kNoMargin = -1.0;
  /// Of the last run with a margin, and near_points set: points whose free radius is at most the
  /// margin, touching ones included, in no order. Any other point of the levels rendered stays out
  /// of contact while it and the inside of the field move by no more than the margin against each
  /// other (kSafe).
  std::span<const NearPoint> near() const HAPTIC_REALTIME { return {near_.data(), near_count_}; }
  /// The same from all points, without the tree: the oracle. Leaves no trace in `run`.
  std::span<const TouchingPoint> run_all(const Pose& shell_pose, const Pose& field_pose,
                                         const ModalCoordinates& q) HAPTIC_REALTIME;

  /// Of the last run: nodes looked at, copies of a point included; deepest level rendered, from 1;
  /// whether deeper ones that might touch were left out.
  std::uint32_t visited_nodes() const HAPTIC_REALTIME { return visited_; }
  std::uint32_t level() const HAPTIC_REALTIME { return level_; }
  bool was_cut() const HAPTIC_REALTIME { return cut_; }
  std::uint32_t levels() const HAPTIC_REALTIME { return levels_; }  ///< of the tree

  /// The next run looks at everything and renders levels as the first one does.
  void forget() HAPTIC_REALTIME;
  /// V_W from the next run on; 0: no limit.
  std::uint32_t warm_nodes() const HAPTIC_REALTIME { return schedule_.warm_nodes(); }
  void set_warm_nodes(std::uint32_t nodes) HAPTIC_REALTIME { schedule_.set_warm_nodes(nodes); }
  /// Nodes that a contact counts for on top of its visit, from the next run on.
  void set_contact_nodes(double nodes) HAPTIC_REALTIME { schedule_.set_contact_nodes(nodes); }

 private:
  struct Batch;
  /// A node in question, in the order of the traversal.
  struct Entry {
    std::uint32_t node;
    std::uint32_t parent;  // entry; kCopy set if its point is the node's too, so nothing is new
    double room;           // d where d < 0; else a radius about the point free of contact
  };
  static constexpr std::uint32_t kCopy = 1u << 31;
  /// An entry whose children follow.
  struct Expanded {
    std::uint32_t entry;
    TraversalLayout::Children children;
  };

  void begin(const Pose& shell_pose, const Pose& field_pose,
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
  std::vector<std::uint32_t> level_end_;  // a level: its last node and one
  bool ascending_;                        // points come in ascending order by themselves

  // Of the current run.
  FrameChange change_{};
  Matrix3 rotation_ = Matrix3::Identity();
  Vector3 offset_ = Vector3::Zero();
  HugeVector<double> coordinates_, magnitudes_;  // (1 | q | 0), (1 | |q| | 0)
  std::uint32_t visited_ = 0, level_ = 0;
  std::uint32_t entry_count_ = 0, root_entries_ = 0, expanded_count_ = 0, found_count_ = 0;
  std::uint32_t settled_ = 0;  // entries from here on have their free_until_
  double margin_ = 0.0;        // m
  double awake_ = 0.0;         // odometer reading up to which a subtree must be free to be left out
  std::uint32_t near_count_ = 0;
  bool lists_near_ = false;
  bool cut_ = false;

  // Kept from run to run.
  MotionOdometer odometer_;
  LevelSchedule schedule_;
  HugeVector<double> free_until_;  // a node: odometer reading up to which its subtree is free

  // Working memory.
  HugeVector<Entry> entries_;       // a node at most once
  HugeVector<double> own_, below_;  // an entry: reading until which node, children are free
  HugeVector<Expanded> expanded_;   // of the current level
  HugeVector<TouchingPoint> found_, sorted_;
  HugeVector<NearPoint> near_;  // empty without near_points
  AscendingIndexSet touching_;
  std::vector<std::uint32_t> place_in_found_;  // a point
};

}  // namespace haptic
