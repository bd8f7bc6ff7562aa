#include "host/log/logged_models.h"

#include <fmt/format.h>

#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "tests/host/artifact/sample_model.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

TEST(LoggedModelsTest, a_model_is_no_log) {
  const std::filesystem::path model = fresh_folder("model-as-log") / "cow.h5";
  write_sample_model(model.string());
  std::string line;
  try {
    const LogReader log(model);
  } catch (const InputError& error) {
    line = error.what();
  }
  EXPECT_EQ(line, model.string() +
                      ": found a model (haptic bake), expected a log (haptic record, "
                      "haptic simulate) or a black box of hapticd");
}

TEST(LoggedModelsTest, a_model_that_was_changed_since_it_ran_is_refused_and_others_are_not) {
  const std::filesystem::path folder = fresh_folder("logged-models");
  const std::string model = (folder / "cow.h5").string();
  write_sample_model(model);
  const std::uint64_t hash = ModelFile(model).content_hash();
  const std::vector<LogBody> bodies = {
      {"cow", model, hash}, {"ball", "sphere radius 0.01", 7}, {"gone", "/nowhere/x.h5", 7}};
  EXPECT_EQ(state_of(bodies[0]), LoggedModel::kSame);
  EXPECT_EQ(state_of(bodies[1]), LoggedModel::kShape);
  EXPECT_EQ(state_of(bodies[2]), LoggedModel::kUnreadable);
  EXPECT_NO_THROW(expect_models_that_ran(bodies, "log.h5"));
  write_sample_model(model, SampleElements::kTetrahedra);
  EXPECT_EQ(state_of(bodies[0]), LoggedModel::kChanged);
  std::string line;
  try {
    expect_models_that_ran(bodies, "log.h5");
  } catch (const InputError& error) {
    line = error.what();
  }
  EXPECT_EQ(line, fmt::format("log.h5: cow: {} was changed since it ran, expected the model "
                              "{:016x}, or --any-model",
                              model, hash));
}

}  // namespace
}  // namespace haptic
