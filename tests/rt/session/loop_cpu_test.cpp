#include "rt/session/loop_cpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

namespace haptic {
namespace {

using Cpus = std::vector<int>;

// Numbers that no machine of these tests has, so that no daemon claims them meanwhile.
constexpr int kCpu = 1020, kOther = 1019;

TEST(LoopCpu, isolated_cpus_are_chosen_before_allowed_ones_and_the_last_before_the_first) {
  EXPECT_EQ(choices_for_loop({2, 3}, {0, 1}), (Cpus{3, 2}));
  EXPECT_EQ(choices_for_loop({3}, {0}), (Cpus{3}));
  EXPECT_EQ(choices_for_loop({}, {0, 1, 5}), (Cpus{5, 1, 0}));
  EXPECT_EQ(choices_for_loop({}, {4}), Cpus());
}

TEST(LoopCpu, each_daemon_has_another_until_none_is_left) {
  std::optional<LoopCpu> first(std::in_place, Cpus{kCpu, kOther});
  EXPECT_EQ(first->number(), kCpu);
  EXPECT_EQ(first->warning(), "");
  const LoopCpu second({kCpu, kOther});
  EXPECT_EQ(second.number(), kOther);
  EXPECT_EQ(second.warning(), "");
  const std::string said = "the loop's CPU 1020: in use by hapticd, process " +
                           std::to_string(getpid()) +
                           ", expected one daemon at a time (--cpu names another)";
  const LoopCpu third({kCpu, kOther});
  EXPECT_EQ(third.number(), kCpu);
  EXPECT_EQ(third.warning(), said);
  const LoopCpu named({kCpu});  // as with --cpu
  EXPECT_EQ(named.number(), kCpu);
  EXPECT_EQ(named.warning(), said);
  first.reset();
  EXPECT_EQ(LoopCpu({kCpu, kOther}).number(), kCpu);
}

TEST(LoopCpu, a_loop_that_is_not_pinned_claims_nothing) {
  const LoopCpu none({}), asked({-1});
  EXPECT_EQ(none.number(), -1);
  EXPECT_EQ(asked.number(), -1);
  EXPECT_EQ(asked.warning(), "");
}

}  // namespace
}  // namespace haptic
