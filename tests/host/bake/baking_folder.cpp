#include "tests/host/bake/baking_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "host/bake/bake.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "shared/assert.h"

namespace haptic {
namespace {

constexpr const char* kBeamRecipe = R"([source]
mesh = "beam.obj"
length = 0.2
[mesh]
resolution = 24
[material]
youngs_modulus = 5e4
poisson_ratio = 0.45
density = 1000.0
damping_ratios = [0.02, 0.05]
[constraints]
planes = [{ axis = "x", below = 0.01 }]
[reduction]
linear_modes = 4
dimension = 6
[shell]
points = 400
levels = 3
[field]
resolution = 32
)";

constexpr const char* kBallRecipe = R"([source]
mesh = "ball.obj"
length = 0.04
[material]
density = 1000.0
[shell]
points = 300
[field]
resolution = 32
)";

}  // namespace

std::string beam_recipe(const std::string& from, const std::string& to) {
  std::string text = kBeamRecipe;
  if (from.empty()) return text + to;
  const std::size_t at = text.find(from);
  HAPTIC_DEMAND(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

BakingFolder::BakingFolder(const char* name)
    : folder_(std::filesystem::path(testing::TempDir()) /
              ("haptic_bake_" + std::string(name) + std::to_string(getpid()))) {
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  write_obj(file("beam.obj"), make_shape("beam", {{"resolution", 12}}));
  write_obj(file("ball.obj"), make_shape("sphere", {{"subdivisions", 2}}));
  write("beam.toml", kBeamRecipe);
  write("ball.toml", kBallRecipe);
}

BakingFolder::~BakingFolder() {
  std::filesystem::remove_all(folder_);
}

void BakingFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
}

std::string BakingFolder::read(const std::string& name) const {
  std::ifstream stream(file(name), std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::filesystem::path BakingFolder::bake(const std::string& recipe,
                                         const std::string& model) const {
  StageProgress quiet(nullptr);
  haptic::bake(load_recipe(file(recipe)), file(model), quiet);
  return file(model);
}

Finished BakingFolder::shell(const std::string& command) const {
  const std::string line =
      "cd " + folder_.string() + " && { " + command + "; } > stdout.txt 2> stderr.txt";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("stdout.txt"), read("stderr.txt")};
}

}  // namespace haptic
