#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/held_body.h"
#include "rt/contact/contact_pair.h"
#include "rt/contact/node_budget.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/close_pairs.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/workspace_pool.h"
#include "shared/clock.h"
#include "shared/math/pose.h"
#include "shared/math/value_ramp.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// All contact pairs of a scene, and the contact forces on its bodies.
///
/// The held body may be on either side of a pair or on none, and both sides may deform. `touch`
/// brings a deforming field to the state of its body.
class ContactSet {
 public:
  struct Pair {
    ContactPair contact;
    std::size_t points, field;              ///< body indices
    std::optional<NodeBudget> budget = {};  ///< derives a limit of nodes from a time
    /// Index of the WorkspacePool that it borrows from; kNoPool: it has a workspace of its own.
    std::uint32_t pool = kNoPool;
    // Of SceneContact.
    std::optional<double> restitution = {};
    double rolling_friction = 0.0, spinning_friction = 0.0;
    bool resists_turns() const HAPTIC_REALTIME {
      return rolling_friction > 0.0 || spinning_friction > 0.0;
    }
    /// Of the whole contact, if the scene gives one; of a foundation where a twentieth of the
    /// points' surface touches [N/m].
    std::optional<double> whole{};
    /// Thickness from which on no point gets past the middle of a wall of the field; from there
    /// the gradient would push it out on the other side. For two rigid bodies, one of them held,
    /// eight times the depth to which limits.force presses a single point; else infinite [m].
    double thick_wall = std::numeric_limits<double>::infinity();
    ValueRamp stiffness{contact.stiffness()};
  };
  static constexpr std::uint32_t kNoPool = ~std::uint32_t{0};
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// Sum over the pairs.
  struct Sum : ContactLoad {
    std::uint32_t contacts = 0, visited_nodes = 0;
    std::uint32_t level = 0;        ///< deepest rendered; smallest over the close pairs, 0: none
    std::uint32_t node_budget = 0;  ///< of this touch; smallest over the pairs, 0: no limit
  };
  /// kEveryPoint: all points without the trees, as a reference; with pools, of the close pairs.
  enum class Search : std::uint8_t { kTree, kEveryPoint };

  /// @param models  one per body of the scene; must outlive the set, which deforms their fields
  /// @param clock   measures pairs with a time budget, at construction and at every touch; nullptr:
  ///                the nominal costs of NodeBudget are used
  /// @throws InputError if a model lacks a section that a contact needs, or more pairs are close at
  ///         the start than BodyDynamics::pair_capacity
  ContactSet(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
             const Clock* clock = nullptr);

  /// Finds the pairs of bodies that are close enough to touch within a step. Two rigid bodies are
  /// close if the gap between the sphere about all points and the sphere about the inside of the
  /// field is less than kMaxMargin or than the sum of their motion bounds; other pairs always
  /// are. A pair that is no longer close loses its history. Pairs of a pool get their workspaces.
  /// @param bodies  one per body of the scene
  /// @param motion_bounds  of the points of each body over the step [m]; empty: 0
  void find_close(std::span<const BodyMotion> bodies,
                  std::span<const double> motion_bounds = {}) HAPTIC_REALTIME;
  /// Leaves the pairs of two bodies that do not move out of close(); they keep their history.
  /// @param still  per body: not 0 if it does not move
  void leave_out(std::span<const char> still) HAPTIC_REALTIME;
  /// Takes those back of which a body moves after all: fresh(). @returns whether there are any
  bool take_back(std::span<const char> still) HAPTIC_REALTIME;
  /// Indices of the close pairs, ascending. The others have no contacts and no near points, or were
  /// left out.
  std::span<const std::uint32_t> close() const HAPTIC_REALTIME { return active_; }
  /// Those of them that have not been evaluated since find_close(), ascending.
  std::span<const std::uint32_t> fresh() const HAPTIC_REALTIME { return fresh_; }
  /// A close pair for which its pool had no workspace left in the last find_close(); kNone: all
  /// have one. It is not evaluated.
  std::size_t without_workspace() const HAPTIC_REALTIME { return without_workspace_; }
  static constexpr double kMaxMargin = 2.0;  ///< voxels of the field
  /// Evaluates the pairs of fresh() at one instant. @param bodies  as in find_close()
  /// @param sum  of the pairs evaluated before, to which these are added
  Sum touch_fresh(std::span<const BodyMotion> bodies, Search search, Sum sum) HAPTIC_REALTIME;
  /// find_close(), or all pairs with kEveryPoint, then touch_fresh().
  Sum touch(std::span<const BodyMotion> bodies, Search search = Search::kTree) HAPTIC_REALTIME;
  /// How far the held body can go in any direction before it may touch another, at most `most` [m].
  /// @param bodies  present states; deforming fields are those of the last touch
  double clearance(std::span<const BodyMotion> bodies, double most) HAPTIC_REALTIME;
  /// U^T (contact forces) of a body in the last touch [r], in its material frame.
  std::span<const double> reduced_force(std::size_t body) const HAPTIC_REALTIME;
  /// The same of all bodies, concatenated.
  std::span<const double> reduced_forces() const HAPTIC_REALTIME { return reduced_forces_; }

  std::span<Pair> pairs() HAPTIC_REALTIME { return pairs_; }
  std::span<const Pair> pairs() const HAPTIC_REALTIME { return pairs_; }
  /// Ramps every pair with a stiffness per point linearly from its present one to `stiffness` [N/m]
  /// in `over_s` [s].
  void set_stiffness(double stiffness, double over_s) HAPTIC_REALTIME;
  /// Advances these ramps by `dt` [s]. @returns whether a stiffness changed
  bool advance_stiffness(double dt) HAPTIC_REALTIME;
  /// Discards the history of earlier touches; for a body whose pose was set.
  void clear_history() HAPTIC_REALTIME;
  /// Discards the history, ends the ramps at their targets and sets the reduced forces to zero.
  void reset() HAPTIC_REALTIME;

 private:
  struct Field {
    SignedField* field;
    std::size_t body;
  };

  void take_close() HAPTIC_REALTIME;
  void add_pair(const Scene& scene, const SceneContact& contact,
                std::span<const std::unique_ptr<BodyModel>> models, bool implicit,
                std::uint32_t pool);
  void check_start(const Scene& scene, std::uint32_t capacity);
  void lend_workspaces() HAPTIC_REALTIME;
  const ContactResult& touch(Pair& pair, const BodyMotion& points,
                             const BodyMotion& field) HAPTIC_REALTIME;
  void add(std::span<const double> force, std::size_t body) HAPTIC_REALTIME;

  const Clock* clock_;
  std::vector<Pair> pairs_;
  ClosePairs close_;
  std::vector<std::uint32_t> held_pairs_;  // of the held body
  std::vector<std::uint32_t> active_, fresh_, merged_;
  bool begun_ = false;  // whether a pair has been evaluated since find_close()
  std::vector<std::unique_ptr<WorkspacePool>> pools_;
  std::size_t without_workspace_ = kNone;
  bool ramps_ = false;  // whether the stiffness of a pair can be on its way to another one
  std::vector<Field> deforming_;
  std::vector<std::size_t> first_coordinate_;  // one per body, and the end
  std::vector<double> reduced_forces_;
};

}  // namespace haptic::solids
