#include "shared/ipc/command.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace haptic {
namespace {

Command set_command(const char* key, double value) {
  Command command{};
  command.kind = CommandKind::kSet;
  command.value = value;
  std::strncpy(command.subject, key, Command::kSubjectLength - 1);
  return command;
}

Command load_command(const char* path) {
  Command command{};
  command.kind = CommandKind::kLoad;
  std::strncpy(command.text, path, Command::kTextLength - 1);
  return command;
}

TEST(Command, only_valid_ones_are_well_formed) {
  EXPECT_TRUE(is_well_formed(set_command("coupling.stiffness", 1.0)));
  EXPECT_TRUE(is_well_formed({CommandKind::kStop, 0, 0.0, {}}));
  EXPECT_TRUE(is_well_formed({CommandKind::kTakeover, 0, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({static_cast<CommandKind>(0), 0, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({static_cast<CommandKind>(kCommandKinds + 1), 0, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({CommandKind::kStop, 1, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({CommandKind::kStop, 0, 1.0, {}}));
  EXPECT_FALSE(is_well_formed({CommandKind::kStop, 0, 0.0, {'a'}}));
  EXPECT_FALSE(is_well_formed(set_command("", 1.0)));
  EXPECT_FALSE(is_well_formed(set_command("a b", 1.0)));
  EXPECT_FALSE(is_well_formed(set_command("k", std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(is_well_formed(set_command("k", std::numeric_limits<double>::infinity())));
  Command unterminated = set_command("k", 1.0);
  std::memset(unterminated.subject, 'x', Command::kSubjectLength);
  EXPECT_FALSE(is_well_formed(unterminated));
  Command trailing = set_command("k", 1.0);
  trailing.subject[10] = 'z';
  EXPECT_FALSE(is_well_formed(trailing));
}

TEST(Command, a_mark_has_a_text_and_nothing_else) {
  Command command{};
  command.kind = CommandKind::kMark;
  EXPECT_FALSE(is_well_formed(command));
  std::strcpy(command.text, "Versuch 3, \xc3\xbc\x62rig");
  EXPECT_TRUE(is_well_formed(command));
  EXPECT_EQ(name(command.kind), "mark");
  std::strcpy(command.text, "two\nlines");
  EXPECT_FALSE(is_well_formed(command));
  std::strcpy(command.text, "half \xc3");
  EXPECT_FALSE(is_well_formed(command));
  std::strcpy(command.text, "trial 3");
  command.value = 1.0;
  EXPECT_FALSE(is_well_formed(command));
  Command set = set_command("k", 1.0);
  std::strcpy(set.text, "trial 3");
  EXPECT_FALSE(is_well_formed(set));
}

TEST(Command, a_pull_has_a_body_and_possible_numbers_or_neither) {
  Command command{};
  command.kind = CommandKind::kPull;
  EXPECT_TRUE(is_well_formed(command));  // lets go
  std::strcpy(command.subject, "cow");
  EXPECT_FALSE(is_well_formed(command));
  const PullRequest good = {{0.1, 0.2, 0.3}, {-1.0, 0.0, 0.0}, 200.0, 5.0, 1.0};
  command.pull = good;
  EXPECT_TRUE(is_well_formed(command));
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  command.pull.point[2] = kNaN;
  EXPECT_FALSE(is_well_formed(command));
  command.pull = good;
  command.pull.target[0] = kNaN;
  EXPECT_FALSE(is_well_formed(command));
  for (const double bad : {0.0, -1.0, kNaN, std::numeric_limits<double>::infinity()}) {
    command.pull = good;
    command.pull.stiffness = bad;
    EXPECT_FALSE(is_well_formed(command)) << bad;
    command.pull = good;
    command.pull.limit = bad;
    EXPECT_FALSE(is_well_formed(command)) << bad;
  }
  command.pull = good;
  command.pull.is_relative = 0.5;
  EXPECT_FALSE(is_well_formed(command));
  command.pull = good;
  command.subject[0] = '\0';
  EXPECT_FALSE(is_well_formed(command));
  Command set = set_command("k", 1.0);
  set.pull.limit = 1.0;
  EXPECT_FALSE(is_well_formed(set));
}

TEST(Command, a_client_names_itself_in_printable_characters) {
  Command command{};
  command.kind = CommandKind::kEngage;
  std::strcpy(command.client, "haptic");
  EXPECT_TRUE(is_well_formed(command));
  std::strcpy(command.client, "a\nb");
  EXPECT_FALSE(is_well_formed(command));
  std::memset(command.client, 'x', Command::kClientLength);
  EXPECT_FALSE(is_well_formed(command));
}

TEST(Command, a_deadline_is_not_negative) {
  Command command{};
  command.kind = CommandKind::kEngage;
  command.deadline_ns = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(is_well_formed(command));
  command.deadline_ns = -1;
  EXPECT_FALSE(is_well_formed(command));
}

TEST(Command, a_path_belongs_to_load_and_is_absolute) {
  EXPECT_TRUE(is_well_formed(load_command("/var/lib/hapticd/a scene \xc3\xa4.toml")));
  EXPECT_FALSE(is_well_formed(load_command("")));
  EXPECT_FALSE(is_well_formed(load_command("scene.toml")));
  EXPECT_FALSE(is_well_formed(load_command("/a\nb.toml")));
  EXPECT_FALSE(is_well_formed(load_command("/a\x7f.toml")));
  Command other = load_command("/scene.toml");
  other.value = 1.0;
  EXPECT_FALSE(is_well_formed(other));
  other = load_command("/scene.toml");
  other.kind = CommandKind::kEngage;
  EXPECT_FALSE(is_well_formed(other));
  other = set_command("k", 1.0);
  other.text[0] = '/';
  EXPECT_FALSE(is_well_formed(other));
  other = load_command("/scene.toml");
  other.subject[0] = 'k';
  EXPECT_FALSE(is_well_formed(other));
  other = load_command("/scene.toml");
  other.text[100] = 'z';
  EXPECT_FALSE(is_well_formed(other));
  std::memset(other.text, '/', Command::kTextLength);
  EXPECT_FALSE(is_well_formed(other));
}

}  // namespace
}  // namespace haptic
