// Progress of long commands: its text, and when it is shown.
#include "shared/command_line/progress_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace haptic {
namespace {

/// What a line of 100 s, called a hundred times a second, writes.
std::string written(bool is_terminal, double seconds) {
  std::FILE* const file = std::tmpfile();
  {
    ProgressLine line(file, "run", is_terminal);
    for (int i = 0; i <= 100 * seconds; ++i) line.show_at(i * 1e-4, 0.01 * i);
  }
  std::rewind(file);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

TEST(ProgressLine, the_time_left_is_in_proportion) {
  EXPECT_EQ(progress_text("a", 0.25, 30.0, 80), "a: 25 %, 1 min 30 s left");
  EXPECT_EQ(progress_text("a", 0.5, 7200.0, 80), "a: 50 %, 2 h 0 min left");
  EXPECT_EQ(progress_text("a", 0.999, 10.0, 80), "a: 99 %, 1 s left");
  EXPECT_EQ(progress_text("a", 0.0, 10.0, 80), "a: 0 %");
  EXPECT_EQ(progress_text("a", 1.5, 10.0, 80), "a: 100 %, 0 s left");
}

TEST(ProgressLine, the_line_fits_the_terminal_and_has_no_control_characters) {
  EXPECT_EQ(progress_text("a/b\033]0;x\ac", 0.0, 10.0, 80), "a/b\\x1b]0;x\\x07c: 0 %");
  // ": 50 %, 10 s left" has 17 columns; 22 of the terminal without the last leave four.
  EXPECT_EQ(progress_text("0123456789", 0.5, 10.0, 22), "6789: 50 %, 10 s left");
  EXPECT_EQ(progress_text("0123456\u00e9\u00e9", 0.5, 10.0, 21), "\u00e9: 50 %, 10 s left");
  EXPECT_EQ(progress_text("0123456789", 0.5, 10.0, 5), ": 50 %, 10 s left");
}

TEST(ProgressLine, a_part_has_its_range_of_the_whole) {
  double told = -1.0;
  const Progress part = part_of([&told](double fraction) { told = fraction; }, 0.2, 0.6);
  part(0.5);
  EXPECT_DOUBLE_EQ(told, 0.4);
  EXPECT_FALSE(part_of({}, 0.0, 1.0));
}

TEST(ProgressLine, short_commands_show_nothing) {
  EXPECT_EQ(written(true, 1.9), "");
}

TEST(ProgressLine, without_a_terminal_nothing_is_shown) {
  EXPECT_EQ(written(false, 25.0), "");
  ProgressLine line(stderr, "run", false);
  EXPECT_FALSE(line.progress());
}

TEST(ProgressLine, on_a_terminal_it_is_redrawn_and_cleared) {
  const std::string text = written(true, 4.0);
  const auto drawn = std::ranges::count(text, '\r');
  // From 2 s to 4 s five times a second, and the end; one less or more where a sum rounds.
  EXPECT_GE(drawn, 10);
  EXPECT_LE(drawn, 12);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\033[K"));
}

TEST(ProgressLine, with_json_nothing_is_shown) {
  ProgressLine line(nullptr, "run");
  line.show(0.5);
  line.show_at(0.5, 100.0);
}

}  // namespace
}  // namespace haptic
