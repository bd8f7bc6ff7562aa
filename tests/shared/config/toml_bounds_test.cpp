#include "shared/config/toml_bounds.h"

#include <gtest/gtest.h>

#include <string>

#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::string message_of(const std::string& text) {
  try {
    TomlDocument::parse(text, "a.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

constexpr const char* kTooManyParts = ": found a longer key, expected a key of at most 32 parts";
constexpr const char* kTooDeep =
    ": found deeper nesting, expected arrays and inline tables in at most 32 levels";

TEST(TomlBounds, a_key_or_header_has_at_most_32_parts) {
  const std::string parts = repeated("a.", 31) + "a";
  EXPECT_EQ(message_of(parts + " = 1\n"), "accepted");
  EXPECT_EQ(message_of("x = 1\n" + parts + ".a = 1\n"), "a.toml:2" + std::string(kTooManyParts));
  EXPECT_EQ(message_of("[" + parts + ".a]\n"), "a.toml:1" + std::string(kTooManyParts));
  EXPECT_EQ(message_of("[[" + parts + " . a]]\n"), "a.toml:1" + std::string(kTooManyParts));
  EXPECT_EQ(message_of("x = { " + parts + ".\"a\" = 1 }\n"),
            "a.toml:1" + std::string(kTooManyParts));
}

TEST(TomlBounds, parts_in_quotes_count_and_dots_in_quotes_do_not) {
  EXPECT_EQ(message_of(repeated("\"a\".", 40) + "b = 1\n"),
            "a.toml:1" + std::string(kTooManyParts));
  EXPECT_EQ(message_of(repeated("'.'.", 40) + "b = 1\n"), "a.toml:1" + std::string(kTooManyParts));
  const std::string dots(100, '.');
  EXPECT_EQ(message_of("\"" + dots + "\" = '" + dots + "' # " + dots + "\n"), "accepted");
  EXPECT_EQ(message_of("a = \"\"\"\n" + dots + "\\\"\"\"" + dots + "\"\"\"\n"), "accepted");
  EXPECT_EQ(message_of("a = '''\n" + dots + "''" + dots + "\\'''\n"), "accepted");
}

TEST(TomlBounds, numbers_and_short_keys_add_up_to_nothing) {
  EXPECT_EQ(message_of("a = [" + repeated("1.5, ", 100) + "]\n"), "accepted");
  EXPECT_EQ(message_of(repeated("[[a.b]]\nc.d = 1.5\n", 100)), "accepted");
}

TEST(TomlBounds, values_nest_at_most_32_deep) {
  EXPECT_EQ(message_of("a = " + repeated("[", 32) + repeated("]", 32) + "\n"), "accepted");
  EXPECT_EQ(message_of("a = " + repeated("[", 33) + repeated("]", 33) + "\n"),
            "a.toml:1" + std::string(kTooDeep));
  EXPECT_EQ(message_of("\n\na = [\n" + repeated("{a=[", 20)), "a.toml:4" + std::string(kTooDeep));
}

// Each hides a long key from who misjudges where a string ends, and is TOML otherwise.
TEST(TomlBounds, no_string_hides_a_key) {
  const std::string key = repeated("a.", 40) + "a = 1";
  for (const char* string :
       {R"("")", R"("\"")", R"("\\")", R"('\')", R"("""""")", R"("""""""")", R"("""a"""")",
        R"("""a""""")",
        R"("""\"""")"
        R"(")",
        R"("""a\\""")", "''''''", "'''a''''", "'''a'''''", R"('''\''')", "\"\"\"\n\"\"\""}) {
    const std::string text = "x = [" + std::string(string) + ", {" + key + "}]\n";
    EXPECT_TRUE(message_of(text).ends_with(kTooManyParts)) << text;
    EXPECT_EQ(message_of("x = [" + std::string(string) + ", {a.a = 1}]\n"), "accepted") << string;
  }
}

TEST(TomlBounds, keys_inside_nested_tables_do_not_exhaust_the_stack) {
  const std::string key = repeated("a.", 31) + "a";
  std::string text = "[" + key + "]\n" + key + " = ";
  for (int i = 0; i < 32; ++i) text += "{" + key + " = ";
  text += "1" + repeated("}", 32) + "\n";
  EXPECT_EQ(message_of(text), "accepted");
}

TEST(TomlBounds, a_text_has_at_most_4_MiB) {
  const std::string text = "a = 1\n#";
  EXPECT_EQ(message_of(text + std::string(kMaxTomlBytes - text.size(), '#')), "accepted");
  EXPECT_EQ(message_of(text + std::string(kMaxTomlBytes, '#')),
            "a.toml: found 4194311 bytes (4.0 MiB), expected a TOML text of at most 4 MiB");
}

}  // namespace
}  // namespace haptic
