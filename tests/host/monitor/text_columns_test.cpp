// Columns of texts with wide, combining, foreign and invalid characters.
#include "host/monitor/text_columns.h"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

namespace haptic {
namespace {

class TextColumns : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
  void TearDown() override { std::setlocale(LC_CTYPE, "C"); }
};

TEST_F(TextColumns, characters_of_every_width_stay_inside) {
  EXPECT_EQ(printable("Löffel", 6), "Löffel");
  EXPECT_EQ(printable("Löffel", 2), "Lö");
  EXPECT_EQ(printable("牛の肝臓", 4), "牛の");
  EXPECT_EQ(printable("牛の肝臓", 5), "牛の") << "half a character has no place";
  EXPECT_EQ(printable("e\u0301x", 1), "e\u0301") << "a combining mark has no column";
  EXPECT_EQ(printable("\u0301x", 1), "x");
  EXPECT_EQ(columns_of("牛e\u0301"), 3U);
  EXPECT_EQ(padded("牛", 4), "牛  ");
  EXPECT_EQ(padded("abcdef", 4), "abcd");
}

TEST_F(TextColumns, the_end_of_a_long_text) {
  EXPECT_EQ(printable_end("/a/b", 4), "/a/b");
  EXPECT_EQ(printable_end("/a/bcdefg", 6), "...efg");
  EXPECT_EQ(printable_end("/牛/牛牛", 6), "...牛")
      << "three columns do not hold two wide characters";
  EXPECT_EQ(printable_end("abcdef", 2), "..");
  EXPECT_EQ(printable_end("abcdef", 0), "");
}

TEST_F(TextColumns, nothing_controls_the_terminal) {
  EXPECT_EQ(printable("a\x1b[2J\n\x7f", 80), "a\\x1b[2J\\x0a\\x7f");
  EXPECT_EQ(printable("\u202Eabc\u2066", 80), "\\u{202e}abc\\u{2066}") << "marks of direction";
  EXPECT_EQ(printable("\u009b1m", 80), "\\u{009b}1m") << "a control character of eight bits";
  EXPECT_EQ(printable("a\xff\xc3", 80), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80", 80), "\\xc0\\xaf\\xed\\xa0\\x80")
      << "overlong, and a surrogate";
}

TEST(TextColumnsWithoutLocale, foreign_characters_are_question_marks) {
  ASSERT_NE(std::setlocale(LC_CTYPE, "C"), nullptr);
  EXPECT_EQ(printable("Löffel 牛\xff", 80), "L?ffel ?\\xff");
}

TEST_F(TextColumns, a_wide_string_has_the_characters) {
  EXPECT_EQ(wide_text("ö牛"), L"ö牛");
}

}  // namespace
}  // namespace haptic
