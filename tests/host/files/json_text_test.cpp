#include "host/files/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace haptic {
namespace {

TEST(JsonText, bytes_that_are_not_utf8_give_json_all_the_same) {
  const nlohmann::json value = {{"file",
                                 "l\xf6"
                                 "ffel.h5"}};
  EXPECT_EQ(json_text(value),
            "{\"file\":\"l\uFFFD"
            "ffel.h5\"}");
}

TEST(JsonText, what_acts_on_a_terminal_is_escaped_and_reads_back) {
  const nlohmann::json value = {"Löffel\n\x1b[2J", "\u009b31m\x7f", "a\u202eb\u2028"};
  const std::string text = json_text(value);
  EXPECT_EQ(text, "[\"Löffel\\n\\u001b[2J\",\"\\u009b31m\\u007f\",\"a\\u202eb\\u2028\"]");
  EXPECT_EQ(nlohmann::json::parse(text), value);
}

TEST(JsonText, indentation_has_lines) {
  EXPECT_EQ(json_text({{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

}  // namespace
}  // namespace haptic
