#include "host/monitor/key_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace haptic {
namespace {

std::string keys_in(std::string_view bytes) {
  KeyReader reader;
  std::string names;
  for (const char byte : bytes) {
    if (const auto key = reader.take(byte)) names += name_of(*key) + " ";
  }
  return names;
}

TEST(KeyReader, characters_and_arrows_of_both_modes) {
  EXPECT_EQ(keys_in("aD~"), "a D ~ ");
  EXPECT_EQ(keys_in("\x1b[A\x1b[B\x1b[C\x1b[D"), "up down right left ");
  EXPECT_EQ(keys_in("\x1bOA\x1bOB\x1bOC\x1bOD"), "up down right left ");
  EXPECT_EQ(keys_in("a\x1b[1;5Cb"), "a right b ");  // with Ctrl
}

TEST(KeyReader, other_sequences_and_bytes_are_skipped) {
  EXPECT_EQ(keys_in("\x1b[5~a\x1b[Hb\x1bOPc"), "a b c ");  // page up, home, F1
  EXPECT_EQ(keys_in("\x1b[200~a\x1b[201~"), "a ");         // bracketed paste
  EXPECT_EQ(keys_in("\x1b\x1b[Ad"), "up d ");              // the Escape key before an arrow
  EXPECT_EQ(keys_in("\x1b"
                    "a"),
            "a ");  // Alt with a
  EXPECT_EQ(keys_in("\t\r\n\x7f\x01"), "");
  EXPECT_EQ(keys_in("\xc3\xa4x"), "x ");  // a letter of UTF-8
}

TEST(KeyReader, names_are_inverse) {
  for (const char* name : {"a", "Z", "1", "/", "=", "left", "right", "up", "down"}) {
    ASSERT_TRUE(key_named(name)) << name;
    EXPECT_EQ(name_of(*key_named(name)), name);
  }
  for (const char* name : {"", " ", "ab", "Left", "\x1b", "\xc3\xa4"}) {
    EXPECT_FALSE(key_named(name)) << name;
  }
}

}  // namespace
}  // namespace haptic
