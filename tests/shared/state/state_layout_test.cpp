#include "shared/state/state_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

using testing::HasSubstr;

TEST(StateLayout, blocks_of_each_rate_follow_one_another) {
  const StateLayout layout(
      {{.name = "bodies/pose", .shape = {2, 7}, .display = StateDisplay::kPose},
       {.name = "cloth/x",
        .shape = {10, 3},
        .display = StateDisplay::kVertices,
        .rate = StateRate::kDisplay},
       {.name = "energy", .unit = "J"},
       {.name = "cloth/v",
        .shape = {10, 3},
        .display = StateDisplay::kVertices,
        .rate = StateRate::kDisplay}});
  EXPECT_EQ(layout.cycle_values(), 15u);
  EXPECT_EQ(layout.display_values(), 60u);
  EXPECT_EQ(layout.offset(2), 14u);
  EXPECT_EQ(layout.offset(3), 30u);
  EXPECT_EQ(layout.find("energy"), 2u);
  EXPECT_FALSE(layout.find("mass"));
  const std::array<double, 15> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0.5};
  const std::span<const double> all(values);
  EXPECT_EQ(layout.values("energy", all)[0], 0.5);
  EXPECT_EQ(layout.values(0, all).back(), 14.0);
  EXPECT_TRUE(layout.values("mass", all).empty());
}

TEST(StateLayout, values_have_names) {
  const StateBlock pose{.name = "bodies/pose", .shape = {2, 7}, .display = StateDisplay::kPose};
  EXPECT_EQ(value_name(pose, 0), "bodies/pose[0][0]");
  EXPECT_EQ(value_name(pose, 10), "bodies/pose[1][3]");
  EXPECT_EQ(value_name({.name = "energy"}, 0), "energy");
}

TEST(StateLayout, a_unit_follows_a_value_in_text_and_a_name_in_brackets) {
  EXPECT_EQ((StateBlock{.name = "energy", .unit = "J"}.unit_suffix()), " J");
  EXPECT_EQ((StateBlock{.name = "count", .unit = "1"}.unit_suffix()), "");
  EXPECT_EQ(axis_label("chain/energy", "J"), "chain/energy [J]");
  EXPECT_EQ(axis_label("contact/points", "1"), "contact/points");
}

void expect_refused(StateBlock block, const std::string& words) {
  EXPECT_THAT([&] { StateLayout({block}); }, testing::ThrowsMessage<InputError>(HasSubstr(words)))
      << block.name;
}

TEST(StateLayout, an_invalid_block_is_refused) {
  for (const char* name : {"", "/x", "x/", "a//b", "A", "a b", "a.b", "../a"}) {
    expect_refused({.name = name}, "words of a-z, 0-9 and _ joined by /");
  }
  expect_refused({.name = std::string(48, 'a')}, "at most 47 characters");
  EXPECT_NO_THROW(StateLayout({{.name = std::string(47, 'a')}}));
  expect_refused({.name = "a", .unit = std::string(16, 'm')}, "too long or not printable");
  expect_refused({.name = "a", .meaning = "two\nlines"}, "too long or not printable");
  expect_refused({.name = "a", .shape = {1, 1, 1, 1}}, "found 4 dimensions");
  expect_refused({.name = "a", .shape = {0xffffffff, 0xffffffff, 0xffffffff}}, "overflows");
  expect_refused({.name = "a", .shape = {6}, .display = StateDisplay::kPose}, "does not fit");
  expect_refused({.name = "a", .shape = {4}, .display = StateDisplay::kVertices}, "does not fit");
  expect_refused({.name = "a", .display = StateDisplay::kReducedCoordinates}, "does not fit");
  expect_refused({.name = "a", .display = static_cast<StateDisplay>(7)}, "does not fit");
  expect_refused({.name = "a", .rate = static_cast<StateRate>(0)}, "found rate 0");
  EXPECT_THAT(
      [] {
        StateLayout({{.name = "a"}, {.name = "a"}});
      },
      testing::ThrowsMessage<InputError>(HasSubstr("a: found twice")));
  for (const auto& [first, second] : {std::pair{"a/b", "a"}, {"a", "a/b"}, {"a/b/c", "a/b"}}) {
    EXPECT_THAT(
        [&] {
          StateLayout({{.name = first}, {.name = second}});
        },
        testing::ThrowsMessage<InputError>(HasSubstr("no name that begins with another name")));
  }
  EXPECT_NO_THROW(StateLayout({{.name = "a"}, {.name = "ab"}, {.name = "b/a"}}));
  EXPECT_NO_THROW(StateLayout({{.name = "az_09"}}));
}

TEST(StateLayout, sizes_are_bounded_exactly) {
  EXPECT_NO_THROW(StateLayout({{.name = "a", .shape = {1 << 16}}}));
  expect_refused({.name = "a", .shape = {(1 << 16) + 1}}, "at most 65536 of one rate");
  EXPECT_NO_THROW(StateLayout({{.name = "a", .shape = {1 << 16}},
                               {.name = "b", .shape = {1 << 24}, .rate = StateRate::kDisplay}}));
  expect_refused({.name = "b", .shape = {(1 << 24) + 1}, .rate = StateRate::kDisplay},
                 "at most 16777216 of one rate");
  EXPECT_THAT(
      [] {
        StateLayout({{.name = "a", .shape = {1 << 16}}, {.name = "b"}});
      },
      testing::ThrowsMessage<InputError>(HasSubstr("found 1 values after 65536")));
  std::vector<StateBlock> many;
  for (int i = 0; i < 257; ++i)
    many.push_back({.name = std::string("b").append(std::to_string(i)), .shape = {0}});
  EXPECT_THAT([&] { StateLayout layout(many); },
              testing::ThrowsMessage<InputError>(HasSubstr("found 257 blocks")));
}

}  // namespace
}  // namespace haptic
