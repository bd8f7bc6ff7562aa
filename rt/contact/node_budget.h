#pragma once

#include <cstdint>
#include <optional>

#include "shared/realtime.h"

namespace haptic {

/// What a touch did and how long it took.
struct TouchCost {
  std::uint32_t visited = 0;   ///< nodes
  std::uint32_t contacts = 0;  ///< points inside
  double us = 0.0;             ///< time, traversal and contact law
};

/// How many nodes a time allows: the thresholds of a traversal (DegradationSettings) from a budget
/// in microseconds, measured before the loop and adjusted by measured cycles. A contact weighs
/// beta / alpha of Barbic 2007, Eq 3.13 (docs/methods/contact-and-coupling.md, "Node budget").
///
/// A touch is taken to cost `node_us` for each node and `contact_nodes` times that for each
/// contact. The cost of a node follows a high quantile of what was measured: a cycle above it
/// raises it by kGain, one below lowers it by kGain / 99, so that about one cycle in a hundred
/// costs more, and a cycle that the operating system interrupted moves it no further than any
/// other.
class NodeBudget {
 public:
  /// Cost of a node where nothing was measured, as in a run without a clock: what one costs on a
  /// machine of 2019 with a quarter of a million deformable points, rounded up.
  static constexpr double kNominalNodeUs = 0.1;
  static constexpr double kNominalContactNodes = 1.5;  // Barbic 2007, Section 3.10.3

  /// @param budget_us time of one touch, > 0 @throws InputError
  explicit NodeBudget(double budget_us);

  /// Measured cost. Numbers that are not > 0 and finite change nothing.
  void calibrate(double node_us, double contact_nodes);
  /// The last touch of the loop; one of fewer than kFewest nodes says nothing.
  void observe(const TouchCost& touch) HAPTIC_REALTIME;

  /// V_W, at least 1. kMargin of the budget is left for what a single cycle exceeds the quantile
  /// by.
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

/// Fits the two costs to touches of many sizes, by least squares of the relative error; outside the
/// loop.
class TouchCostFit {
 public:
  void add(const TouchCost& touch);
  double node_us() const;        ///< 0 if nothing useful was added
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
