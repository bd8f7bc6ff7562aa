#include "shared/cpu_list.h"

#include <gtest/gtest.h>

#include <set>

namespace haptic {
namespace {

TEST(CpuList, reads_and_writes_what_the_kernel_does) {
  EXPECT_EQ(cpu_list("1,4-7"), (std::set<int>{1, 4, 5, 6, 7}));
  EXPECT_EQ(cpu_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_TRUE(cpu_list("").empty());
  EXPECT_TRUE(cpu_list("none").empty());
  EXPECT_EQ(cpu_list("0-1"), (std::set<int>{0, 1}));
  EXPECT_EQ(cpu_list("1-x,x-1,-2,3"), (std::set<int>{3}));
  EXPECT_EQ(cpu_list("4000-99999999").size(), 96u);
}

}  // namespace
}  // namespace haptic
