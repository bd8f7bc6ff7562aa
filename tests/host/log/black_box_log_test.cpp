#include "host/log/black_box_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/log/telemetry_log.h"
#include "shared/error.h"
#include "tests/host/log/written_box.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

class BlackBoxLog : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    box_ = folder_ / "a.box";
    publish_box(writer_);
    write_file(box_, box_of(TelemetryReader(name_), "rate_hz = 1000\n", "kind = \"falcon\"\n"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  const std::string name_ = test_name("box-log");
  const fs::path folder_ = fs::temp_directory_path() / name_;
  fs::path box_;
  TelemetryWriter writer_{name_, description_of_box()};
};

void expect_equal_columns(const LogReader& a, const LogReader& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cycle_columns(), b.cycle_columns());
  for (const std::string& column : a.cycle_columns()) {
    EXPECT_EQ(a.column(column), b.column(column)) << column;
  }
  for (const char* const column : {"/events/value", "/events/number", "/gaps/lost",
                                   "/display/cloth", "/display_cycles/last", "/parameters/value"}) {
    EXPECT_EQ(a.column(column), b.column(column)) << column;
  }
}

TEST_F(BlackBoxLog, is_the_log_that_a_recorder_would_have_written) {
  writer_.settle_events(300);
  const std::atomic<bool> stop{false};
  RecordSettings settings;
  settings.from_oldest = true;
  settings.seconds = 0.256;  // at 1000 Hz: the ring
  record_telemetry(name_, folder_ / "live.h5", settings, stop);
  const LogReader live(folder_ / "live.h5");
  const LogReader box(box_);
  expect_equal_columns(box, live);
  EXPECT_EQ(box.rows(), 256u);
  EXPECT_EQ(box.lost_samples(), 0u);
  EXPECT_TRUE(box.is_complete());
  EXPECT_EQ(box.description().source, "hapticd");
  EXPECT_EQ(box.description().state.blocks().size(), live.description().state.blocks().size());
  EXPECT_EQ(box.description().bodies.at(0).model_hash, 0xabcdu);
  EXPECT_EQ(box.scene_text(), "rate_hz = 1000\n");
  EXPECT_EQ(box.events().at(1).value, 2.0);
}

TEST_F(BlackBoxLog, is_the_same_as_a_file) {
  const RecordedFile made = record_black_box(box_, folder_ / "log.h5");
  EXPECT_EQ(made.rows, 256u);
  EXPECT_EQ(made.lost, 0u);
  const LogReader box(box_);
  expect_equal_columns(box, LogReader(folder_ / "log.h5"));
}

TEST_F(BlackBoxLog, leaves_no_file_and_is_opened_as_often_as_wanted) {
  const LogReader first(box_), second(box_);
  EXPECT_EQ(first.column("/samples/cycle"), second.column("/samples/cycle"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

// Whoever can write the checksums can write anything: no value may crash a reader of logs.
TEST_F(BlackBoxLog, with_absurd_values_and_valid_checksums_is_a_log_or_refused) {
  const std::string good = box_of(TelemetryReader(name_), "rate_hz = 1000\n", "");
  BlackBoxHeader header{};
  std::memcpy(&header, good.data(), sizeof header);
  TelemetryHeader telemetry{};
  std::memcpy(&telemetry, good.data() + sizeof header, sizeof telemetry);
  const std::size_t parts[] = {0,
                               telemetry.bodies_offset,
                               telemetry.blocks_offset,
                               telemetry.parameters_offset,
                               telemetry.events_offset,
                               telemetry.ring_offset,
                               telemetry.display_offset};
  constexpr std::uint64_t kValues[] = {
      0, 1, 0x0a0a0a0a0a0a0a0a, 0x7ff8000000000000, 0x7fefffffffffffff, ~std::uint64_t{0}};
  std::mt19937_64 random(3);
  int logs = 0, refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::string bytes = good;
    for (int edit = 0; edit < 3; ++edit) {
      const std::size_t part = parts[random() % std::size(parts)];
      const std::size_t at = sizeof header + part + random() % 200 * 8;
      if (at + 8 <= sizeof header + header.telemetry.size) {
        std::memcpy(bytes.data() + at, &kValues[random() % std::size(kValues)], 8);
      }
    }
    header.telemetry.checksum = black_box_checksum(
        std::as_bytes(std::span(bytes)).subspan(sizeof header, header.telemetry.size));
    header.checksum = header_checksum(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    write_file(box_, bytes);
    try {
      const LogReader log(box_);
      ASSERT_LE(log.rows() + log.lost_samples().value(), 256u);
      for (const std::string& column : log.cycle_columns()) {
        ASSERT_EQ(log.column(column).size(), log.rows() * log.width(column)) << column;
      }
      if (log.rows() > 0) static_cast<void>(log.sample(log.rows() - 1));
      static_cast<void>(log.events());
      static_cast<void>(log.display(299));
      ++logs;
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(logs, 10);  // both happen
  EXPECT_GT(refused, 10);
}

TEST_F(BlackBoxLog, that_is_damaged_replaces_no_log) {
  write_file(folder_ / "damaged.box", std::string("\x7fHAPBOX1") + "and no more");
  write_file(folder_ / "log.h5", "kept");
  EXPECT_THROW(record_black_box(folder_ / "damaged.box", folder_ / "log.h5"), InputError);
  EXPECT_EQ(fs::file_size(folder_ / "log.h5"), 4u);
  try {
    const LogReader log(folder_ / "damaged.box");
    FAIL() << "a damaged black box was opened";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("damaged.box: header: found 19 bytes, expected"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace haptic
