#include "shared/ipc/mark_text.h"

#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

std::string utf8(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f))};
  if (c < 0x10000) {
    return {byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f))};
  }
  return {byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f)),
          byte(0x80 | (c & 0x3f))};
}

TEST(MarkText, has_1_to_200_bytes) {
  EXPECT_FALSE(is_mark_text(""));
  EXPECT_TRUE(is_mark_text("x"));
  EXPECT_TRUE(is_mark_text(std::string(200, 'x')));
  EXPECT_FALSE(is_mark_text(std::string(201, 'x')));
}

// Every character of Unicode, by an encoder of its own: all but controls, surrogates and
// separators of lines.
TEST(MarkText, may_contain_every_printed_character) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    const bool surrogate = c >= 0xd800 && c <= 0xdfff;
    const bool control = c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029;
    ASSERT_EQ(is_mark_text("a" + utf8(c) + "b"), !surrogate && !control)
        << "U+" << std::hex << static_cast<std::uint32_t>(c);
  }
}

TEST(MarkText, is_well_formed_utf8) {
  for (const char* bad : {"\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\x80",
                          "\xbf", "\xfe", "\xff", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3",
                          "\xc3(", "\xe2\x82", "\xe2(\xa1", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(is_mark_text(bad)) << bad;
    EXPECT_FALSE(is_mark_text(std::string("x") + bad)) << bad;
  }
}

}  // namespace
}  // namespace haptic
