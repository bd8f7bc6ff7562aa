// Logs that were cut off: every reader has the cycles up to the cut, or one line that refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "host/log/log_reader.h"
#include "host/log/log_writer.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr double kRate_Hz = 200.0;       // 50 cycles a chunk
constexpr std::uint64_t kCutRows = 330;  // six chunks and a part

SampleRecord cut_sample(std::uint64_t cycle) {
  SampleRecord sample{};
  sample.cycle = cycle;
  sample.device_pose.position_m[1] = 1.0 + 0.5 * static_cast<double>(cycle);
  sample.total_ns = 1000 + static_cast<std::int64_t>(cycle);
  return sample;
}

EventRecord event_of(std::uint64_t number) {
  EventRecord event{};
  event.number = number;
  event.kind = EventKind::kCommand;
  event.command = CommandKind::kMark;
  event.cycle = 10 * number;
  std::strcpy(event.text, "trial");
  return event;
}

class CutLogTest : public testing::Test {
 protected:
  CutLogTest() { fs::create_directories(folder_); }
  ~CutLogTest() override { fs::remove_all(folder_); }

  static LogDescription cut_description() {
    LogDescription description;
    description.source = "hapticd";
    description.rate_hz = kRate_Hz;
    description.timing = true;
    description.state = StateLayout(
        {{.name = "chain/energy", .unit = "J"},
         {.name = "chain/position", .unit = "m", .shape = {4, 3}, .rate = StateRate::kDisplay}});
    description.session.emplace();
    description.session->scene_text = "rate_hz = 200\n";
    description.session->parameters = {{"limits.force", 5.0, 0.0, 8.0}};
    return description;
  }
  /// @param gap  cycles that are missing after half of the rows
  static void fill(LogWriter& writer, std::uint64_t gap = 0) {
    for (std::uint64_t row = 0; row < kCutRows; ++row) {
      const double energy[] = {static_cast<double>(row)};
      writer.append(cut_sample(row < kCutRows / 2 ? row : row + gap), energy);
      if (row % 20 == 0) writer.append_event(event_of(row / 20));
      if (row % 4 == 0) {
        writer.append_display({row, row, std::vector<float>(12, static_cast<float>(row))});
      }
    }
  }
  static std::vector<char> bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Everything that readers ask of a log. @returns its cycles, which are right
  static std::uint64_t expect_sound(const LogReader& log) {
    const std::vector<double> y = log.column("/samples/device_position_m");
    const std::vector<double> cycles = log.column("/samples/cycle");
    const std::vector<double> energy = log.column("/state/chain/energy");
    EXPECT_EQ(cycles.size(), log.rows());
    EXPECT_EQ(y.size(), 3 * log.rows());
    EXPECT_EQ(energy.size(), log.rows());
    for (std::size_t row = 0; row < log.rows(); ++row) {
      EXPECT_EQ(cycles[row], static_cast<double>(row));
      EXPECT_EQ(y[3 * row + 1], 1.0 + 0.5 * static_cast<double>(row));
      EXPECT_EQ(energy[row], static_cast<double>(row));
    }
    if (log.rows() > 0) {
      EXPECT_EQ(log.sample(log.rows() - 1).record.cycle, log.rows() - 1);
    }
    const std::vector<EventRecord> events = log.events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(events[i].number, i);
      EXPECT_STREQ(events[i].text, "trial");
    }
    const auto display = log.display(100);
    if (display) {
      EXPECT_EQ(display->state[3], static_cast<float>(display->first_cycle));
    }
    return log.rows();
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("haptic-cut-log-" + std::to_string(::getpid()));
};

TEST_F(CutLogTest, a_log_can_be_read_while_it_is_written) {
  const fs::path path = folder_ / "live.h5";
  LogWriter writer(path, cut_description(), LogWriter::Readable::kWhileWritten);
  EXPECT_EQ(LogReader(path).rows(), 0u);
  fill(writer);
  {
    const LogReader log(path);
    EXPECT_FALSE(log.is_complete());
    EXPECT_EQ(expect_sound(log), kCutRows / 50 * 50);
  }
  EXPECT_TRUE(writer.has_pending());
  writer.flush();
  EXPECT_FALSE(writer.has_pending());
  EXPECT_EQ(expect_sound(LogReader(path)), kCutRows);
  writer.add_lost(4);
  writer.finish();
  const LogReader log(path);
  EXPECT_TRUE(log.is_complete());
  EXPECT_EQ(expect_sound(log), kCutRows);
  EXPECT_EQ(log.lost_samples(), 4u);
  EXPECT_EQ(log.events().size(), 17u);
}

TEST_F(CutLogTest, gaps_have_their_cycle_and_count) {
  const fs::path path = folder_ / "gap.h5";
  LogWriter writer(path, cut_description(), LogWriter::Readable::kWhileWritten);
  fill(writer, 7);
  writer.flush();
  const LogReader log(path);
  EXPECT_EQ(log.column("/gaps/cycle"), std::vector<double>({kCutRows / 2 + 7.0}));
  EXPECT_EQ(log.column("/gaps/lost"), std::vector<double>({7.0}));
  EXPECT_EQ(log.lost_samples(), std::nullopt);  // what was lost at the end is not known
}

// 240 places to cut, of a log that was finished and of one whose writer was killed.
TEST_F(CutLogTest, a_log_that_is_cut_anywhere_has_its_cycles_up_to_there_or_is_refused) {
  const fs::path whole = folder_ / "whole.h5", cut = folder_ / "cut.h5";
  LogWriter writer(whole, cut_description(), LogWriter::Readable::kWhileWritten);
  fill(writer);
  const std::vector<char> unfinished = bytes_of(whole);
  writer.finish();
  const std::vector<char> finished = bytes_of(whole);
  constexpr std::size_t kCuts = 120;
  for (const std::vector<char>* bytes : {&unfinished, &finished}) {
    std::uint64_t longest = 0;
    std::size_t refused = 0;
    for (std::size_t i = 0; i <= kCuts; ++i) {
      const std::size_t length = bytes->size() * i / kCuts;
      std::ofstream(cut, std::ios::binary)
          .write(bytes->data(), static_cast<std::streamsize>(length));
      try {
        longest = std::max(longest, expect_sound(LogReader(cut)));
      } catch (const std::exception& error) {
        ++refused;
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("cut.h5"), std::string::npos) << error.what();
      }
      ASSERT_FALSE(HasFailure()) << "cut at byte " << length << " of " << bytes->size();
    }
    EXPECT_EQ(longest, bytes == &finished ? kCutRows : kCutRows / 50 * 50);
    // What is in front of the first cycles, which is nearly half of so short a log, is needed.
    EXPECT_LT(refused, kCuts * 3 / 4);
    RecordProperty("refused", static_cast<int>(refused));
  }
}

}  // namespace
}  // namespace haptic
