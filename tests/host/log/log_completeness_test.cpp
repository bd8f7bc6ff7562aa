#include "host/log/log_completeness.h"

#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class LogCompletenessTest : public WrittenLogTest {
 protected:
  static constexpr std::uint64_t kRows = 600;

  fs::path path() const { return folder_ / "log.h5"; }

  /// A recording of `kRows` cycles and an event every 100, without those of the `skipped`
  /// cycles from `first_skipped` on
  void record(LogWriter& writer, std::uint64_t first_skipped = 0, std::uint64_t skipped = 0) const {
    for (std::uint64_t i = 0; i < kRows; ++i) {
      const bool is_skipped = i >= first_skipped && i < first_skipped + skipped;
      SampleRecord sample{};
      sample.cycle = i;
      if (!is_skipped) writer.append(sample, std::vector<double>{});
      EventRecord event{};
      event.number = i / 100;
      event.kind = EventKind::kCommand;
      if (i % 100 == 0 && !is_skipped) writer.append_event(event);
    }
  }
  static LogDescription of_daemon() {
    LogDescription description;
    description.source = "hapticd";
    description.rate_hz = 200.0;  // 50 rows a chunk
    description.timing = true;
    description.session.emplace();
    return description;
  }
  Lines lacks() const { return completeness(LogReader(path())); }
};

constexpr const char* kNotFinished =
    "the recording was not finished: it is still going on, its recorder was killed, or the disk "
    "was "
    "full; how many cycles were lost at its end is not known";

TEST_F(LogCompletenessTest, a_finished_log_lacks_nothing) {
  LogWriter log(path(), of_daemon(), LogWriter::Readable::kWhileWritten);
  record(log);
  log.finish();
  EXPECT_EQ(lacks(), Lines());
}

TEST_F(LogCompletenessTest, a_recorder_that_did_not_finish_is_said) {
  LogWriter log(path(), of_daemon(), LogWriter::Readable::kWhileWritten);
  record(log);
  log.flush();
  EXPECT_EQ(lacks(), Lines({kNotFinished}));
}

TEST_F(LogCompletenessTest, a_finished_log_that_was_cut_off_is_said) {
  {
    LogWriter log(path(), of_daemon(), LogWriter::Readable::kWhileWritten);
    record(log);
    log.finish();
  }
  const std::uintmax_t size = fs::file_size(path());
  fs::resize_file(path(), size - 20000);
  const Lines lines = lacks();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "the file was cut off: its last 20000 bytes are missing");
  const std::uint64_t rows = LogReader(path()).rows();
  EXPECT_LT(rows, kRows);
  EXPECT_EQ(lines[1], std::to_string(rows) + " of its 600 cycles can be read");
  const std::size_t events = LogReader(path()).events().size();
  EXPECT_EQ(lines[2], std::to_string(events) + " of its 6 events can be read");
}

TEST_F(LogCompletenessTest, missing_cycles_and_events_are_counted) {
  LogWriter log(path(), of_daemon(), LogWriter::Readable::kWhileWritten);
  record(log, 195, 110);  // events 2 and 3
  log.add_lost(110);
  log.finish();
  EXPECT_EQ(lacks(), Lines({"110 cycles are missing in 1 place", "2 events lost"}));
}

TEST_F(LogCompletenessTest, cycles_lost_before_the_first_row_are_counted) {
  LogWriter log(path(), of_daemon(), LogWriter::Readable::kWhileWritten);
  record(log);
  log.add_lost(7);
  log.finish();
  EXPECT_EQ(lacks(), Lines({"7 cycles were lost outside of its rows"}));
}

}  // namespace
}  // namespace haptic
