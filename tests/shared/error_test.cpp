#include "shared/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

TEST(InputError, joins_its_parts_and_leaves_out_the_empty_ones) {
  EXPECT_STREQ(InputError("a.toml", "body.mass", "found -1 kg", "a number > 0 [kg]").what(),
               "a.toml: body.mass: found -1 kg, expected a number > 0 [kg]");
  EXPECT_STREQ(InputError("a.toml", "", "found a folder").what(), "a.toml: found a folder");
  EXPECT_STREQ(InputError("", "", "found nothing", "a key").what(),
               "found nothing, expected a key");
}

// A file without an end of a line is one word of its size.
TEST(InputError, is_short_whatever_it_quotes) {
  const std::string text = "found \"" + std::string(5'000'000, '9') + "\" at the end";
  const std::string key = std::string(1'000'000, 'k');
  const std::string message = InputError("a.msh", key, text, "an integer").what();
  EXPECT_LT(message.size(), 1'100u);
  EXPECT_THAT(message, testing::StartsWith("a.msh: kkk"));
  EXPECT_THAT(message, testing::HasSubstr("k [...] k"));
  EXPECT_THAT(message, testing::HasSubstr(": found \"99"));
  EXPECT_THAT(message, testing::EndsWith("9\" at the end, expected an integer"));
}

TEST(InputError, quotes_a_whole_sentence) {
  const std::string sentence(500, 's');
  EXPECT_EQ(InputError("", "", sentence).what(), sentence);
  EXPECT_EQ(InputError("", "", sentence + "s").what(),
            std::string(400, 's') + " [...] " + std::string(100, 's'));
}

}  // namespace
}  // namespace haptic
