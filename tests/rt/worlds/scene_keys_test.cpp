// The descriptions of a scene's keys against its readers.
#include "rt/worlds/scene_keys.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
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

/// What the shipped scenes do not have.
const std::string kScenes[] = {
    "rate_hz = 100\nservo_rate_hz = 1000\ngravity = [0, 0, 0]\n" + kFreeBody,
    kTwoBodies + "[[body]]\nname = \"p\"\nshape = \"plane\"\nsize = 1\nrole = \"anchored\"\n",
    kTwoBodies +
        "[[body]]\nname = \"p\"\nshape = \"torus\"\nradius = 1\ntube = 0.1\nrole = \"anchored\"\n",
    kTwoBodies + "[coupling]\nmode = \"dynamic\"\nclutch_button = 1\ngrasp = [0, 0, 0]\n",
    kTwoBodies + "[passivity]\n",
    kTwoBodies +
        "[device]\nscript = \"a.csv\"\nhand = \"free\"\npush = [0, 0, 0]\n"
        "faults = [{ kind = \"jump\", at = 1, size = 1 }, { kind = \"late\", at = 1, size = 1 }]\n",
    kTwoBodies + "[device]\nhand = \"steered\"\n",
    kTwoBodies +
        "[[body]]\nname = \"b\"\nshape = \"box\"\nx = 1\ny = 1\nz = 1\nrole = \"anchored\"\n",
};

class SceneKeys : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  /// Reads a scene whose models are empty files.
  void read(const std::string& text) {
    const std::regex model("(^|\n)model *= *\"([^\"]+)\"");
    for (std::sregex_iterator match(text.begin(), text.end(), model), end; match != end; ++match) {
      const fs::path file = folder_ / (*match)[2].str();
      fs::create_directories(file.parent_path());
      std::ofstream(file) << "model";
    }
    parse_scene(text, folder_ / "scene.toml");
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

TEST_F(SceneKeys, read_what_they_describe) {
  std::vector<std::string> texts = shipped_scenes();
  EXPECT_GT(texts.size(), 15u);
  texts.insert(texts.end(), std::begin(kScenes), std::end(kScenes));
  for (const std::string& text : texts) EXPECT_NO_THROW(read(text)) << text.substr(0, 2000);
}

TEST_F(SceneKeys, are_described_in_sentences) {
  for (const char* const kind : {"solids", "condensed", "cloth"}) {
    std::vector<KeyGroup> groups(scene_core_keys().begin(), scene_core_keys().end());
    groups.push_back(scene_keys_of(find_world_kind(kind)));
    expect_described(groups);
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
