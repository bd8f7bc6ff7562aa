#include "rt/contact/node_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {

NodeBudget::NodeBudget(double budget_us) : budget_us_(budget_us) {
  if (!(budget_us > 0.0) || !std::isfinite(budget_us)) {
    throw InputError("contact", "budget_us", fmt::format("found {}", budget_us), "a time > 0 [us]");
  }
}

void NodeBudget::calibrate(double node_us, double contact_nodes) {
  if (!(node_us > 0.0) || !std::isfinite(node_us)) return;
  if (!(contact_nodes >= 0.0) || !std::isfinite(contact_nodes)) return;
  node_us_ = node_us;
  contact_nodes_ = contact_nodes;
}

void NodeBudget::observe(const TouchCost& touch) HAPTIC_REALTIME {
  if (touch.visited < kFewest || !(touch.us > 0.0)) return;
  const double nodes = touch.visited + contact_nodes_ * touch.contacts;
  node_us_ *= touch.us > nodes * node_us_ ? 1.0 + kGain : 1.0 - kGain / 99.0;
}

std::uint32_t NodeBudget::warm_nodes() const HAPTIC_REALTIME {
  const double nodes = (1.0 - kMargin) * budget_us_ / node_us_;
  return static_cast<std::uint32_t>(std::clamp(nodes, 1.0, 4e9));
}

void TouchCostFit::add(const TouchCost& touch) {
  if (touch.visited == 0 || !(touch.us > 0.0)) return;
  const double v = touch.visited / touch.us, c = touch.contacts / touch.us;
  vv_ += v * v, vc_ += v * c, cc_ += c * c, v_ += v, c_ += c;
}

std::optional<TouchCostFit::Costs> TouchCostFit::costs() const {
  const double determinant = vv_ * cc_ - vc_ * vc_;
  if (!(determinant > 1e-9 * vv_ * cc_)) return std::nullopt;
  const double node = (v_ * cc_ - c_ * vc_) / determinant;
  const double contact = (c_ * vv_ - v_ * vc_) / determinant;
  // Without this limit a cost of rounding size would allow any number of nodes.
  if (!(node > 1e-6 * v_ / vv_) || !(contact >= 0.0)) return std::nullopt;
  return Costs{node, contact};
}

double TouchCostFit::node_us() const {
  if (const auto fitted = costs()) return fitted->node;
  // Identical touches cannot separate the two costs: all of it is assigned to the nodes.
  return vv_ > 0.0 ? v_ / vv_ : 0.0;
}

double TouchCostFit::contact_nodes() const {
  const auto fitted = costs();
  return fitted ? fitted->contact / fitted->node : 0.0;
}

}  // namespace haptic
