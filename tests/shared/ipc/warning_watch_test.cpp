#include "shared/ipc/warning_watch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace haptic {
namespace {

std::size_t index_of(std::string_view name) {
  std::size_t i = 0;
  while (i < kPhysicalWarningCount && kPhysicalWarnings[i].name != name) ++i;
  EXPECT_LT(i, kPhysicalWarningCount) << name;
  return i;
}

/// Cycles with the blocks that the conditions read.
class WarningWatchTest : public testing::Test {
 protected:
  WarningWatchTest() { reset(1000.0, 1); }

  void reset(double rate_hz, std::uint32_t cycles_per_step) {
    layout_ = StateLayout({{.name = "bodies/pose", .shape = {1, 7}, .display = StateDisplay::kPose},
                           {.name = "coupling/excess"},
                           {.name = "contact/created_energy", .unit = "J"},
                           {.name = "contact/work", .unit = "J"},
                           {.name = "contact/left_out", .shape = {2}}});
    watch_.emplace(layout_, rate_hz, cycles_per_step);
    records_ = {};
    sample_ = {};
    state_.assign(layout_.cycle_values(), 0.0);
  }
  double& value(std::string_view block) { return layout_.values(block, std::span(state_))[0]; }
  void run(std::uint64_t cycles = 1) {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      watch_->observe(sample_, state_, records_);
      ++sample_.cycle;
    }
  }
  const WarningRecord& record(std::string_view name) { return records_[index_of(name)]; }

  StateLayout layout_;
  std::optional<WarningWatch> watch_;
  std::array<WarningRecord, kPhysicalWarningCount> records_{};
  SampleRecord sample_{};
  std::vector<double> state_;
};

TEST_F(WarningWatchTest, counts_the_cycles_in_which_a_block_is_beyond_the_limit) {
  run(5);
  value("coupling/excess") = 0.2;
  run(3);
  value("coupling/excess") = 0.3;
  run(1);
  value("coupling/excess") = 0.09;
  run(5);
  const WarningRecord& saturated = record("coupling_saturated");
  EXPECT_EQ(saturated.cycles, 4u);
  EXPECT_EQ(saturated.last_cycle, 8u);
  EXPECT_EQ(saturated.longest_spell, 4u);
  EXPECT_EQ(saturated.largest, 0.3);
  for (std::size_t i = 1; i < kPhysicalWarningCount; ++i) EXPECT_EQ(records_[i].cycles, 0u);
}

TEST_F(WarningWatchTest, a_spell_goes_on_over_a_short_interruption_only) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    reset(rate, 1);
    const auto gap = static_cast<std::uint64_t>(std::ceil(WarningRecord::kSpellGap_s * rate));
    const auto strike = [&](std::uint64_t pause) {
      value("coupling/excess") = 1.0;
      run(2);
      value("coupling/excess") = 0.0;
      run(pause);
    };
    strike(gap - 1);
    strike(gap);
    strike(gap);
    EXPECT_EQ(record("coupling_saturated").cycles, 6u);
    EXPECT_EQ(record("coupling_saturated").longest_spell, 4u);
    EXPECT_EQ(record("coupling_saturated").spell, 2u);
  }
}

TEST_F(WarningWatchTest, energy_is_judged_by_the_work_of_the_contacts) {
  value("contact/created_energy") = 1e-3;
  run();  // no work yet: no quotient
  EXPECT_EQ(record("energy_created").cycles, 0u);
  value("contact/work") = 0.2;
  run();
  EXPECT_EQ(record("energy_created").cycles, 0u);
  value("contact/work") = 0.05;
  run();
  EXPECT_EQ(record("energy_created").cycles, 1u);
  EXPECT_DOUBLE_EQ(record("energy_created").largest, 0.02);
}

TEST_F(WarningWatchTest, limits_of_the_force_count_but_not_those_of_its_change) {
  for (const std::uint32_t bit : {kLimitedSlew, kLimitedRamp}) {
    sample_.limited = bit;
    run();
  }
  EXPECT_EQ(record("force_limited").cycles, 0u);
  for (const std::uint32_t bit : {kLimitedForce, kLimitedTorque, kLimitedPower}) {
    sample_.limited = bit | kLimitedRamp;
    run();
  }
  EXPECT_EQ(record("force_limited").cycles, 3u);
}

TEST_F(WarningWatchTest, a_world_step_is_late_from_three_periods_on) {
  for (const std::uint32_t cycles_per_step : {0u, 1u}) {
    reset(1000.0, cycles_per_step);
    sample_.world_hand_age[0] = 1000;
    run();
    EXPECT_EQ(record("world_late").cycles, 0u);
  }
  reset(1000.0, 4);
  sample_.world_hand_age[0] = 11;
  run();
  EXPECT_EQ(record("world_late").cycles, 0u);
  sample_.world_hand_age[0] = 12;
  run();
  EXPECT_EQ(record("world_late").cycles, 1u);
}

TEST_F(WarningWatchTest, values_that_are_no_numbers_and_blocks_of_several_numbers_do_not_count) {
  value("coupling/excess") = std::nan("");
  value("contact/left_out") = 5.0;  // of two numbers: none of the kinds of world has it like this
  run();
  for (const WarningRecord& each : records_) EXPECT_EQ(each.cycles, 0u);
}

}  // namespace
}  // namespace haptic
