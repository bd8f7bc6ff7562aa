#include "shared/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

TEST(Printable, text_of_every_script_stays_as_it_is) {
  for (const std::string text : {"", "trial 3, 5 N", "Löffel", "牛 🐄 e\u0301", "C:\\x \"'&<>"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, what_acts_on_a_terminal_or_ends_a_line_is_escaped) {
  EXPECT_EQ(printable("a\x1b[2J\n\r\t\x7f"), "a\\x1b[2J\\x0a\\x0d\\x09\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m"), "\\u{009b}31m") << "CSI as a character";
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m")
      << "CSI as a byte";
  EXPECT_EQ(printable("a\u2028b\u2029"), "a\\u{2028}b\\u{2029}");
}

TEST(Printable, marks_of_direction_are_escaped) {
  for (const char32_t c : {0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069}) {
    EXPECT_FALSE(is_printable(c)) << std::hex << static_cast<unsigned>(c);
    EXPECT_FALSE(is_control(c));
  }
  for (const char32_t c : {0x061b, 0x061d, 0x200d, 0x2010, 0x2029 + 6, 0x2065, 0x206a}) {
    EXPECT_TRUE(is_printable(c)) << std::hex << static_cast<unsigned>(c);
  }
  EXPECT_EQ(printable("safe\u202egnp.exe"), "safe\\u{202e}gnp.exe");
}

TEST(Printable, bytes_that_are_not_utf8_are_escaped_one_by_one) {
  EXPECT_EQ(printable("l\xf6"
                      "ffel"),
            "l\\xf6ffel");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(printable("牛\xe7\x89"), "牛\\xe7\\x89") << "cut off";
}

TEST(Printable, every_pair_of_bytes_becomes_printable_utf8) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      const std::string shown = printable(std::string{static_cast<char>(a), static_cast<char>(b)});
      EXPECT_EQ(printable(shown), shown) << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace haptic
