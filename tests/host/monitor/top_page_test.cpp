// The page of `haptic top` at every size: nothing outside it, and what must be on it at 80 x 24.
#include "host/monitor/top_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "host/monitor/text_columns.h"

namespace haptic {
namespace {

constexpr const char* kPrompt = "e engage   r release   s stop   R reset   q quit";

/// An engaged daemon with more of everything than a small page takes.
StatusReport busy() {
  StatusReport report;
  report.header.rate_hz = 1000.0;
  report.header.force_limit_N = 9.0;
  report.header.torque_limit_Nm = 0.5;
  report.header.grants = kGrantGuarded | kGrantAllocationsWatched;
  std::strcpy(report.header.device, "novint-falcon");
  std::strcpy(report.header.scene_path,
              "/scenes/a/very/long/path/of/a/scene/that/does/not/fit/in/"
              "one/line/of/a/terminal/scene.toml");
  report.has_cycle = true;
  report.newest.record.state = ServoState::kEngaged;
  report.newest.record.device_wrench.force_N[1] = 4.5;
  report.newest.record.device_wrench.torque_Nm[0] = 0.49;
  report.newest.record.total_ns = 250'000;
  report.newest.record.port_energy_J = -0.125;
  std::vector<StateBlock> blocks;
  for (int i = 0; i < 30; ++i) {
    blocks.push_back({.name = "block/number" + std::to_string(i), .unit = "J"});
    report.newest.state.push_back(i + 0.5);
  }
  report.state = StateLayout(blocks);
  report.statistics.counters.cycles = 123456;
  for (int k = 8; k < 24; ++k) {
    for (int i = 0; i < 100; ++i) {
      report.statistics.wake.record(std::int64_t{1} << k);
      report.statistics.compute.record(std::int64_t{3} << k);
    }
  }
  report.holder.since_ns = 1;
  report.holder.uid = 1000;
  std::strcpy(report.holder.client, "haptic");
  return report;
}

std::vector<EventRecord> events(int count) {
  std::vector<EventRecord> list;
  for (int i = 0; i < count; ++i) {
    EventRecord event{};
    event.kind = EventKind::kCommand;
    event.command = CommandKind::kMark;
    event.answer = CommandAnswer::kApplied;
    event.time_ns = i * 1'000'000'000LL;
    std::strcpy(event.text, ("trial " + std::to_string(i)).c_str());
    list.push_back(event);
  }
  return list;
}

std::string text_of(const std::vector<PageLine>& lines) {
  std::string text;
  for (const PageLine& line : lines) text += line.text + "\n";
  return text;
}

TEST(TopPage, has_the_physical_warnings_of_the_scene) {
  StatusReport report = busy();
  const auto shown = [&](std::size_t rows) {
    return text_of(top_page("d", report, {}, kPrompt, {rows, 200}));
  };
  EXPECT_EQ(shown(24).find("warning"), std::string::npos);
  report.newest.record.cycle = 5000;
  for (WarningRecord& record : report.statistics.warnings) {
    record = {
        .cycles = 1500, .last_cycle = 3000, .spell = 1, .longest_spell = 1500, .largest = 1.0};
  }
  EXPECT_NE(shown(24).find("warning 1.5 s, last 2 s ago: the coupling saturates"),
            std::string::npos)
      << shown(24);
  EXPECT_NE(shown(24).find("more: haptic status"), std::string::npos);
  EXPECT_NE(shown(24).find("wake-up"), std::string::npos);  // there is room for the rest
  EXPECT_EQ(shown(100).find("more: haptic status"), std::string::npos);
}

TEST(TopPage, fills_every_size_and_never_leaves_it) {
  for (const std::size_t rows : {1U, 2U, 5U, 10U, 23U, 24U, 25U, 60U, 300U}) {
    for (const std::size_t columns : {1U, 2U, 10U, 40U, 79U, 80U, 200U, 1000U}) {
      const auto lines = top_page("d", busy(), events(300), kPrompt, {rows, columns});
      EXPECT_EQ(lines.size(), rows);
      for (const PageLine& line : lines) {
        EXPECT_LE(line.text.size(), columns) << line.text;
        EXPECT_TRUE(std::ranges::all_of(line.text, [](char c) { return c >= ' ' && c <= '~'; }));
      }
      EXPECT_EQ(lines.back().text, std::string(kPrompt).substr(0, columns));
    }
  }
}

TEST(TopPage, a_small_terminal_has_all_parts) {
  const std::string text = text_of(top_page("rig", busy(), events(40), kPrompt, {24, 80}));
  for (const char* part :
       {"hapticd \"rig\"  engaged", "1000 Hz", "engaged  ...hat/does/not/fit",
        "novint-falcon, guarded", "user 1000", "4.5 of 9 N", "0.49 of 0.5 N m", "250 of 1000 us",
        "-0.125 J", "wake-up p50", "compute p50", "block/number0 0.5 J", "mark \"trial 39\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("trial 10\""), std::string::npos) << "the newest events are shown";
}

TEST(TopPage, a_large_terminal_shows_more) {
  const std::string text = text_of(top_page("rig", busy(), events(40), kPrompt, {60, 200}));
  EXPECT_NE(text.find("block/number29 29.5 J"), std::string::npos) << text;
  EXPECT_NE(text.find("mark \"trial 30\""), std::string::npos);
}

TEST(TopPage, a_bar_is_as_long_as_its_part_of_the_limit) {
  StatusReport report = busy();
  const auto filled = [&] {
    const auto lines = top_page("d", report, {}, kPrompt, {24, 80});
    return std::ranges::count(lines[3].text, '#');
  };
  EXPECT_EQ(filled(), 14);  // 4.5 of 9 N, of 28 columns
  report.newest.record.device_wrench.force_N[1] = 0.0;
  EXPECT_EQ(filled(), 0);
  report.newest.record.device_wrench.force_N[1] = 90.0;
  EXPECT_EQ(filled(), 28);
  report.newest.record.device_wrench.force_N[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(filled(), 28) << "not finite";
  report.newest.record.device_wrench.force_N[1] = 4.5;
  report.header.force_limit_N = std::numeric_limits<double>::infinity();
  EXPECT_EQ(filled(), 0) << "no limit";
}

TEST(TopPage, what_needs_attention_stands_out) {
  StatusReport report = busy();
  const auto emphasis = [&](std::size_t row) {
    return top_page("d", report, {}, kPrompt, {24, 80})[row].emphasis;
  };
  EXPECT_EQ(emphasis(0), Emphasis::kGood);
  EXPECT_EQ(emphasis(4), Emphasis::kWarning) << "a torque of 98 % of its limit";
  EXPECT_EQ(emphasis(3), Emphasis::kPlain);
  report.newest.record.state = ServoState::kFault;
  EXPECT_EQ(emphasis(0), Emphasis::kBad);
  report.newest.record.state = ServoState::kEngaged;
  report.life = DaemonLife::kDead;
  EXPECT_EQ(emphasis(0), Emphasis::kBad);
}

TEST(TopPage, texts_of_others_cannot_control_the_terminal) {
  StatusReport report = busy();
  std::strcpy(report.header.scene_path, "/a\x1b[2J\n\xff.toml");
  std::strcpy(report.holder.client, "\x1b]0;x\a");
  const std::string text = text_of(top_page("d\r", report, {}, "a\tb", {24, 80}));
  EXPECT_NE(text.find("/a\\x1b[2J\\x0a\\xff.toml"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TopPage, foreign_texts_keep_the_columns) {
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  StatusReport report = busy();
  std::strcpy(report.header.scene_path, "/scenes/Löffel/牛の肝臓.toml");
  auto list = events(1);
  std::strcpy(list[0].text, "Übung 牛");
  const auto lines = top_page("d", report, list, kPrompt, {24, 80});
  for (const PageLine& line : lines) EXPECT_LE(columns_of(line.text), 80U) << line.text;
  const std::string text = text_of(lines);
  EXPECT_NE(text.find("/scenes/Löffel/牛の肝臓.toml"), std::string::npos) << text;
  EXPECT_NE(text.find("Übung 牛"), std::string::npos) << text;
  std::setlocale(LC_CTYPE, "C");
}

}  // namespace
}  // namespace haptic
