// Which kind of world a scene is of: the key `world`, the kinds' own tables, kinds of a program.

#include "rt/worlds/world_kind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "lab/samples/spring_wall.h"
#include "rt/worlds/make_world.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"
#include "rt/worlds/world_kinds.h"
#include "shared/config/key_schema.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Of a kind that only this program has: a spring below z = 0.
class WallSettings final : public WorldSettings {
 public:
  double stiffness = 1000.0;  // N/m
};

const WallSettings& wall_settings(const Scene& scene) {
  return dynamic_cast<const WallSettings&>(*scene.settings);
}

std::shared_ptr<const WorldSettings> read_wall(const TomlTable& root, const Scene& core) {
  EXPECT_EQ(core.bodies.size(), 1U);
  EXPECT_EQ(core.coupling.stiffness, 300.0);
  auto settings = std::make_shared<WallSettings>();
  using S = WallSettings;
  static const KeySchema<S> wall(
      {key("stiffness", &S::stiffness, NumberRange::between(1.0, 5000.0, "N/m"), "Of the wall.")});
  if (const auto table = root.optional_table("wall")) wall.read(*table, *settings);
  return settings;
}

std::unique_ptr<World> make_wall(const Scene& scene, const Clock*) {
  static VirtualClock clock;
  auto wall = std::make_unique<SpringWall>(clock);
  EXPECT_TRUE(wall->set_parameter(0, wall_settings(scene).stiffness));
  return wall;
}

constexpr WorldKind kWall{.name = "wall", .read = read_wall, .make = make_wall};
const RegisteredWorldKind registered_wall(kWall);

constexpr const char* kTool = R"([[body]]
name = "tool"
shape = "sphere"
radius = 0.02
role = "held"
[coupling]
stiffness = 300.0
)";
constexpr const char* kContact = R"([[contact]]
points = "tool"
field = "tool"
)";

Scene parse(const std::string& text) {
  return parse_scene(text, "/nowhere/scene.toml");
}

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(WorldKind, is_solids_by_default) {
  EXPECT_EQ(world_kind_names().front(), "solids");
  const Scene scene = parse(kTool);
  ASSERT_NE(scene.kind, nullptr);
  EXPECT_EQ(scene.kind->name, "solids");
  EXPECT_TRUE(solids::solids_settings(scene).contacts.empty());
  const auto world = make_world(scene, nullptr);
  EXPECT_NE(dynamic_cast<const solids::SolidsWorld*>(world.get()), nullptr);
}

TEST(WorldKind, is_the_one_that_a_scene_names) {
  const Scene solids = parse("world = \"solids\"\n" + std::string(kTool));
  EXPECT_EQ(solids.kind, &find_world_kind("solids"));
  const Scene wall = parse("world = \"wall\"\n" + std::string(kTool));
  EXPECT_EQ(wall.kind, &kWall);
  EXPECT_EQ(wall_settings(wall).stiffness, 1000.0);
}

TEST(WorldKind, that_is_unknown_is_refused_with_the_known_ones) {
  EXPECT_EQ(refusal("world = \"solid\"\n" + std::string(kTool)),
            "/nowhere/scene.toml:1: world: found \"solid\", expected one of \"solids\" "
            "\"condensed\" \"cloth\" \"wall\" "
            "(did you mean \"solids\"?)");
  EXPECT_EQ(refusal("rate_hz = 500\nworld = \"elephant\"\n" + std::string(kTool)),
            "/nowhere/scene.toml:2: world: found \"elephant\", expected one of \"solids\" "
            "\"condensed\" \"cloth\" \"wall\"");
  EXPECT_EQ(
      refusal("world = 3\n" + std::string(kTool)),
      "/nowhere/scene.toml:1: world: found 3, expected one of \"solids\" \"condensed\" \"cloth\" "
      "\"wall\"");
}

TEST(WorldKind, registered_by_a_program_reads_its_table) {
  const std::string text = "world = \"wall\"\n" + std::string(kTool);
  const Scene scene = parse(text + "[wall]\nstiffness = 250\n");
  EXPECT_EQ(make_world(scene, nullptr)->parameter(0), 250.0);
  EXPECT_EQ(refusal(text + "[wall]\nstiffness = -1\n"),
            "/nowhere/scene.toml:10: wall.stiffness: found -1, expected a number from 1 to 5000 "
            "[N/m]");
  EXPECT_EQ(refusal(text + "[wall]\nstifness = 1\n"),
            "/nowhere/scene.toml:10: wall.stifness: unknown key (did you mean \"stiffness\"?)");
  EXPECT_EQ(refusal(text + "[wal]\nstiffness = 1\n"),
            "/nowhere/scene.toml:9: wal: unknown key (did you mean \"wall\"?)");
}

TEST(WorldKind, does_not_read_the_tables_of_another) {
  const std::string of_wall = refusal("world = \"wall\"\n" + std::string(kTool) + kContact);
  EXPECT_TRUE(of_wall.starts_with("/nowhere/scene.toml:9: contact: unknown key (")) << of_wall;
  const std::string of_solids = refusal(std::string(kTool) + "[wall]\nstiffness = 250\n");
  EXPECT_TRUE(of_solids.starts_with("/nowhere/scene.toml:8: wall: unknown key (")) << of_solids;
}

TEST(WorldKind, settings_go_with_a_copy_of_the_scene) {
  Scene copy;
  {
    const Scene scene =
        parse("world = \"wall\"\n" + std::string(kTool) + "[wall]\nstiffness = 7\n");
    copy = scene;
    EXPECT_EQ(copy.settings, scene.settings);
  }
  EXPECT_EQ(copy.kind, &kWall);
  EXPECT_EQ(make_world(copy, nullptr)->parameter(0), 7.0);
}

TEST(WorldKind, settings_of_a_copy_change_alone) {
  const Scene scene = parse(kTool);
  Scene copy = scene;
  solids::edit_solids(copy).dynamics.newton_iterations = 4;
  EXPECT_EQ(solids::solids_settings(copy).dynamics.newton_iterations, 4U);
  EXPECT_EQ(solids::solids_settings(scene).dynamics.newton_iterations, 1U);
}

TEST(WorldKindDeathTest, two_of_one_name_are_refused) {
  EXPECT_DEATH(RegisteredWorldKind{kWall}, "demand failed");
}

}  // namespace
}  // namespace haptic
