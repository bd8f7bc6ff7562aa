#include "shared/config/plausible_range.h"

#include <gtest/gtest.h>

#include <cmath>

namespace haptic {
namespace {

constexpr PlausibleRange kModulus = {"Pa", 100.0, 1e12};

TEST(PlausibleRange, the_ends_belong_to_it) {
  EXPECT_EQ(implausible("k", 100.0, kModulus), std::nullopt);
  EXPECT_EQ(implausible("k", 1e12, kModulus), std::nullopt);
  EXPECT_NE(implausible("k", std::nextafter(100.0, 0.0), kModulus), std::nullopt);
  EXPECT_NE(implausible("k", std::nextafter(1e12, 1e13), kModulus), std::nullopt);
}

TEST(PlausibleRange, a_line_names_key_value_unit_and_range) {
  EXPECT_EQ(implausible("material.youngs_modulus", 60.0, kModulus),
            "material.youngs_modulus: 60 Pa is used, but 100 to 1e+12 Pa would be plausible");
  EXPECT_EQ(implausible("length_scale", 1e4, {"", 0.001, 1000.0}),
            "length_scale: 10000 is used, but 0.001 to 1000 would be plausible");
}

TEST(PlausibleRange, not_a_number_is_never_plausible) {
  EXPECT_NE(implausible("k", std::nan(""), kModulus), std::nullopt);
}

TEST(PlausibleRange, lines_are_added_only_for_what_is_outside) {
  std::vector<std::string> lines;
  note_implausible(lines, "a", 1e3, kModulus);
  note_implausible(lines, "b", 1.0, kModulus);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find("b: 1 Pa is used"), 0u);
}

}  // namespace
}  // namespace haptic
