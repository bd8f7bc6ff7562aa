#include "shared/ipc/event_text.h"

#include <gtest/gtest.h>

#include <cstring>

namespace haptic {
namespace {

EventRecord command(CommandKind kind) {
  EventRecord event{};
  event.kind = EventKind::kCommand;
  event.command = kind;
  event.answer = CommandAnswer::kApplied;
  event.uid = 1000;
  event.pid = 4711;
  std::strcpy(event.client, "haptic");
  return event;
}

TEST(EventText, names_the_command_its_client_and_the_answer) {
  EventRecord set = command(CommandKind::kSet);
  std::strcpy(set.key, "coupling.stiffness");
  set.value = 200.0;
  EXPECT_EQ(event_text(set),
            "set coupling.stiffness 200 by user 1000, process 4711 (haptic): applied");
  set.answer = CommandAnswer::kOutOfRange;
  EXPECT_EQ(event_text(set),
            "set coupling.stiffness 200 by user 1000, process 4711 (haptic): value out of range");
  EventRecord mark = command(CommandKind::kMark);
  std::strcpy(mark.text, "trial 3");
  EXPECT_EQ(event_text(mark), "mark \"trial 3\" by user 1000, process 4711 (haptic): applied");
  EventRecord load = command(CommandKind::kLoad);
  std::strcpy(load.text, "/scenes/cow.toml");
  EXPECT_EQ(event_text(load), "load /scenes/cow.toml by user 1000, process 4711 (haptic): applied");
}

TEST(EventText, is_one_line_whatever_the_record_holds) {
  EventRecord mark = command(CommandKind::kMark);
  std::memset(mark.text, '\n', sizeof mark.text);  // no end
  std::memset(mark.client, '\x1b', sizeof mark.client);
  const std::string text = event_text(mark);
  EXPECT_EQ(text.find_first_of("\n\x1b"), std::string::npos);
  EXPECT_EQ(text.substr(0, 10), "mark \"\\x0a");
  std::strcpy(mark.text,
              "\xff\x9b"
              "31m");
  EXPECT_EQ(event_text(mark).substr(0, 19), "mark \"\\xff\\x9b31m\" ");
  EventRecord unknown{};
  EXPECT_EQ(event_text(unknown), "unknown event");
}

TEST(EventText, counts_the_commands_that_are_left_out) {
  EventRecord event{};
  event.kind = EventKind::kLeftOut;
  event.uid = 1000;
  event.value = 1.0;
  EXPECT_EQ(event_text(event), "1 more command of user 1000 in a second, not listed");
  event.value = 12345.0;
  EXPECT_EQ(event_text(event), "12345 more commands of user 1000 in a second, not listed");
}

TEST(EventText, names_faults_and_scenes) {
  EventRecord event{};
  event.kind = EventKind::kFault;
  event.fault = FaultKind::kSpeedLimit;
  EXPECT_EQ(event_text(event), "fault speed_limit");
  std::strcpy(event.text, "because\nof this");
  EXPECT_EQ(event_text(event), "fault speed_limit: because\\x0aof this");
  event.kind = EventKind::kScene;
  std::strcpy(event.text, "/scenes/cow.toml");
  EXPECT_EQ(event_text(event), "another scene /scenes/cow.toml");
}

}  // namespace
}  // namespace haptic
