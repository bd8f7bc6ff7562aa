#include "shared/config/toml_reader.h"

#include <gtest/gtest.h>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kRoles[] = {"anchored", "held"};

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TomlTable parse(const std::string& text) {
  return TomlDocument::parse(text, "dir/a.toml").root();
}

TEST(TomlReader, a_wrong_sign_is_refused_as_written_with_file_line_and_unit) {
  const TomlTable root = parse("\n[material]\nyoungs_modulus = -5e4\n");
  EXPECT_EQ(message_of([&] {
              root.table("material").number("youngs_modulus", NumberRange::positive("Pa"));
            }),
            "dir/a.toml:3: material.youngs_modulus: found -5e4, expected a number > 0 [Pa]");
}

TEST(TomlReader, an_unknown_key_names_the_nearest_known_one) {
  const TomlTable root = parse("lenght = 0.2\n");
  root.has("length");
  EXPECT_EQ(message_of([&] { root.finish(); }),
            "dir/a.toml:1: lenght: unknown key (did you mean \"length\"?)");
}

TEST(TomlReader, a_far_unknown_key_lists_the_known_ones) {
  const TomlTable root = parse("zzzzzzzzz = 1\n");
  root.has("alpha");
  root.has("beta");
  EXPECT_EQ(message_of([&] { root.finish(); }),
            "dir/a.toml:1: zzzzzzzzz: unknown key (known keys: alpha beta)");
}

TEST(TomlReader, wrong_types_are_refused) {
  const TomlTable root = parse("a = \"x\"\nb = 1.5\nc = [1, 2]\nd = 3\ne = inf\n");
  EXPECT_EQ(message_of([&] { root.number("a", NumberRange::any()); }),
            "dir/a.toml:1: a: found \"x\", expected a number");
  EXPECT_EQ(message_of([&] { root.integer("b", 1, 256); }),
            "dir/a.toml:2: b: found 1.5, expected an integer from 1 to 256");
  EXPECT_EQ(message_of([&] { root.numbers("c", 3, NumberRange::any("m")); }),
            "dir/a.toml:3: c: found [1, 2], expected an array of 3 numbers, each a number [m]");
  EXPECT_EQ(message_of([&] { root.text("d"); }),
            "dir/a.toml:4: d: found 3, expected text in quotes, not empty");
  EXPECT_EQ(message_of([&] { root.number("e", NumberRange::any("N")); }),
            "dir/a.toml:5: e: found inf, expected a number [N]");
  EXPECT_EQ(message_of([&] { root.table("a"); }),
            "dir/a.toml:1: a: found text, expected a table [a]");
}

TEST(TomlReader, a_key_may_take_a_word_or_a_list) {
  const TomlTable root = parse("word = \"all\"\nlist = [1, 2]\n");
  EXPECT_FALSE(root.is_array("word"));
  EXPECT_TRUE(root.is_array("list"));
  EXPECT_FALSE(root.is_array("none"));
  root.text("word");
  // It does not count as read.
  EXPECT_NE(message_of([&] { root.finish(); }).find("list: unknown key"), std::string::npos);
}

TEST(TomlReader, missing_keys_say_what_was_expected) {
  EXPECT_EQ(message_of([&] { parse("").number("length", NumberRange::positive("m")); }),
            "dir/a.toml:1: length: missing, expected a number > 0 [m]");
}

TEST(TomlReader, a_missing_key_with_a_slip_in_its_name_is_found) {
  const TomlTable root = parse("pionts = 400\nmax = 1\n");
  EXPECT_EQ(message_of([&] { root.integer("points", 1, 4'000'000); }),
            "dir/a.toml:1: points: missing (did you mean \"points\" instead of \"pionts\"?), "
            "expected an integer from 1 to 4000000");
  EXPECT_EQ(message_of([&] { root.number("min", NumberRange::any()); }),
            "dir/a.toml:1: min: missing, expected a number");
}

TEST(TomlReader, values_tables_and_paths_are_read) {
  const TomlTable root = parse(
      "x = 3\nflag = true\nmodel = \"m.h5\"\nmany = [\"a\", \"/b\"]\nv = [1, 2.5, 3]\n"
      "[[body]]\nname = \"a\"\n[[body]]\nname = \"b\"\nrole = \"anchored\"\n");
  EXPECT_EQ(root.number("x", NumberRange::any()), 3.0);
  EXPECT_TRUE(root.boolean("flag"));
  EXPECT_EQ(root.file("model"), std::filesystem::path("dir/m.h5"));
  EXPECT_EQ(root.files("model"), (std::vector<std::filesystem::path>{"dir/m.h5"}));
  EXPECT_EQ(root.files("many"), (std::vector<std::filesystem::path>{"dir/a", "/b"}));
  EXPECT_THROW(root.files("v"), InputError);
  EXPECT_EQ(root.texts("many", 2), (std::vector<std::string>{"a", "/b"}));
  EXPECT_THROW(root.texts("many", 3), InputError);
  EXPECT_THROW(root.texts("v", 3), InputError);
  EXPECT_THROW(root.texts("model", 1), InputError);
  EXPECT_EQ(root.numbers("v", 3, NumberRange::any()), (std::vector<double>{1, 2.5, 3}));
  const std::vector<TomlTable> bodies = root.tables("body");
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies[1].text("name"), "b");
  EXPECT_EQ(bodies[1].path_of("name"), "body[1].name");
  EXPECT_EQ(bodies[1].choice("role", kRoles), "anchored");
  bodies[1].finish();
  root.finish();
}

TEST(TomlReader, a_wrong_choice_names_the_nearest) {
  const TomlTable root = parse("role = \"anchord\"\n");
  EXPECT_EQ(message_of([&] { root.choice("role", kRoles); }),
            "dir/a.toml:1: role: found \"anchord\", expected one of \"anchored\" \"held\" "
            "(did you mean \"anchored\"?)");
}

TEST(TomlReader, a_zero_byte_in_a_key_or_a_text_is_refused_wherever_it_is) {
  EXPECT_EQ(message_of([] { parse("\n[device]\nscript = \"a\\u0000b.csv\"\n"); }),
            "dir/a.toml:3: device.script: found \"a\\u0000b.csv\", expected no zero byte in keys "
            "and texts");
  EXPECT_EQ(message_of([] { parse("[[body]]\nfiles = [\"a\", \"\\U00000000\"]\n"); }),
            "dir/a.toml:2: body[0].files[1]: found \"\\U00000000\", expected no zero byte in keys "
            "and texts");
  EXPECT_EQ(
      message_of([] { parse("[material]\n\"a\\u0000\" = 1\n"); }),
      "dir/a.toml:2: material: found a key with a zero byte, expected no zero byte in keys and "
      "texts");
  EXPECT_EQ(message_of([] { parse("a = '\\u0000'\nb = \"\\\\u0000\"\n"); }), "no error");
  const std::string raw = message_of([] { parse(std::string("a = \"x\0y\"\n", 10)); });
  EXPECT_EQ(raw.rfind("dir/a.toml:1:", 0), 0u) << raw;
  EXPECT_EQ(raw.find('\0'), std::string::npos) << raw;
}

TEST(TomlReader, syntax_errors_name_line_and_column) {
  const std::string message = message_of([] { parse("a = 1\nb = = 2\n"); });
  EXPECT_NE(message.find("dir/a.toml:2:5: not TOML"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(TomlReader, an_unreadable_file_is_refused) {
  EXPECT_EQ(message_of([] { TomlDocument::load("no/such.toml"); }),
            "no/such.toml: no such file, expected a TOML file");
}

}  // namespace
}  // namespace haptic
