#include "host/formats/text_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace haptic {
namespace {

using Words = std::vector<std::string>;

TEST(TextLines, lines_end_as_on_any_system) {
  TextLines lines("\xEF\xBB\xBF a b\r\nc\rd\n\n\te \n");
  std::vector<Words> read;
  while (lines.next()) {
    EXPECT_EQ(lines.number(), read.size() + 1);
    read.emplace_back();
    for (auto word = lines.word(); !word.empty(); word = lines.word())
      read.back().emplace_back(word);
  }
  EXPECT_EQ(read, (std::vector<Words>{{"a", "b"}, {"c"}, {"d"}, {}, {"e"}}));
  EXPECT_FALSE(lines.next());
}

TEST(TextLines, words_across_lines) {
  TextLines lines("a\n\n\r\n  b c");
  EXPECT_EQ(lines.word_across_lines(), "a");
  EXPECT_EQ(lines.word_across_lines(), "b");
  EXPECT_EQ(lines.number(), 4u);
  EXPECT_EQ(lines.rest(), "c");
  lines.skip_line();
  EXPECT_EQ(lines.word_across_lines(), "");
}

TEST(TextLines, bytes_after_a_line) {
  TextLines lines("a b\r\n\nc");
  lines.next();
  EXPECT_EQ(lines.following(), "\nc");
}

TEST(ParseNumber, a_whole_word) {
  EXPECT_EQ(parse_number("1.5e3"), 1500.0);
  EXPECT_EQ(parse_number("+.5"), 0.5);
  EXPECT_EQ(parse_number("-0"), 0.0);
  EXPECT_EQ(parse_number("1e400"), HUGE_VAL);
  EXPECT_EQ(parse_number("-1e400"), -HUGE_VAL);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  for (const char* const word : {"", "+", "+-1", "1,5", "1x", "1.0D3", "0x1", "one"}) {
    EXPECT_EQ(parse_number(word), std::nullopt) << word;
  }
}

double last_digit(const std::vector<std::string>& words) {
  WrittenDigits digits;
  for (const std::string& word : words) digits.add(word, parse_number(word).value());
  return digits.last_digit();
}

TEST(WrittenDigits, place_of_the_last_digit_of_the_largest_number) {
  EXPECT_DOUBLE_EQ(last_digit({"0.100000", "0.000001"}), 1e-6);      // %.6f
  EXPECT_DOUBLE_EQ(last_digit({"123.456", "0.00123456"}), 1e-3);     // %g
  EXPECT_DOUBLE_EQ(last_digit({"-5.0000012e+05", "1.0e-3"}), 1e-2);  // %e
  EXPECT_DOUBLE_EQ(last_digit({"4000", "0.1"}), 1.0);
}

TEST(WrittenDigits, short_numbers_are_exact) {
  EXPECT_EQ(last_digit({"0", "1", "-0.5", "100"}), 0.0);
  EXPECT_EQ(last_digit({"0.000", "0.0"}), 0.0);
  EXPECT_EQ(WrittenDigits().last_digit(), 0.0);
}

}  // namespace
}  // namespace haptic
