#include "host/export/event_table.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/export/csv_file.h"
#include "host/export/log_table.h"
#include "host/export/parquet_file.h"
#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

using testing::ElementsAre;

class EventTableTest : public WrittenLogTest {
 protected:
  static EventRecord event(std::uint64_t number, std::uint64_t cycle, const char* text) {
    EventRecord record{};
    record.number = number;
    record.cycle = cycle;
    record.kind = EventKind::kCommand;
    record.command = CommandKind::kMark;
    record.answer = CommandAnswer::kApplied;
    record.uid = 1000;
    record.pid = 4711;
    record.value = 0.25;
    std::strcpy(record.client, "haptic");
    std::strcpy(record.text, text);
    return record;
  }
  LogReader log() const {
    Content content;
    content.description.timing = true;
    content.events = {event(4, 3, "a \"b\", c"), event(5, 8, "end")};
    return written(content);
  }
  template <class T>
  static std::vector<T> values(const EventTable& table, const char* name) {
    const auto column = std::ranges::find(table.columns(), name, &TableColumn::name);
    return std::get<std::vector<T>>(table.values().at(column - table.columns().begin()));
  }
};

TEST_F(EventTableTest, every_column_of_the_events_is_there_with_time_and_words) {
  const LogReader logged = log();
  const EventTable table(logged, {});
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_THAT(values<double>(table, "time"), ElementsAre(0.003, 0.008));
  EXPECT_THAT(values<std::string>(table, "text"), ElementsAre("a \"b\", c", "end"));
  EXPECT_THAT(values<std::string>(table, "client"), ElementsAre("haptic", "haptic"));
  EXPECT_EQ(values<std::string>(table, "event")[1],
            "mark \"end\" by user 1000, process 4711 (haptic): applied");
  EXPECT_THAT(values<std::int64_t>(table, "number"), ElementsAre(4, 5));
  EXPECT_THAT(values<std::int64_t>(table, "command"), ElementsAre(10, 10));
  EXPECT_THAT(values<std::int64_t>(table, "pid"), ElementsAre(4711, 4711));
  EXPECT_THAT(values<double>(table, "value"), ElementsAre(0.25, 0.25));
}

TEST_F(EventTableTest, events_are_those_of_the_chosen_time) {
  const LogReader logged = log();
  EXPECT_EQ(EventTable(logged, {.from_s = 0.004}).rows(), 1u);
  EXPECT_EQ(EventTable(logged, {.from_s = 0.009}).rows(), 0u);
}

TEST_F(EventTableTest, texts_are_quoted_in_csv) {
  const LogReader logged = log();
  write_csv(EventTable(logged, {}), folder_ / "a.csv");
  std::ifstream file(folder_ / "a.csv", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text.rfind("time [s],event,number,", 0), 0u) << text;
  EXPECT_NE(text.find(",\"a \"\"b\"\", c\","), std::string::npos) << text;
}

TEST_F(EventTableTest, a_number_that_is_none_is_refused) {
  Content content;
  content.description.timing = true;
  content.events = {event(4, ~std::uint64_t{0}, "a")};
  const LogReader logged = written(content);
  EXPECT_THROW(EventTable(logged, {}), InputError);
}

TEST_F(EventTableTest, files_of_events_are_told_from_others) {
  const LogReader logged = log();
  const EventTable events(logged, {});
  const LogTable cycles(logged, {}, {});
  write_csv(events, folder_ / "e.csv");
  write_parquet(events, folder_ / "e.parquet");
  write_csv(cycles, folder_ / "c.csv");
  write_parquet(cycles, folder_ / "c.parquet");
  std::ofstream(folder_ / "own.csv") << "time [s],event\n0,start\n";
  EXPECT_TRUE(is_event_file(folder_ / "e.csv"));
  EXPECT_TRUE(is_event_file(folder_ / "e.parquet"));
  for (const char* name : {"c.csv", "c.parquet", "own.csv", "missing.csv", "."}) {
    EXPECT_FALSE(is_event_file(folder_ / name)) << name;
  }
}

TEST_F(EventTableTest, an_offline_log_has_none) {
  const LogReader logged = written({});
  EXPECT_EQ(EventTable(logged, {}).rows(), 0u);
}

}  // namespace
}  // namespace haptic
