#include "host/monitor/key_bindings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

TEST(KeyBindings, two_keys_a_parameter_and_a_speed) {
  const auto bindings = read_key_bindings({"left/right=boom.target@0.5", "a/d=stick.target",
                                           "//?=x", "=/+=a@b.target@2e-3", "d/a=boom.target"},
                                          0.25);
  ASSERT_EQ(bindings.size(), 5u);
  EXPECT_EQ(bindings[4].more, key_of('a'));
  EXPECT_EQ(bindings[0].less, Key::kLeft);
  EXPECT_EQ(bindings[0].more, Key::kRight);
  EXPECT_EQ(bindings[0].parameter, "boom.target");
  EXPECT_EQ(bindings[0].speed, 0.5);
  EXPECT_EQ(bindings[1].less, key_of('a'));
  EXPECT_EQ(bindings[1].speed, 0.25);
  EXPECT_EQ(bindings[2].less, key_of('/'));
  EXPECT_EQ(bindings[2].more, key_of('?'));
  EXPECT_EQ(bindings[3].less, key_of('='));
  EXPECT_EQ(bindings[3].parameter, "a@b.target");
  EXPECT_EQ(bindings[3].speed, 2e-3);
}

void expect_refusal(const std::vector<std::string>& texts, std::optional<double> speed,
                    const std::string& part) {
  try {
    read_key_bindings(texts, speed);
    ADD_FAILURE() << texts.front();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(KeyBindings, what_cannot_be_a_binding_is_refused) {
  expect_refusal({"a"}, 1.0, "a: found no pair of keys with a parameter, expected LESS/MORE=");
  expect_refusal({"a/d"}, 1.0, "found no pair");
  expect_refusal({""}, 1.0, "found no pair");
  expect_refusal({"/"}, 1.0, "found no pair");
  expect_refusal({"a=x"}, 1.0, "found no pair");
  expect_refusal({"a/d="}, 1.0, "found no parameter");
  expect_refusal({"a/d=@1"}, 1.0, "found no parameter");
  expect_refusal({"a/dd=x"}, 1.0, "found the key \"dd\"");
  expect_refusal({"a/q=x"}, 1.0, "found the key \"q\", which ends the control");
  expect_refusal({"a/d=x"}, std::nullopt, "found no speed");
  for (const char* speed : {"", "0", "-1", "nan", "inf", "1x"}) {
    expect_refusal({std::string("a/d=x@") + speed}, 1.0, "found the speed");
  }
  expect_refusal({"a/a=x"}, 1.0, "found the key \"a\" a second time");
  expect_refusal({"a/d=x", "s/a=x"}, 1.0, "s/a=x: found the key \"a\" a second time");
}

}  // namespace
}  // namespace haptic
