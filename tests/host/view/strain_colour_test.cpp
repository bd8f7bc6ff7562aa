#include "host/view/strain_colour.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "host/artifact/model_writer.h"
#include "host/bake/solid_body.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr double kEdge = 0.02, kModulus = 1e5, kPoisson = 0.4;
constexpr std::uint64_t kFields = 4;

/// Rotation about the axis in two coordinates, q = (sin t, 1 - cos t), bending along y with the
/// curvature q, and a stretch.
std::vector<double> fields(std::span<const double> X) {
  std::vector<double> U;
  for (std::size_t v = 0; v < X.size(); v += 3) {
    const double x = X[v], y = X[v + 1] - 0.5 * kEdge, z = X[v + 2] - kEdge;
    U.insert(U.end(), {0.0, 0.0, -x * y, x});
    U.insert(U.end(), {-z, -y, 0.5 * x * x, -0.4 * y});
    U.insert(U.end(), {y, -z, 0.0, -0.4 * z});
  }
  return U;
}

/// A bar of 10 x 1 x 2 cubes, one layer in its bending.
class SurfaceStrainTest : public testing::Test {
 protected:
  SurfaceStrainTest() {
    folder_ = fs::temp_directory_path() / ("haptic-strain-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~SurfaceStrainTest() override { fs::remove_all(folder_); }

  /// @param held fraction of each element that is held; negative: plain elements
  std::vector<double> values(SurfaceColour quantity, double held, std::vector<double> q) {
    const fs::path path = folder_ / "bar.h5";
    const SolidMesh mesh = make_box_mesh(10, 1, 2, kEdge, Material{kModulus, kPoisson, 1000.0});
    const SolidBody body = solid_of_cubes({mesh.vertices().begin(), mesh.vertices().end()},
                                          {mesh.elements().begin(), mesh.elements().end()}, "bar");
    const TriangleMesh surface = boundary_of(body, "bar");
    std::vector<double> rest;
    std::vector<std::uint32_t> triangles;
    for (const Vector3& v : surface.vertices) rest.insert(rest.end(), v.data(), v.data() + 3);
    for (const auto& t : surface.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    const std::vector<double> U = fields(mesh.vertices()), shown = fields(rest);
    const std::vector<float> shown_float(shown.begin(), shown.end());
    const std::vector<double> fractions(static_cast<std::size_t>(mesh.element_count()), held);
    ModelWriter writer(path);
    writer.add("/surface/vertices", std::span<const double>(rest), {rest.size() / 3, 3});
    writer.add("/surface/triangles", std::span<const std::uint32_t>(triangles),
               {triangles.size() / 3, 3});
    writer.add("/surface/basis", std::span<const float>(shown_float),
               {shown_float.size() / kFields, kFields});
    writer.add("/mesh/vertices", mesh.vertices(), {mesh.vertices().size() / 3, 3});
    writer.add("/mesh/elements", mesh.elements(), {mesh.elements().size() / 8, 8});
    writer.add("/reduced/basis", std::span<const double>(U), {U.size() / kFields, kFields});
    writer.set_attribute("/mesh", "youngs_modulus_Pa", kModulus);
    writer.set_attribute("/mesh", "poisson_ratio", kPoisson);
    writer.set_attribute("/mesh", "density_kg_m3", 1000.0);
    if (held >= 0.0) {
      writer.set_attribute("/mesh", "assumed_strain", 1.0);
      writer.add("/mesh/held", std::span<const double>(fractions), {fractions.size()});
    }
    writer.commit();
    const ModelFile model(path);
    return SurfaceStrain(model, make_display_basis(model), quantity).largest_eigenvalues(q);
  }

  fs::path folder_;
};

TEST_F(SurfaceStrainTest, is_that_of_a_stretch_and_none_of_a_rotation) {
  for (const double held : {-1.0, 0.0}) {
    // A stretch by 10 % along x: E_xx = (1.1^2 - 1) / 2, and the others are compressed.
    const std::vector<double> stretch = {0, 0, 0, 0.1};
    for (const double value : values(SurfaceColour::kStrain, held, stretch)) {
      EXPECT_NEAR(value, 0.105, 1e-12);
    }
    // Its stress along x: lambda tr E + 2 mu E_xx with E_yy = E_zz = (0.96^2 - 1) / 2.
    const LameParameters lame = Material{kModulus, kPoisson, 1000.0}.lame();
    const double stress = lame.lambda * (0.105 - 2.0 * 0.0392) + 2.0 * lame.mu * 0.105;
    for (const double value : values(SurfaceColour::kStress, held, stretch)) {
      EXPECT_NEAR(value, stress, 1e-9 * stress);
    }
    const std::vector<double> turn = {std::sin(1.2), 1.0 - std::cos(1.2)};
    for (const double value : values(SurfaceColour::kStrain, held, turn)) {
      EXPECT_NEAR(value, 0.0, 1e-12);
    }
  }
}

// The largest stress of one bent layer is a beam's; the published element shows 2.1 times as much,
// since it cannot change its width.
TEST_F(SurfaceStrainTest, of_a_bent_layer_is_that_of_a_beam) {
  const std::vector<double> bend = {0, 0, 1e-7};
  const double strain = 1e-7 * 0.5 * kEdge;
  const auto largest = [&](SurfaceColour quantity, double held) {
    const auto all = values(quantity, held, bend);
    return *std::max_element(all.begin(), all.end());
  };
  EXPECT_NEAR(largest(SurfaceColour::kStrain, 0.0) / strain, 1.0, 1e-5);
  EXPECT_NEAR(largest(SurfaceColour::kStress, 0.0) / (kModulus * strain), 1.0, 1e-5);
  EXPECT_GT(largest(SurfaceColour::kStress, -1.0) / (kModulus * strain), 2.0);
  // What is left of half a cell beside a fixed region takes the displacement alone.
  EXPECT_NEAR(largest(SurfaceColour::kStrain, 0.5) / strain, 2.0, 1e-5);
  EXPECT_NEAR(largest(SurfaceColour::kStress, 0.5) / (kModulus * strain), 2.0, 1e-5);
}

TEST(ColoursOf, go_from_dark_to_bright_up_to_the_top) {
  const std::vector<double> values = {-1.0, 0.0, 1.0, 2.0, 4.0};
  const std::vector<float> colours = colours_of(values, 2.0);
  EXPECT_EQ(colours[0], colours[3]);
  EXPECT_LT(colours[0] + colours[1] + colours[2], colours[6] + colours[7] + colours[8]);
  EXPECT_EQ(colours[9], colours[12]);
}

}  // namespace
}  // namespace haptic
