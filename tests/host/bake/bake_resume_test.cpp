// A bake continues an interrupted one, repeats the stages that depend on a change, and always gives
// the same model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "host/bake/bake.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "shared/artifact/model_file.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() : folder("resume") {
    folder.write("r.toml", beam_recipe());
    done("r.h5");  // fills the cache
  }

  /// Stages that a bake with the cache ran, except "write".
  std::set<std::string> done(const std::string& model) {
    StageProgress quiet(nullptr);
    bake(load_recipe(folder.file("r.toml")), folder.file(model), quiet, {folder.file("r.bake")});
    notes = quiet.notes();
    std::set<std::string> names;
    for (const StageCost& cost : quiet.costs()) {
      if (!cost.kept && cost.name != "write") names.insert(cost.name);
    }
    return names;
  }
  /// The same after a change of the recipe; the model must be that of a bake without cache.
  std::set<std::string> done_after(const std::string& from, const std::string& to) {
    folder.write("r.toml", beam_recipe(from, to));
    const std::set<std::string> names = done("r.h5");
    folder.bake("r.toml", "fresh.h5");
    EXPECT_EQ(ModelFile(folder.file("r.h5")).content_hash(),
              ModelFile(folder.file("fresh.h5")).content_hash());
    return names;
  }

  BakingFolder folder;
  std::vector<std::string> notes;
};

TEST_F(ResumeTest, an_unchanged_bake_reuses_every_stage) {
  EXPECT_THAT(done("again.h5"), IsEmpty());
  EXPECT_EQ(ModelFile(folder.file("again.h5")).content_hash(),
            ModelFile(folder.file("r.h5")).content_hash());
}

TEST_F(ResumeTest, changed_shell_points_keep_the_reduction_and_the_field) {
  EXPECT_THAT(done_after("points = 400", "points = 500"),
              UnorderedElementsAre("shell", "weights", "tree"));
}

TEST_F(ResumeTest, changed_damping_keeps_every_stage) {
  EXPECT_THAT(done_after("damping_ratios = [0.02, 0.05]", "damping_ratios = [0.03, 0.04]"),
              IsEmpty());
}

TEST_F(ResumeTest, a_changed_comment_keeps_every_stage) {
  EXPECT_THAT(done_after("[source]", "# for the lab\n[source]"), IsEmpty());
}

TEST_F(ResumeTest, a_changed_field_keeps_the_reduction) {
  EXPECT_THAT(done_after("resolution = 32", "resolution = 16"),
              UnorderedElementsAre("contact", "field"));
}

TEST_F(ResumeTest, a_changed_dimension_keeps_modes_and_derivatives) {
  EXPECT_THAT(done_after("dimension = 6", "dimension = 5"),
              UnorderedElementsAre("basis", "polynomials", "embedding", "tree"));
}

TEST_F(ResumeTest, a_changed_material_keeps_the_surface) {
  const auto names = done_after("density = 1000.0", "density = 900.0");
  EXPECT_EQ(names.count("modes"), 1u);
  for (const char* kept : {"mesh", "voxels", "contact", "field", "shell"}) {
    EXPECT_EQ(names.count(kept), 0u) << kept;
  }
}

TEST_F(ResumeTest, a_changed_mesh_file_repeats_every_stage) {
  folder.write("beam.obj", folder.read("beam.obj") + "v 0.5 0.5 0.5\n");  // an unused vertex
  // The surface is the same, so the stages that depend on it are reused.
  EXPECT_THAT(done("r.h5"), UnorderedElementsAre("mesh"));
  folder.write("r.toml", beam_recipe("resolution = 24", "resolution = 12"));
  write_obj(folder.file("beam.obj"), make_shape("beam", {{"resolution", 8}}));
  EXPECT_EQ(done("r.h5").size(), 14u);
}

TEST_F(ResumeTest, only_a_missing_stage_is_repeated) {
  std::filesystem::remove(folder.file("r.bake/modes.stage"));
  EXPECT_THAT(done("again.h5"), UnorderedElementsAre("modes"));
  std::filesystem::remove(folder.file("r.bake/derivatives.stage"));
  std::filesystem::remove(folder.file("r.bake/polynomials.stage"));
  EXPECT_THAT(done("again.h5"), UnorderedElementsAre("derivatives", "polynomials"));
  EXPECT_EQ(ModelFile(folder.file("again.h5")).content_hash(),
            ModelFile(folder.file("r.h5")).content_hash());
}

TEST_F(ResumeTest, a_damaged_stage_is_repeated_and_reported) {
  std::string bytes = folder.read("r.bake/modes.stage");
  bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
  folder.write("r.bake/modes.stage", bytes);
  EXPECT_THAT(done("again.h5"), UnorderedElementsAre("modes"));
  EXPECT_THAT(notes, testing::Contains(HasSubstr("modes: the stored result is damaged")));
  EXPECT_EQ(ModelFile(folder.file("again.h5")).content_hash(),
            ModelFile(folder.file("r.h5")).content_hash());
}

}  // namespace
}  // namespace haptic
