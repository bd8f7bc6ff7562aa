#include "rt/contact/node_budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(NodeBudget, a_budget_is_a_time) {
  EXPECT_THROW(NodeBudget(0.0), InputError);
  EXPECT_THROW(NodeBudget(-1.0), InputError);
  EXPECT_THROW(NodeBudget{std::numeric_limits<double>::quiet_NaN()}, InputError);
}

TEST(NodeBudget, without_measurements_the_thresholds_are_nominal) {
  const NodeBudget a(1000.0), b(500.0);
  EXPECT_EQ(a.warm_nodes(), 7000u);  // 70 % of 1000 us at 0.1 us
  EXPECT_EQ(b.warm_nodes(), 3500u);
  EXPECT_EQ(NodeBudget(1e-6).warm_nodes(), 1u);
}

TEST(NodeBudget, measured_time_moves_the_threshold_to_what_fits) {
  for (const double true_node_us : {0.02, 0.05, 0.4}) {
    NodeBudget budget(800.0);
    std::uint32_t random = 1;
    const NoAllocation guard;
    for (int cycle = 0; cycle < 20000; ++cycle) {
      random = 1664525u * random + 1013904223u;
      const double scatter = 1.0 + 0.1 * (random >> 8) / double(1u << 24);
      const std::uint32_t visited = budget.warm_nodes();
      budget.observe({visited, 0, visited * true_node_us * scatter});
    }
    // The quantile is near the top of the scatter, so the time is below the budget by what the
    // margin leaves.
    EXPECT_GT(budget.warm_nodes() * true_node_us * 1.1, 0.6 * 800.0);
    EXPECT_LT(budget.warm_nodes() * true_node_us * 1.1, 0.85 * 800.0);
  }
}

TEST(NodeBudget, an_interrupted_cycle_costs_a_step_only) {
  NodeBudget budget(800.0);
  const std::uint32_t before = budget.warm_nodes();
  budget.observe({before, 0, 1e6});
  EXPECT_GT(budget.warm_nodes(), 0.94 * before);
  // What a small or unmeasured touch says is left out.
  const std::uint32_t after = budget.warm_nodes();
  budget.observe({10, 0, 1e6});
  budget.observe({1000, 0, 0.0});
  budget.observe({1000, 0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(budget.warm_nodes(), after);
}

TEST(NodeBudget, the_fit_separates_the_cost_of_nodes_from_that_of_contacts) {
  TouchCostFit fit;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    const std::uint32_t visited = 500 * i, contacts = 37 * (i % 7);
    fit.add({visited, contacts, 0.04 * visited + 0.1 * contacts});
  }
  EXPECT_NEAR(fit.node_us(), 0.04, 1e-12);
  EXPECT_NEAR(fit.contact_nodes(), 2.5, 1e-9);
}

TEST(NodeBudget, a_fit_that_cannot_tell_them_apart_counts_nodes) {
  TouchCostFit fit;
  for (std::uint32_t i = 1; i <= 5; ++i) fit.add({1000 * i, 0, 50.0 * i});
  EXPECT_NEAR(fit.node_us(), 0.05, 1e-12);
  EXPECT_EQ(fit.contact_nodes(), 0.0);
  EXPECT_EQ(TouchCostFit().node_us(), 0.0);
}

TEST(NodeBudget, a_contact_counts_for_its_nodes_in_what_a_node_is_taken_to_cost) {
  // 1000 nodes and 400 contacts at two nodes each: 1800 nodes' worth.
  for (const double us : {179.0, 181.0}) {
    NodeBudget budget(800.0);
    budget.calibrate(0.1, 2.0);
    budget.observe({1000, 400, us});
    EXPECT_NEAR(budget.node_us(), us > 180.0 ? 0.1 * 1.05 : 0.1 * (1.0 - 0.05 / 99.0), 1e-15);
  }
}

TEST(NodeBudget, a_touch_of_a_hundred_nodes_is_the_smallest_that_counts) {
  NodeBudget budget(800.0);
  budget.observe({99, 1000, 1e6});
  EXPECT_EQ(budget.node_us(), NodeBudget::kNominalNodeUs);
  budget.observe({100, 0, 1e6});
  EXPECT_GT(budget.node_us(), NodeBudget::kNominalNodeUs);
}

TEST(NodeBudget, a_calibration_sets_both_costs_or_neither) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  NodeBudget budget(700.0);
  budget.calibrate(0.07, 0.0);  // contacts may cost nothing
  EXPECT_EQ(budget.node_us(), 0.07);
  EXPECT_EQ(budget.contact_nodes(), 0.0);
  EXPECT_NEAR(budget.warm_nodes(), 7000.0, 1.0);
  for (const double wrong : {0.0, -0.1, nan, infinity}) {
    budget.calibrate(wrong, 1.0);
    if (wrong != 0.0) budget.calibrate(0.05, wrong);
    EXPECT_EQ(budget.node_us(), 0.07) << wrong;
    EXPECT_EQ(budget.contact_nodes(), 0.0) << wrong;
  }
}

TEST(NodeBudget, a_fit_finds_no_cost_below_zero) {
  // Contacts that seem to make a touch cheaper: all cost is the nodes'.
  TouchCostFit contacts, nodes;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    const std::uint32_t touching = 37 * (i % 7);
    contacts.add({500 * i, touching, 0.04 * 500 * i - 0.01 * touching});
    // And the other way round.
    nodes.add({100 + i % 5, 100 * i, 0.1 * 100 * i - 0.01 * (100 + i % 5)});
  }
  EXPECT_EQ(contacts.contact_nodes(), 0.0);
  EXPECT_GT(contacts.node_us(), 0.03);
  EXPECT_LT(contacts.node_us(), 0.041);
  EXPECT_EQ(nodes.contact_nodes(), 0.0);
  EXPECT_GT(nodes.node_us(), 0.0);
}

TEST(NodeBudget, a_fit_in_which_only_contacts_cost_still_gives_nodes_a_cost) {
  // A microsecond a contact: by least squares a node costs 0 but for rounding, and a budget would
  // be divided by that.
  for (const double us : {1.0, 0.1, 0.7}) {
    TouchCostFit fit;
    for (std::uint32_t i = 1; i <= 20; ++i) fit.add({100 + i % 5, 100 * i, us * (100.0 * i)});
    EXPECT_GT(fit.node_us(), 0.1 * us);  // all cost is the nodes', of which there are fewer
    EXPECT_EQ(fit.contact_nodes(), 0.0);
  }
}

TEST(NodeBudget, a_fit_leaves_out_what_was_not_measured) {
  TouchCostFit fit;
  fit.add({1000, 0, 50.0});
  fit.add({0, 10, 50.0});
  fit.add({1000, 10, 0.0});
  fit.add({1000, 10, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_NEAR(fit.node_us(), 0.05, 1e-15);
  EXPECT_EQ(fit.contact_nodes(), 0.0);
}

}  // namespace
}  // namespace haptic
