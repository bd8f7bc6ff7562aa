#include "shared/config/key_schema.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shared/error.h"
#include "shared/math/pose.h"

namespace haptic {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };

struct Window {
  std::string name;
  double width = 1.0;
  int panes = 2;
};

struct Roof {
  Window light{"sky", 0.5};
  std::array<double, 2> pitch{0.5, 0.25};
  Quaternion facing = Quaternion::Identity();
};

struct House {
  double height = 4.5;
  std::uint32_t floors = 2;
  std::optional<double> slope;
  std::optional<std::int64_t> number;
  bool heated = true;
  bool flat = false;
  Colour colour = Colour::kGreen;
  std::array<double, 3> place{1.0, 0.0, -2.0};
  std::vector<std::uint16_t> rooms;
  std::filesystem::path plan;
  std::vector<Window> windows;
  Window door{"front", 0.9};
  std::optional<Window> hatch;
};

const KeySchema<Window>& window_keys() {
  static const KeySchema<Window> keys(
      {key("name", &Window::name, "Its name.").required(),
       key("width", &Window::width, NumberRange::positive("m"), "Its width.").sets("NAME.width")});
  return keys;
}

const KeySchema<House>& attic_keys() {
  static const KeySchema<House> keys(
      {key("slope", &House::slope, NumberRange::between(0.0, 1.5, "rad"), "Of the roof.")
           .absent("a flat roof")});
  return keys;
}

const KeySchema<House>& house_keys() {
  const auto flat = [](const House& h) { return h.flat; };
  static const KeySchema<House> keys(
      {
          key("height", &House::height, NumberRange::positive_up_to(100.0, "m"), "Of the eaves."),
          key("floors", &House::floors, IntegerRange{1, 9}, "Number of floors."),
          key("number", &House::number, IntegerRange{1}, "In the street."),
          key("flat", &House::flat, "Whether it has a flat roof."),
          key("heated", &House::heated, "Whether it is warm.")
              .only_if([](const House& h) { return h.floors > 1; },
                       [](const House& h) { return "found with " + std::to_string(h.floors); },
                       "two floors"),
          key("colour", &House::colour, {{"red", Colour::kRed}, {"green", Colour::kGreen}},
              "Of the door."),
          key("place", &House::place, NumberRange::between(-10.0, 10.0, "m"), "On the plot."),
          key("rooms", &House::rooms, IntegerRange{0, 99}, "Numbers of rooms.")
              .not_with("number")
              .checked([](const TomlTable& table, const House& h) {
                if (h.rooms.empty()) table.refuse("rooms", "found none", "rooms");
              }),
          key("plan", &House::plan, "Drawing.").required_where(flat, "required of a flat roof"),
          table("attic", attic_keys(), "Below the roof.").only_with("floors", "floors"),
          tables("windows", &House::windows, window_keys(), "Windows."),
          table("door", &House::door, window_keys(), "The door."),
          table("hatch", &House::hatch, window_keys(), "A hatch.").absent("none"),
      },
      [](const TomlTable&, House& h) { h.windows.resize(h.windows.size() + (h.flat ? 1 : 0)); });
  return keys;
}

House read_house(const std::string& text) {
  House house;
  house_keys().read(TomlDocument::parse(text, "/plot/house.toml").root(), house);
  return house;
}

std::string house_refusal(const std::string& text) {
  try {
    read_house(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const KeySchema<Roof>& roof_keys() {
  static const KeySchema<Roof> keys(std::vector{
      key_of<Roof>("light_mm", inner(&Roof::light, &Window::width),
                   ScaledRange{NumberRange::positive("mm"), 1e-3}, "Width of the light.")
          .required_if([](const TomlTable& table, const Roof&) { return !table.has("pitch"); },
                       "required, or pitch"),
      key("pitch", &Roof::pitch, ScaledRange{NumberRange::between(0.0, 100.0, "%"), 0.01},
          "Of both sides."),
      key("facing", &Roof::facing, UnitQuaternion{}, "Orientation."),
      key_of<Roof>("panes", inner(&Roof::light, &Window::panes), IntegerRange{1, 9, "panes"},
                   "Of the light."),
  });
  return keys;
}

TEST(KeySchema, values_have_the_unit_of_their_member_and_the_document_that_of_the_key) {
  const auto read = [](const std::string& text) {
    Roof roof;
    roof_keys().read(TomlDocument::parse(text, "roof.toml").root(), roof);
    return roof;
  };
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const Roof roof = read("light_mm = 250\npitch = [50, 25]\nfacing = [0, 1, 0, 0]\npanes = 3\n");
  EXPECT_EQ(roof.light.width, 0.25);
  EXPECT_EQ(roof.pitch, (std::array{0.5, 0.25}));
  EXPECT_EQ(roof.facing.x(), 1.0);
  EXPECT_EQ(roof.light.panes, 3);
  EXPECT_EQ(read("pitch = [0, 0]").light.width, 0.5);
  EXPECT_EQ(refusal(""), "roof.toml:1: light_mm: missing, expected a number > 0 [mm]");
  EXPECT_EQ(refusal("pitch = [0, 0]\nfacing = [1, 1, 0, 0]"),
            "roof.toml:2: facing: found a quaternion of length 1.41421, expected w, x, y, z of "
            "length 1 within 0.001");

  const std::vector<DocumentKey>& keys = roof_keys().described();
  ASSERT_EQ(keys.size(), 4U);
  EXPECT_EQ(keys[0].unit, "mm");
  EXPECT_EQ(keys[0].absent, "required, or pitch");
  EXPECT_EQ(keys[1].range, "2 numbers, each 0 to 100");
  EXPECT_EQ(keys[1].absent, "[50, 25]");
  EXPECT_EQ(keys[2].range, "4 numbers");
  EXPECT_EQ(keys[2].absent, "[1, 0, 0, 0]");
  EXPECT_EQ(keys[3].unit, "panes");
}

TEST(KeySchema, values_of_every_kind_reach_their_members) {
  const House h = read_house(
      "height = 3\nfloors = 4\nnumber = 7\nheated = false\nflat = true\ncolour = \"red\"\n"
      "place = [1, 2, 3]\nplan = \"a.pdf\"\nwindows = [{ name = \"w\", width = 2 }]\n"
      "attic = { slope = 0.5 }\ndoor = { name = \"back\" }\nhatch = { name = \"h\" }\n");
  EXPECT_EQ(h.height, 3.0);
  EXPECT_EQ(h.floors, 4U);
  EXPECT_EQ(h.number, 7);
  EXPECT_FALSE(h.heated);
  EXPECT_EQ(h.colour, Colour::kRed);
  EXPECT_EQ(h.place, (std::array{1.0, 2.0, 3.0}));
  EXPECT_EQ(h.plan, "/plot/a.pdf");
  ASSERT_EQ(h.windows.size(), 2U);  // the check adds one
  EXPECT_EQ(h.windows[0].name, "w");
  EXPECT_EQ(h.windows[0].width, 2.0);
  EXPECT_EQ(h.slope, 0.5);
  EXPECT_EQ(h.door.name, "back");
  EXPECT_EQ(h.door.width, 0.9);  // kept from the initial value
  ASSERT_TRUE(h.hatch);
  EXPECT_EQ(h.hatch->width, 1.0);
  EXPECT_EQ(read_house("rooms = [1, 2]").rooms, (std::vector<std::uint16_t>{1, 2}));
}

TEST(KeySchema, absent_keys_leave_initial_values) {
  const House h = read_house("");
  EXPECT_EQ(h.height, 4.5);
  EXPECT_EQ(h.colour, Colour::kGreen);
  EXPECT_FALSE(h.slope);
  EXPECT_FALSE(h.hatch);
  EXPECT_TRUE(h.windows.empty());
}

TEST(KeySchema, refusals_name_line_key_and_remedy) {
  const std::string at = "/plot/house.toml:1: ";
  EXPECT_EQ(house_refusal("height = 0"),
            at + "height: found 0, expected a number > 0 and <= 100 [m]");
  EXPECT_EQ(house_refusal("floors = 10"), at + "floors: found 10, expected an integer from 1 to 9");
  EXPECT_EQ(house_refusal("number = 0"), at + "number: found 0, expected an integer >= 1");
  EXPECT_EQ(house_refusal("colour = \"gren\""),
            at + "colour: found \"gren\", expected one of \"red\" \"green\" (did you mean "
                 "\"green\"?)");
  EXPECT_EQ(house_refusal("windows = [{ width = 2 }]"),
            at + "windows[0].name: missing, expected text in quotes");
  EXPECT_EQ(house_refusal("heated = true\nfloors = 1"),
            at + "heated: found with 1, expected two floors");
  EXPECT_EQ(house_refusal("rooms = [1]\nnumber = 2"),
            at + "rooms: found together with number, expected one of the two");
  EXPECT_EQ(house_refusal("rooms = []"), at + "rooms: found none, expected rooms");
  EXPECT_EQ(house_refusal("attic = {}"), at + "attic: found without floors, expected floors");
  EXPECT_EQ(house_refusal("flat = true"), at + "plan: missing, expected text in quotes");
  EXPECT_EQ(house_refusal("door = { name = \"x\", colour = 1 }"),
            at + "door.colour: unknown key (known keys: name width)");
}

TEST(KeySchema, a_key_without_effect_is_refused) {
  EXPECT_NE(house_refusal("plan = \"a.pdf\"").find("plan: unknown key"), std::string::npos);
}

TEST(KeySchema, descriptions_come_from_members_and_ranges) {
  const auto described = [](const std::string& path) {
    for (const DocumentKey& key : house_keys().described()) {
      if (key.path == path) return key;
    }
    return DocumentKey{};
  };
  EXPECT_EQ(house_keys().described().size(), 20U);
  const DocumentKey height = described("height");
  EXPECT_EQ(height.kind, KeyKind::kNumber);
  EXPECT_EQ(height.unit, "m");
  EXPECT_EQ(height.range, "above 0, at most 100");
  EXPECT_EQ(height.absent, "4.5");
  EXPECT_EQ(height.meaning, "Of the eaves.");
  EXPECT_EQ(described("floors").kind, KeyKind::kInteger);
  EXPECT_EQ(described("floors").range, "1 to 9");
  EXPECT_EQ(described("floors").absent, "2");
  EXPECT_EQ(described("number").range, ">= 1");
  EXPECT_EQ(described("number").absent, "none");
  EXPECT_EQ(described("heated").kind, KeyKind::kFlag);
  EXPECT_EQ(described("heated").absent, "true");
  EXPECT_EQ(described("colour").kind, KeyKind::kChoice);
  EXPECT_EQ(described("colour").range, "red, green");
  EXPECT_EQ(described("colour").absent, "green");
  EXPECT_EQ(described("place").range, "3 numbers, each -10 to 10");
  EXPECT_EQ(described("place").absent, "[1, 0, -2]");
  EXPECT_EQ(described("rooms").kind, KeyKind::kIntegers);
  EXPECT_EQ(described("plan").kind, KeyKind::kFile);
  EXPECT_EQ(described("plan").absent, "required of a flat roof");
  EXPECT_EQ(described("attic").absent, "the defaults");
  EXPECT_EQ(described("attic.slope").absent, "a flat roof");
  EXPECT_EQ(described("windows[]").kind, KeyKind::kTables);
  EXPECT_EQ(described("windows[].name").absent, "required");
  EXPECT_EQ(described("windows[].width").parameters, "NAME.width");
  EXPECT_EQ(described("hatch").absent, "none");
}

struct Garden {
  bool fenced = false;
  double height = 0.0;
  Window gate;
  std::vector<std::int64_t> beds;
  std::vector<std::string> trees;
  std::string soil = "clay";
};

const KeySchema<std::string>& tree_keys() {
  static const KeySchema<std::string> keys(
      {key_of<std::string>("kind", std::identity{}, AnyValue{}, "Its kind.").required()});
  return keys;
}

const KeySchema<Garden>& garden_keys() {
  static const KeySchema<Garden> keys({
      key("height", &Garden::height, NumberRange::positive("m"), "Of the fence.")
          .required_if([](const TomlTable& table,
                          const Garden& g) { return g.fenced && !table.has("hedge"); },
                       "required of a fence"),
      key("fenced", &Garden::fenced, "Whether it has a fence.").read_first(),
      part(&Garden::gate, window_keys()),
      key_of<Garden>(
          "hedge", [](Garden& g) -> double& { return g.height; }, NumberRange::positive("m"),
          "In place of a fence.")
          .not_with("height", "a hedge or a fence", "found beside a fence")
          .rule([](const TomlTable& table, const Garden& g) {
            if (!g.fenced) table.refuse("hedge", "found in the open", "a fenced garden");
          }),
      key("soil", &Garden::soil, {{"clay", "clay"}, {"sand", "sand"}}, "Of all beds, or of each.")
          .or_array(
              [](const TomlTable& table, Garden& g) { g.beds = table.integers("soil", 0, 9); }),
      tables_of<Garden>(
          "tree", [](Garden& g) -> std::vector<std::string>& { return g.trees; }, tree_keys(),
          "Trees."),
  });
  return keys;
}

Garden read_garden(const std::string& text) {
  Garden garden;
  const TomlTable root = TomlDocument::parse(text, "g.toml").root();
  garden_keys().refuse_others(root);
  garden_keys().read(root, garden);
  return garden;
}

std::string garden_refusal(const std::string& text) {
  try {
    read_garden(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(KeySchema, conditions_may_look_at_keys_that_are_read_first) {
  EXPECT_EQ(garden_refusal("name = \"g\"\nfenced = true"),
            "g.toml:1: height: missing, expected a number > 0 [m]");
  EXPECT_EQ(read_garden("name = \"g\"\nfenced = true\nhedge = 2").height, 2.0);
  EXPECT_EQ(garden_refusal("name = \"g\"\nhedge = 2"),
            "g.toml:2: hedge: found in the open, expected a fenced garden");
  EXPECT_EQ(garden_refusal("name = \"g\"\nfenced = true\nheight = 1\nhedge = 2"),
            "g.toml:4: hedge: found beside a fence, expected a hedge or a fence");
}

TEST(KeySchema, a_part_has_its_keys_in_the_same_table) {
  const Garden garden = read_garden("name = \"front\"\nwidth = 3");
  EXPECT_EQ(garden.gate.name, "front");
  EXPECT_EQ(garden.gate.width, 3.0);
  EXPECT_EQ(garden_refusal("width = 3"), "g.toml:1: name: missing, expected text in quotes");
  std::string paths;
  for (const DocumentKey& key : garden_keys().described()) paths += key.path + " ";
  EXPECT_EQ(paths, "height fenced name width hedge soil tree[] tree[].kind ");
}

TEST(KeySchema, an_array_may_stand_for_a_value) {
  EXPECT_EQ(read_garden("name = \"g\"\nsoil = \"sand\"").soil, "sand");
  const Garden garden = read_garden("name = \"g\"\nsoil = [1, 2]");
  EXPECT_EQ(garden.soil, "clay");
  EXPECT_EQ(garden.beds, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(read_garden("name = \"g\"\ntree = [{ kind = \"oak\" }, { kind = \"ash\" }]").trees,
            (std::vector<std::string>{"oak", "ash"}));
}

TEST(KeySchema, others_are_refused_before_a_key_is_missing) {
  EXPECT_EQ(garden_refusal("nam = \"g\""), "g.toml:1: nam: unknown key (did you mean \"name\"?)");
}

struct Lift {
  bool fast = false;
  double speed = 1.0;
  std::array<double, 2> floors{0.0, 9.0};
  double start = 0.0;
};

const KeySchema<Lift>& lift_keys() {
  static const KeySchema<Lift> keys(std::vector{
      key("start", &Lift::start, NumberRange::any(), "Floor at the start.")
          .required_if([](const TomlTable&, const Lift& l) { return l.floors[0] > 0; }, "0")
          .checked([](const TomlTable& table, const Lift& l) {
            if (l.start < l.floors[0]) table.refuse("start", "found none", "a floor");
          }),
      key_of<Lift>("floors", inner(&Lift::floors), NumberRange::any(), "Its floors.").read_first(),
      key("fast", &Lift::fast, "Whether it is fast.")
          .not_with("start", "one of the two", "found with a start"),
      key_of<Lift>("speed", &Lift::speed,
                   DependentRange<Lift>{"m/s", "as fast as it is",
                                        [](const Lift& l) {
                                          return NumberRange::between(0.0, l.fast ? 9.0 : 2.0,
                                                                      "m/s");
                                        }},
                   "Its speed.")});
  return keys;
}

Lift read_lift(const std::string& text) {
  Lift lift;
  lift_keys().read(TomlDocument::parse(text, "/plot/lift.toml").root(), lift);
  return lift;
}

std::string lift_refusal(const std::string& text) {
  try {
    read_lift(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(KeySchema, a_range_may_depend_on_earlier_keys) {
  EXPECT_EQ(read_lift("speed = 5\nfast = true").speed, 5.0);
  EXPECT_EQ(lift_refusal("speed = 5"),
            "/plot/lift.toml:1: speed: found 5, expected a number from 0 to 2 [m/s]");
  const DocumentKey speed = lift_keys().described()[3];
  EXPECT_EQ(speed.kind, KeyKind::kNumber);
  EXPECT_EQ(speed.unit, "m/s");
  EXPECT_EQ(speed.range, "as fast as it is");
  EXPECT_EQ(speed.absent, "1");
}

TEST(KeySchema, a_key_may_be_read_before_those_above_it) {
  EXPECT_EQ(read_lift("start = 3\nfloors = [2, 4]").start, 3.0);
  EXPECT_EQ(lift_refusal("start = 3\nfloors = [4, 5]"),
            "/plot/lift.toml:1: start: found none, expected a floor");
  EXPECT_NE(lift_refusal("floors = [4, 5]").find("start: missing"), std::string::npos);
  EXPECT_EQ(lift_refusal("start = 3\nfast = true"),
            "/plot/lift.toml:2: fast: found with a start, expected one of the two");
  EXPECT_EQ(lift_keys().described()[0].path, "start");
}

}  // namespace
}  // namespace haptic
