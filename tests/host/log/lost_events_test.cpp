#include "host/log/lost_events.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

EventRecord event(std::uint64_t number) {
  EventRecord record{};
  record.number = number;
  record.kind = EventKind::kCommand;
  return record;
}

TEST(LostEvents, are_the_holes_in_the_numbers) {
  EXPECT_EQ(lost_events({}).overwritten, 0u);
  EXPECT_EQ(lost_events({event(7), event(8)}).overwritten, 0u);  // a recording begins somewhere
  EXPECT_EQ(lost_events({event(7), event(8)}).text(), "");
  EXPECT_EQ(lost_events({event(7), event(9)}).text(), "1 event lost");
  EXPECT_EQ(lost_events({event(0), event(5), event(6), event(10)}).text(), "7 events lost");
}

TEST(LostEvents, are_also_the_commands_beyond_the_quota) {
  EventRecord left_out = event(1);
  left_out.kind = EventKind::kLeftOut;
  left_out.value = 1200.0;
  EXPECT_EQ(lost_events({event(0), left_out}).text(), "1200 commands beyond the quota of events");
  EXPECT_EQ(lost_events({event(0), left_out, event(5)}).text(),
            "3 events lost, 1200 commands beyond the quota of events");
  left_out.value = -1.0;  // of a damaged log
  EXPECT_EQ(lost_events({left_out}).text(), "");
}

}  // namespace
}  // namespace haptic
