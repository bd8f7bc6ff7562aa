// The descriptions of a scene's keys against its readers.
#include "rt/worlds/scene_keys.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/cloth/cloth_parameters.h"
#include "rt/worlds/condensed/condensed_parameters.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_parameters.h"
#include "rt/worlds/world_kinds.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/support/described_keys.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Texts of the scenes in the repository.
std::vector<std::string> shipped_scenes() {
  std::vector<std::string> found;
  for (const char* folder : {"scenes", "bench", "host/cli/templates"}) {
    for (const fs::path& file :
         fs::recursive_directory_iterator(fs::path(HAPTIC_SOURCE_DIR) / folder)) {
      if (file.extension() != ".toml") continue;
      const std::string text = text_of(file);
      if (("\n" + text).find("\n[[body]]") != std::string::npos) found.push_back(text);
    }
  }
  return found;
}

const std::string kTwoBodies =
    "[[body]]\nname = \"a\"\nmodel = \"a.h5\"\nrole = \"anchored\"\n"
    "[[body]]\nname = \"t\"\nshape = \"sphere\"\nradius = 1\nrole = \"held\"\n";
const std::string kFreeBody =
    kTwoBodies +
    "[[body]]\nname = \"f\"\nmodel = \"a.h5\"\nrole = \"free\"\nvelocity = [0, 0, 0]\n"
    "angular_velocity = [0, 0, 0]\nposition = [0, 0, 0]\norientation = [1, 0, 0, 0]\n";

std::string joint(const std::string& type, const std::string& rest) {
  return "[[joint]]\nname = \"j\"\ntype = \"" + type + "\"\nbodies = [\"f\", \"a\"]\n" + rest +
         "\n";
}
const std::string kPlace = "point = [0, 0, 0]\naxis = [1, 0, 0]\n";
const std::string kButton = "limits = [0, 1]\ntarget = 0\nbutton = 3\npressed = 1\nspeed = 1";

std::string constraint(const std::string& rest) {
  return "world = \"cloth\"\n" + kTwoBodies + "[[constraint]]\nset = \"left\"\n" + rest + "\n";
}

/// What the shipped scenes do not have.
const std::string kScenes[] = {
    "rate_hz = 100\nservo_rate_hz = 1000\ngravity = [0, 0, 0]\n" + kFreeBody +
        "[[contact]]\npoints = \"f\"\nfield = \"t\"\nscaling = \"smooth\"\nbudget_us = 50\n"
        "friction = { static = 1 }\ndegradation = {}\nnormals = \"shell\"\ngradient = \"mirror\"\n"
        "[[contact]]\npoints = \"f\"\nfield = \"a\"\nnode_budget = 50\ndegradation = {}\n",
    kFreeBody + "[[contact]]\namong = \"free\"\n[dynamics]\ncontact = \"implicit\"\n",
    kFreeBody + "[[contact]]\namong = \"free\"\nfoundation = 1e6\n",
    kFreeBody + "[[contact]]\namong = \"free\"\nwall = 1e3\n",
    kFreeBody + joint("ball", "point = [0, 0, 0]"),
    kFreeBody + joint("prismatic", kPlace + "[joint.servo]\nstiffness = 1\n" + kButton),
    kFreeBody + joint("hinge", kPlace + "servo = { stiffness = 1 }"),
    kFreeBody + joint("orientation", "axis = [1, 0, 0]\n" + kButton),
    kTwoBodies + "[[body]]\nname = \"p\"\nshape = \"plane\"\nsize = 1\nrole = \"anchored\"\n",
    kTwoBodies +
        "[[body]]\nname = \"p\"\nshape = \"torus\"\nradius = 1\ntube = 0.1\nrole = \"anchored\"\n",
    kTwoBodies + "[coupling]\nmode = \"dynamic\"\nclutch_button = 1\ngrasp = [0, 0, 0]\n",
    kTwoBodies + "[passivity]\n",
    kTwoBodies +
        "[device]\nscript = \"a.csv\"\nhand = \"free\"\npush = [0, 0, 0]\n"
        "faults = [{ kind = \"jump\", at = 1, size = 1 }, { kind = \"late\", at = 1, size = 1 }]\n",
    kTwoBodies + "[device]\nhand = \"steered\"\n",
    "world = \"condensed\"\n" + kTwoBodies +
        "[condensed]\ncoupling = \"statics\"\nintegrator = \"implicit\"\n[contact]\npoints = [0, "
        "0, 0]\n",
    constraint("kind = \"plane\"\nnormal = [1, 0, 0]") + "[contact]\nfoundation = 1e6\n",
    constraint("kind = \"line\"\ndirection = [1, 0, 0]"),
    constraint("kind = \"sphere\"\ncentre = [1, 0, 0]"),
    constraint("kind = \"follow\"\namplitude = [1, 0, 0]\nfrequency = 1"),
    "world = \"cloth\"\n" + kTwoBodies + "[[constraint]]\nparticles = [1]\n" +
        "[[constraint]]\nlow = [0, 0, 0]\nhigh = [1, 1, 1]\n",
    "world = \"cloth\"\n" + kTwoBodies +
        "[[body]]\nname = \"b\"\nshape = \"box\"\nx = 1\ny = 1\nz = 1\nrole = \"anchored\"\n"
        "[[wind_shadow]]\nbody = \"b\"\n[cloth]\nbody = \"a\"\nwind = [0, 0, 0]\ngust = [0, 0, "
        "0]\n",
};

class SceneKeys : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  /// Reads a scene whose models are empty files. @returns the kind of its world
  std::string read(const std::string& text) {
    const std::regex model("(^|\n)model *= *\"([^\"]+)\"");
    for (std::sregex_iterator match(text.begin(), text.end(), model), end; match != end; ++match) {
      const fs::path file = folder_ / (*match)[2].str();
      fs::create_directories(file.parent_path());
      std::ofstream(file) << "model";
    }
    return std::string(parse_scene(text, folder_ / "scene.toml").kind->name);
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      std::string message = error.what();
      return message.substr(message.find("scene.toml"));
    }
    return {};
  }

  fs::path folder_ = model_folder("scene_keys");
};

TEST_F(SceneKeys, are_those_that_the_readers_ask_for) {
  std::set<std::string> core;
  for (const KeyGroup& group : scene_core_keys()) {
    for (const DocumentKey& key : group.keys) {
      const std::string path = group.path_of(key);
      core.insert(path.ends_with("[]") ? path.substr(0, path.size() - 2) : path);
      core.insert(path);
    }
  }
  std::vector<std::string> texts = shipped_scenes();
  EXPECT_GT(texts.size(), 15u);
  texts.insert(texts.end(), std::begin(kScenes), std::end(kScenes));

  std::map<std::string, std::vector<AskedKey>> asked_of_kind;
  for (const std::string& text : texts) {
    const KeyRecorder recorder;
    std::string kind;
    ASSERT_NO_THROW(kind = read(text)) << text.substr(0, 2000);
    for (const AskedKey& asked : recorder.asked()) {
      if (!core.contains(asked.path)) asked_of_kind[kind].push_back(asked);
    }
  }
  const std::string limits = "the joint's limits";
  expect_described(std::vector{scene_keys_of(find_world_kind("solids"))}, asked_of_kind["solids"],
                   {.range = {{"contact[].friction.dynamic", "at most static"},
                              {"joint[].target", limits},
                              {"joint[].pressed", limits},
                              {"joint[].servo.target", limits},
                              {"joint[].servo.pressed", limits}},
                    .absent = {{"contact[].among", "asked for where it is given"},
                               {"contact[].friction.dynamic", "that of static"},
                               {"contact[].normals", "depends on the bodies"},
                               {"contact[].gradient", "that of the coupling"},
                               {"joint[].type", "asked for as a text before"}}});
  expect_described(std::vector{scene_keys_of(find_world_kind("condensed"))},
                   asked_of_kind["condensed"]);
}

TEST_F(SceneKeys, are_described_in_full) {
  std::vector<KeyGroup> groups(scene_core_keys().begin(), scene_core_keys().end());
  groups.push_back(scene_keys_of(find_world_kind("cloth")));
  for (const KeyGroup& group : groups) {
    for (const DocumentKey& key : group.keys) {
      described_keys::expect_well_formed(key, group.path_of(key));
    }
  }
}

/// Ranges in `parameters`, compared with those of the keys that name them.
template <std::size_t N>
void expect_parameters(const std::array<World::Parameter, N>& parameters, const KeyGroup& own) {
  std::vector<KeyGroup> groups(scene_core_keys().begin(), scene_core_keys().end());
  groups.push_back(own);
  for (const World::Parameter& parameter : parameters) {
    std::size_t found = 0;
    for (const KeyGroup& group : groups) {
      for (const DocumentKey& key : group.keys) {
        const std::string names = " " + std::string(key.parameters) + " ";
        if (names.find(" " + std::string(parameter.name) + " ") == std::string::npos) continue;
        ++found;
        const std::string range =
            range_text(NumberRange::between(parameter.minimum, parameter.maximum));
        EXPECT_TRUE(key.range.ends_with(range)) << parameter.name << ": " << range;
      }
    }
    EXPECT_EQ(found, 1u) << parameter.name;
  }
}

TEST_F(SceneKeys, every_parameter_of_a_world_belongs_to_a_key_of_its_range) {
  expect_parameters(solids::kSolidsParameters, scene_keys_of(find_world_kind("solids")));
  expect_parameters(condensed::kCondensedParameters, scene_keys_of(find_world_kind("condensed")));
  expect_parameters(cloth::kClothParameters, scene_keys_of(find_world_kind("cloth")));
}

TEST_F(SceneKeys, an_unknown_key_names_the_nearest_described_one) {
  // Without a device that is simulated, its keys are not asked for.
  EXPECT_EQ(refusal(kTwoBodies + "[device]\nname = \"falcon\"\nsaturaton = 3\n"),
            "scene.toml:12: device.saturaton: unknown key (did you mean \"saturation\"?)");
  EXPECT_EQ(refusal(kTwoBodies + "[device]\nname = \"falcon\"\nsaturation = 3\n"),
            "scene.toml:12: device.saturation: this key has no effect with the other keys of its "
            "table");
  EXPECT_EQ(
      refusal(kTwoBodies + "[coupling]\nlength_scale = 3\n"),
      "scene.toml:11: coupling.length_scale: unknown key (it is a key of the top-level table)");
  // The keys of another kind of world are not suggested.
  EXPECT_EQ(refusal("strain_limit = 1\n" + kTwoBodies).find("[cloth]"), std::string::npos);
}

}  // namespace
}  // namespace haptic
