#include "shared/state/physical_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace haptic {
namespace {

using testing::HasSubstr;

TEST(PhysicalWarnings, each_has_a_name_of_its_own_a_text_and_a_cure) {
  std::set<std::string_view> names;
  for (const PhysicalWarning& warning : kPhysicalWarnings) {
    EXPECT_TRUE(names.insert(warning.name).second) << warning.name;
    for (const char c : warning.name) EXPECT_TRUE(std::islower(c) || c == '_') << warning.name;
    EXPECT_FALSE(warning.what.empty()) << warning.name;
    EXPECT_FALSE(warning.cure.empty()) << warning.name;
    EXPECT_EQ(warning.block.empty(), warning.source != WarningSource::kBlock) << warning.name;
    EXPECT_GT(warning.limit, 0.0) << warning.name;  // a value of zero is healthy
  }
}

TEST(PhysicalWarnings, each_is_in_the_table_of_the_documentation) {
  std::ostringstream page;
  page << std::ifstream(std::filesystem::path(HAPTIC_SOURCE_DIR) / "docs/contact.md").rdbuf();
  for (const PhysicalWarning& warning : kPhysicalWarnings) {
    EXPECT_THAT(page.str(), HasSubstr("`" + std::string(warning.name) + "`"));
    if (warning.block.empty()) continue;
    EXPECT_THAT(page.str(), HasSubstr("`" + std::string(warning.block) + "`")) << warning.name;
  }
}

TEST(PhysicalWarnings, are_found_after_a_spell_that_is_long_enough_at_any_rate) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (std::size_t i = 0; i < kPhysicalWarningCount; ++i) {
      const double sustained = kPhysicalWarnings[i].sustained_s;
      std::array<WarningRecord, kPhysicalWarningCount> records{};
      EXPECT_TRUE(find_warnings(records, rate).empty());
      const auto needed = static_cast<std::uint64_t>(std::max(1.0, std::ceil(sustained * rate)));
      // Many single cycles do not make a spell.
      records[i] = {.cycles = 1'000'000,
                    .last_cycle = 0,
                    .spell = 1,
                    .longest_spell = needed - 1,
                    .largest = 2.0};
      EXPECT_EQ(find_warnings(records, rate).size(), sustained > 0.0 ? 0u : 1u);
      records[i].longest_spell = needed;
      const auto found = find_warnings(records, rate);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].warning, &kPhysicalWarnings[i]);
    }
  }
}

TEST(PhysicalWarnings, a_text_says_for_how_long_and_how_far) {
  WarningFinding finding{
      &kPhysicalWarnings[0],
      {.cycles = 1500, .last_cycle = 1499, .spell = 100, .longest_spell = 100, .largest = 0.4951},
      1000.0};
  EXPECT_THAT(finding.text(), HasSubstr("the hand feels more than the bodies get (for 1.5 s, at "
                                        "most 0.495 more); type a larger "
                                        "coupling.permitted_depth"));
  finding.warning = &kPhysicalWarnings[1];
  EXPECT_THAT(finding.text(), HasSubstr("softer than it is (for 1.5 s); raise limits.force"));
}

}  // namespace
}  // namespace haptic
