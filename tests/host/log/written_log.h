#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/log/log_reader.h"
#include "host/log/log_writer.h"

namespace haptic {

/// Tests that write small logs into a folder of their own.
class WrittenLogTest : public testing::Test {
 protected:
  struct Content {
    LogDescription description{};
    std::uint64_t rows = 10;
    std::function<SampleRecord(std::uint64_t)> sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i;
      return record;
    };
    std::function<std::vector<double>(std::uint64_t)> state = [](std::uint64_t) {
      return std::vector<double>{};
    };
    std::vector<EventRecord> events{};
  };

  void SetUp() override {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("haptic-" + std::string(test.name()) + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  LogReader written(const Content& content, const std::string& name = "log.h5") const {
    LogWriter writer(folder_ / name, content.description);
    for (std::uint64_t i = 0; i < content.rows; ++i) {
      writer.append(content.sample(i), content.state(i));
    }
    for (const EventRecord& event : content.events) writer.append_event(event);
    writer.finish();
    return LogReader(folder_ / name);
  }

  std::filesystem::path folder_;
};

}  // namespace haptic
