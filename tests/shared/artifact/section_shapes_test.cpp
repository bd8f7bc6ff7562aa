#include "shared/artifact/section_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace haptic {
namespace {

using testing::HasSubstr;
using Extents = std::vector<std::uint64_t>;

std::string disagreement(const std::vector<std::pair<std::string_view, Extents>>& sections) {
  std::vector<NamedShape> shapes;
  for (const auto& [name, extents] : sections) shapes.push_back({name, extents});
  return disagreement_of_shapes(shapes);
}

TEST(SectionShapes, counts_of_distinct_coefficients_follow_from_r) {
  // C(r+1,2), C(r+2,3), C(r+3,4) and C(C(r+1,2)+1,2) by hand for r = 3.
  const std::vector<std::pair<std::string_view, Extents>> fitting = {
      {"/reduced/basis", {24, 3}},        {"/reduced/quadratic", {6}},
      {"/reduced/cubic", {10}},           {"/reduced/quartic", {15}},
      {"/reduced/viscous/mixed", {3, 6}}, {"/reduced/viscous/quadratic", {21}}};
  EXPECT_EQ(disagreement(fitting), "");
  for (std::size_t i = 1; i < fitting.size(); ++i) {
    for (const std::uint64_t by : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      auto other = fitting;
      other[i].second.back() += by;
      EXPECT_THAT(disagreement(other), HasSubstr(std::string(fitting[i].first))) << by;
    }
  }
  // r = 560: the largest whose quartic an extent can count.
  EXPECT_EQ(disagreement({{"/reduced/basis", {0, 560}}, {"/reduced/quartic", {4141754540}}}), "");
}

// Each once divided by zero or wrapped around to something that fits.
TEST(SectionShapes, extents_near_the_end_of_their_type_are_refused) {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t r :
       {kLast, kLast - 1, kLast - 2, kLast - 3, kLast / 2, std::uint64_t{1} << 32}) {
    EXPECT_THAT(disagreement({{"/reduced/basis", {0, r}},
                              {"/reduced/quadratic", {1}},
                              {"/reduced/viscous/quadratic", {1}}}),
                HasSubstr("expected at most 4294967295"))
        << r;
    EXPECT_THAT(disagreement({{"/shell/displacement", {0, 3, 1}}, {"/shell/points", {r, 3}}}),
                HasSubstr("/shell/points: found extent"))
        << r;
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint64_t found : {std::uint64_t{0}, std::uint64_t{1}, kMax}) {
    EXPECT_THAT(disagreement({{"/reduced/basis", {0, kMax}}, {"/reduced/quartic", {found}}}),
                HasSubstr("/reduced/quartic: found extent"))
        << found;
    EXPECT_THAT(
        disagreement({{"/reduced/basis", {0, kMax}}, {"/reduced/viscous/quadratic", {found}}}),
        HasSubstr("/reduced/viscous/quadratic: found extent"))
        << found;
  }
}

TEST(SectionShapes, a_field_of_domains_has_a_grid_for_each) {
  const auto with = [](std::uint64_t slices) {
    return disagreement(
        {{"/field/domains/values", {slices, 3, 3}}, {"/field/domains/frame", {2, 5}}});
  };
  EXPECT_EQ(with(6), "");
  EXPECT_THAT(with(3), HasSubstr("/field/domains/values: found 3 slices, expected 6"));
  EXPECT_THAT(with(12), HasSubstr("found 12 slices"));
}

}  // namespace
}  // namespace haptic
