#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/held_body.h"
#include "rt/contact/contact_pair.h"
#include "rt/contact/node_budget.h"
#include "rt/worlds/scene.h"
#include "shared/clock.h"
#include "shared/math/pose.h"
#include "shared/math/value_ramp.h"
#include "shared/realtime.h"

namespace haptic {

/// Every contact pair of a scene, and what contact does to its bodies.
///
/// Either side of a pair may be the held body or neither, and either may deform: a deforming field
/// follows its body from touch to touch.
class ContactSet {
 public:
  struct Pair {
    ContactPair contact;
    std::size_t points, field;              ///< body indices
    std::optional<NodeBudget> budget = {};  ///< nodes from a time
    ValueRamp stiffness{contact.stiffness()};
  };
  /// Sum over the pairs.
  struct Sum : ContactLoad {
    std::uint32_t contacts = 0, visited_nodes = 0;
    std::uint32_t level = 0;        ///< smallest over the pairs, 0 without any
    std::uint32_t node_budget = 0;  ///< of this touch; smallest over the pairs, 0: no limit
  };
  /// kEveryPoint: without the trees, the oracle.
  enum class Search : std::uint8_t { kTree, kEveryPoint };

  /// @param models  one a body of the scene; outlive the set, which brings their fields to shape
  /// @param clock   measures pairs with a time budget, at once and at every touch; nullptr: they
  ///                have the nodes of NodeBudget's nominal machine
  /// @throws InputError if a model lacks what a contact needs of it
  ContactSet(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
             const Clock* clock = nullptr);

  /// All pairs at one instant. @param bodies  one a body of the scene
  Sum touch(std::span<const BodyMotion> bodies, Search search = Search::kTree) HAPTIC_REALTIME;
  /// U^T (contact forces) of a body after a touch [r], in its material frame.
  std::span<const double> reduced_force(std::size_t body) const HAPTIC_REALTIME;
  /// Of all bodies, concatenated.
  std::span<const double> reduced_forces() const HAPTIC_REALTIME { return reduced_forces_; }

  std::span<Pair> pairs() HAPTIC_REALTIME { return pairs_; }
  std::span<const Pair> pairs() const HAPTIC_REALTIME { return pairs_; }
  /// Ramps every pair linearly from its present stiffness to `stiffness` [N/m] in `over_s` [s].
  void set_stiffness(double stiffness, double over_s) HAPTIC_REALTIME;
  /// Advances these ramps by `dt` [s]. @returns whether a stiffness changed
  bool advance_stiffness(double dt) HAPTIC_REALTIME;
  /// What earlier touches left behind is lost; for a body that was put elsewhere.
  void forget() HAPTIC_REALTIME;
  /// As after construction.
  void reset() HAPTIC_REALTIME;

 private:
  struct Field {
    SignedField* field;
    std::size_t body;
  };

  const ContactResult& touch(Pair& pair, const BodyMotion& points,
                             const BodyMotion& field) HAPTIC_REALTIME;
  void add(std::span<const double> force, std::size_t body) HAPTIC_REALTIME;

  const Clock* clock_;
  std::vector<Pair> pairs_;
  std::vector<Field> deforming_;
  std::vector<std::size_t> first_coordinate_;  // a body, and the end
  std::vector<double> reduced_forces_;
};

}  // namespace haptic
