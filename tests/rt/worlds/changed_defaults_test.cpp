#include "rt/worlds/changed_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rt/worlds/scene_keys.h"
#include "rt/worlds/world_kind.h"
#include "rt/worlds/world_kinds.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kJelly =
    "[[body]]\nname = \"jelly\"\nmodel = \"jelly.h5\"\nrole = \"anchored\"\n";
const std::string kTool =
    "[[body]]\nname = \"tool\"\nshape = \"sphere\"\nradius = 0.01\nrole = \"held\"\n";
const std::string kCube = "[[body]]\nname = \"cube\"\nmodel = \"cube.h5\"\nrole = \"free\"\n";
const std::string kTouch = "[[contact]]\npoints = \"jelly\"\nfield = \"tool\"\n";

class ChangedDefaults : public testing::Test {
 protected:
  ChangedDefaults() : folder_(model_folder("changed_defaults")) {
    for (const char* name : {"jelly.h5", "cube.h5"}) std::ofstream(folder_ / name) << "model";
  }
  ~ChangedDefaults() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> of(const std::string& text) {
    return changed_defaults(parse_scene(text, folder_ / "scene.toml"));
  }
  /// Of a scene of a jelly, a tool and this.
  std::vector<std::string> of_touch(const std::string& contact, const std::string& rest) {
    return of(kJelly + kTool + kTouch + contact + rest);
  }

  std::filesystem::path folder_;
};

TEST_F(ChangedDefaults, are_named_with_what_to_type_for_the_old_one) {
  EXPECT_THAT(
      of_touch("", ""),
      ElementsAre(AllOf(HasSubstr("coupling.static_damping: the default is now 0"),
                        HasSubstr("type static_damping = 0.5")),
                  AllOf(HasSubstr("contact[].normals"), HasSubstr("type normals = \"shell\"")),
                  AllOf(HasSubstr("coupling.permitted_depth"), HasSubstr("limits.force")),
                  HasSubstr("type defaults = 2")));
}

TEST_F(ChangedDefaults, a_key_that_is_typed_is_not_named) {
  EXPECT_THAT(of_touch("normals = \"shell\"\n",
                       "[coupling]\nstatic_damping = 0.5\npermitted_depth = 0.01\n"),
              IsEmpty());
  EXPECT_THAT(of_touch("normals = \"shell\"\n", "[coupling]\nstatic_damping = 0.5\n"),
              ElementsAre(HasSubstr("permitted_depth"), HasSubstr("defaults = 2")));
}

TEST_F(ChangedDefaults, a_default_that_does_not_act_is_not_named) {
  // A mass has no static damping, explicit contact has the old defaults.
  EXPECT_THAT(
      of_touch("normals = \"shell\"\n", "[coupling]\nmode = \"dynamic\"\npermitted_depth = 0.01\n"),
      IsEmpty());
  EXPECT_THAT(of_touch("", "[dynamics]\ncontact = \"explicit\"\n"), IsEmpty());
  EXPECT_THAT(of(kJelly + kTool + "[coupling]\nstatic_damping = 0\n"), IsEmpty());
}

TEST_F(ChangedDefaults, the_scaling_concerns_contacts_of_free_bodies) {
  const std::string typed =
      "[coupling]\nstatic_damping = 0\npermitted_depth = 0.01\n[[contact]]\nnormals = \"field\"\n";
  for (const char* pair : {"points = \"cube\"\nfield = \"tool\"\n",
                           "points = \"jelly\"\nfield = \"cube\"\n", "among = \"free\"\n"}) {
    const std::string scene = kJelly + kTool + kCube + typed + pair;
    EXPECT_THAT(of(scene), ElementsAre(HasSubstr("contact[].scaling"), HasSubstr("defaults = 2")));
    EXPECT_THAT(of(scene + "scaling = \"none\"\n"), IsEmpty());
  }
}

TEST_F(ChangedDefaults, a_scene_of_the_present_version_is_told_nothing) {
  EXPECT_THAT(of("defaults = 2\n" + kJelly + kTool + kTouch), IsEmpty());
  EXPECT_THROW(of("defaults = 3\n" + kJelly + kTool), InputError);
  EXPECT_THROW(of("defaults = 0\n" + kJelly + kTool), InputError);
}

TEST_F(ChangedDefaults, every_key_is_a_key_of_its_kind) {
  for (const std::string_view name : world_kind_names()) {
    const WorldKind& kind = find_world_kind(name);
    if (kind.changed_defaults == nullptr) continue;
    std::vector<DocumentKey> keys;
    for (const KeyGroup& group : scene_core_keys()) {
      keys.insert(keys.end(), group.keys.begin(), group.keys.end());
    }
    const KeyGroup own = scene_keys_of(kind);
    keys.insert(keys.end(), own.keys.begin(), own.keys.end());
    for (const ChangedDefault& change : kind.changed_defaults()) {
      EXPECT_TRUE(std::ranges::any_of(keys, [&](const DocumentKey& key) {
        return key.path == change.key;
      })) << change.key;
      EXPECT_LE(change.since, kDefaultsVersion);
      EXPECT_GE(change.since, 2);
    }
  }
}

}  // namespace
}  // namespace haptic
