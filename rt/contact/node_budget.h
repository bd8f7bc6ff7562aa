#pragma once

#include <cstdint>
#include <optional>

#include "shared/realtime.h"

namespace haptic {

/// Work and time of one touch, that is one ContactPair::evaluate.
struct TouchCost {
  std::uint32_t visited = 0;   ///< nodes
  std::uint32_t contacts = 0;  ///< points inside
  double us = 0.0;             ///< time of traversal and contact law
};

/// Computes the node thresholds of a traversal (DegradationSettings) from a budget in microseconds.
/// Costs are measured before the loop and adjusted in it. A contact counts as beta / alpha nodes of
/// Barbic 2007, Eq 3.13 (docs/methods/contact-and-coupling.md, "Node budget").
///
/// A touch is assumed to cost `node_us` per node and `contact_nodes` times that per contact. The
/// cost of a node follows the 99th percentile of the measured cost: a touch above it raises it by
/// a relative kGain, one below lowers it by kGain / 99. About one touch in a hundred thus costs
/// more, and a touch that the operating system interrupted has no more effect than any other.
class NodeBudget {
 public:
  /// Cost of a node without a measurement, as in a run without a clock: that on a machine of 2019
  /// with a quarter of a million deformable points, rounded up.
  static constexpr double kNominalNodeUs = 0.1;
  static constexpr double kNominalContactNodes = 1.5;  // Barbic 2007, Section 3.10.3

  /// @param budget_us time of one touch, > 0 @throws InputError
  explicit NodeBudget(double budget_us);

  /// Sets measured costs; no effect unless both are finite, node_us > 0 and contact_nodes >= 0.
  void calibrate(double node_us, double contact_nodes);
  /// Adjusts node_us to the last touch of the loop; a touch of fewer than kFewest nodes is ignored.
  void observe(const TouchCost& touch) HAPTIC_REALTIME;

  /// V_W, at least 1. The part kMargin of the budget is reserved for touches above the percentile.
  std::uint32_t warm_nodes() const HAPTIC_REALTIME;
  double contact_nodes() const HAPTIC_REALTIME { return contact_nodes_; }
  double node_us() const HAPTIC_REALTIME { return node_us_; }
  double budget_us() const HAPTIC_REALTIME { return budget_us_; }

 private:
  static constexpr double kGain = 0.05;
  static constexpr double kMargin = 0.3;
  static constexpr std::uint32_t kFewest = 100;

  double budget_us_;
  double node_us_ = kNominalNodeUs, contact_nodes_ = kNominalContactNodes;
};

/// Fits the two costs to touches of many sizes, by least squares of the relative error. Not for the
/// loop.
class TouchCostFit {
 public:
  void add(const TouchCost& touch);
  double node_us() const;        ///< 0 without a touch of nodes and time > 0
  double contact_nodes() const;  ///< >= 0

 private:
  struct Costs {
    double node, contact;  // us
  };
  std::optional<Costs> costs() const;  // absent if the touches do not determine both

  // Sums of x_i x_j and x_i over touches, x = (visited, contacts) / us.
  double vv_ = 0.0, vc_ = 0.0, cc_ = 0.0, v_ = 0.0, c_ = 0.0;
};

}  // namespace haptic
