// Scanned and CAD meshes, closed, with holes, and triangle soups: each bakes to a valid model,
// deformable and rigid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/bake/verify.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

std::filesystem::path meshes_folder() {
  const char* named = std::getenv("HAPTIC_MESHES");
  return named ? named : HAPTIC_DEFAULT_MESHES;
}

class RealMesh : public testing::TestWithParam<const char*> {
 protected:
  static bool is_open() {
    const std::string name = GetParam();
    return name == "stanford-bunny.obj" || name == "teapot.obj";
  }
};

TEST_P(RealMesh, bakes_to_a_valid_model) {
  const std::filesystem::path mesh = meshes_folder() / GetParam();
  if (!std::filesystem::exists(mesh)) {
    GTEST_SKIP() << mesh << " is not there; HAPTIC_MESHES names the folder of the real meshes";
  }
  const BakingFolder folder("real");
  const std::string source = "[source]\nmesh = \"" + std::filesystem::absolute(mesh).string() +
                             "\"\nlength = 0.2\n" + (is_open() ? "open = true\n" : "") +
                             "[mesh]\nresolution = 14\n";
  const std::string touch = "[shell]\npoints = 500\n[field]\nresolution = 32\n";
  folder.write("soft.toml", source +
                                "[material]\nyoungs_modulus = 1e5\npoisson_ratio = 0.45\n"
                                "density = 1000\n[constraints]\nplanes = [{ axis = \"y\", "
                                "below = 0.02 }]\n[reduction]\nlinear_modes = 5\ndimension = 8\n" +
                                touch);
  folder.write("hard.toml", source + "[material]\ndensity = 1000\n" + touch);
  for (const char* kind : {"soft", "hard"}) {
    const auto model = folder.bake(std::string(kind) + ".toml", std::string(kind) + ".h5");
    for (const VerifiedFigure& figure : verify_model(model)) {
      EXPECT_TRUE(figure.passes())
          << kind << " " << figure.name << " " << figure.value << " over " << figure.limit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, RealMesh,
                         testing::Values("spot.obj", "rocker-arm.obj", "fandisk.obj",
                                         "stanford-bunny.obj", "teapot.obj"),
                         [](const auto& mesh) {
                           std::string name = mesh.param;
                           name.resize(name.find('.'));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace haptic
