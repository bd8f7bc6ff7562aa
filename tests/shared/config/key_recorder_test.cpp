#include "shared/config/key_recorder.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "shared/config/toml_reader.h"

namespace haptic {
namespace {

TEST(KeyRecorder, numbers_and_ranges_are_written_as_in_descriptions) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(0.05), "0.05");
  EXPECT_EQ(number_text(-1e6), "-1e6");
  EXPECT_EQ(number_text(1e-9), "1e-9");
  EXPECT_EQ(number_text(16384), "16384");
  EXPECT_EQ(number_text(4e6), "4e6");
  EXPECT_EQ(number_text(1.5e5), "150000");
  EXPECT_EQ(number_text(4294967295.0), "4294967295");
  EXPECT_EQ(range_text(NumberRange::any()), "");
  EXPECT_EQ(range_text(NumberRange::positive()), "> 0");
  EXPECT_EQ(range_text(NumberRange::non_negative()), ">= 0");
  EXPECT_EQ(range_text(NumberRange::between(0, 1)), "0 to 1");
  EXPECT_EQ(range_text({.minimum = 0, .maximum = 1, .minimum_excluded = true}),
            "above 0, at most 1");
  EXPECT_EQ(array_text("numbers", 3, NumberRange::any()), "3 numbers");
  EXPECT_EQ(array_text("integers", 0, NumberRange::between(0, 31)), "integers, each 0 to 31");
}

TEST(KeyRecorder, records_what_every_getter_is_asked_for) {
  const TomlTable root = TomlDocument::parse("[[wall]]\n[[wall]]\nm = 2\n", "a.toml").root();
  const KeyRecorder recorder;
  const std::vector<TomlTable> walls = root.tables("wall");
  walls[1].number("m", NumberRange::positive("kg"));
  walls[1].number("d", NumberRange::between(0, 1), 0.5);
  walls[1].integer("n", 1, std::numeric_limits<std::int64_t>::max(), 3);
  walls[1].choice("kind", {"stone", "wood"}, "wood");
  walls[1].boolean("wet", true);
  EXPECT_FALSE(walls[1].has("paint"));

  const std::vector<AskedKey>& asked = recorder.asked();
  const auto last = [&](std::string_view path) {
    const AskedKey* found = nullptr;
    for (const AskedKey& one : asked) {
      if (one.path == path) found = &one;
    }
    return found == nullptr ? AskedKey{} : *found;
  };
  EXPECT_EQ(last("wall[]").kind, KeyKind::kTables);
  // The first of the notes is number's own; the last is that of optional_number, which it calls.
  EXPECT_EQ(asked[1].absent, "required");
  EXPECT_EQ(last("wall[].m").unit, "kg");
  EXPECT_EQ(last("wall[].m").range, "> 0");
  EXPECT_EQ(last("wall[].d").unit, "1");
  EXPECT_EQ(asked[3].absent, "0.5");
  EXPECT_EQ(last("wall[].n").range, ">= 1");
  EXPECT_EQ(last("wall[].kind").range, "stone, wood");
  EXPECT_EQ(last("wall[].kind").absent, "wood");
  EXPECT_EQ(last("wall[].wet").absent, "true");
  EXPECT_EQ(last("wall[].paint").path, "wall[].paint");
  EXPECT_FALSE(last("wall[].paint").kind);
}

TEST(KeyRecorder, ends_with_its_scope) {
  const TomlTable root = TomlDocument::parse("", "a.toml").root();
  const KeyRecorder outer;
  {
    const KeyRecorder inner;
    root.has("a");
    EXPECT_EQ(inner.asked().size(), 1u);
  }
  root.has("b");
  ASSERT_EQ(outer.asked().size(), 1u);
  EXPECT_EQ(outer.asked()[0].path, "b");
}

}  // namespace
}  // namespace haptic
