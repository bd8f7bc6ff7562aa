// The .veg files of VegaFEM, read and written.
#include "host/formats/vega_mesh.h"

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "host/fem/stvk_model.h"
#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

// Written by hand after VegaFEM's description of the format: 1-based, comments, a blank line,
// commas, and a second material for one of two cubes.
constexpr std::string_view kTwoCubes = R"(# two cubes of 0.1 m along x
*VERTICES
12 3 0 0
1 0 0 0
2 0.1 0 0
3, 0.2, 0, 0
4 0 0.1 0
5 0.1 0.1 0
6 0.2 0.1 0
7 0 0 0.1
8 0.1 0 0.1
9 0.2 0 1e-1
10 0 0.1 0.1
11 0.1 0.1 0.1
12 0.2 0.1 0.1

*ELEMENTS
CUBIC
2 8 0
1 1 2 5 4 7 8 11 10
2 2 3 6 5 8 9 12 11

*MATERIAL SOFT
ENU, 1000, 5e4, 0.45
*MATERIAL STIFF
ENU, 1200, 2E6, 0.3
*SET second
2
*REGION
allElements, SOFT
*REGION
second, STIFF
)";

// 0-based, one tetrahedron, the short orthotropic form.
constexpr std::string_view kTet = R"(*VERTICES
4 3 0 0
0 0 0 0
1 1 0 0
2 0 1 0
3 0 0 1
*ELEMENTS
TET
1 4 0
0 0 1 2 3
*MATERIAL wood
ORTHOTROPIC_N1G1, 700, 1e7, 2e6, 2e6, 0.3, 0.9
*REGION
allElements, wood
)";

class VegaMeshTest : public VegaTestFolder {};

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  result.replace(result.find(from), from.size(), to);
  return result;
}

TEST_F(VegaMeshTest, cubes_with_regions_are_read_as_documented) {
  const VegaMesh mesh = read_veg(write("two.veg", kTwoCubes));
  ASSERT_EQ(mesh.vertex_count(), 12u);
  ASSERT_EQ(mesh.element_count(), 2u);
  EXPECT_EQ(mesh.corners_per_element, 8);
  EXPECT_EQ(mesh.vertices[3 * 8 + 2], 0.1);
  EXPECT_EQ(std::vector<std::uint32_t>(mesh.elements.begin(), mesh.elements.begin() + 8),
            (std::vector<std::uint32_t>{0, 1, 4, 3, 6, 7, 10, 9}));
  ASSERT_EQ(mesh.materials.size(), 2u);
  EXPECT_EQ(mesh.materials[1].name, "STIFF");
  EXPECT_EQ(mesh.materials[1].youngs_modulus, 2e6);
  EXPECT_EQ(mesh.materials[1].density, 1200.0);
  EXPECT_EQ(mesh.element_material, (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(VegaMeshTest, zero_based_ids_and_carriage_returns_are_understood) {
  std::string dos;
  for (const char c : kTet) {
    if (c == '\n') dos += '\r';
    dos += c;
  }
  const VegaMesh mesh = read_veg(write("tet.veg", dos));
  EXPECT_EQ(mesh.corners_per_element, 4);
  EXPECT_EQ(mesh.elements, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  ASSERT_TRUE(mesh.materials[0].orthotropy);
  // nu_12 = nu sqrt(E1 / E2), G_12 = G sqrt(E1 E2) / (2 (1 + nu)).
  EXPECT_NEAR(mesh.materials[0].orthotropy->nu12, 0.3 * std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(mesh.materials[0].orthotropy->g12, 0.9 * std::sqrt(2e13) / 2.6, 1e-6);
}

TEST_F(VegaMeshTest, included_files_replace_their_include_line) {
  const std::size_t cut = kTwoCubes.find("*ELEMENTS");
  write("vertices.veg", kTwoCubes.substr(0, cut));
  std::string text = "# parts\n*INCLUDE vertices.veg\n";
  text.append(kTwoCubes.substr(cut));
  const VegaMesh mesh = read_veg(write("main.veg", text));
  EXPECT_EQ(mesh.vertex_count(), 12u);
  EXPECT_EQ(mesh.element_count(), 2u);
  write("rest.veg", "");  // a set without elements
  EXPECT_EQ(read_veg(write("main.veg", text + "*INCLUDE rest.veg\n")).element_count(), 2u);
  EXPECT_NE(refusal([&] { read_veg(write("self.veg", "*INCLUDE self.veg\n")); }).find("deeper"),
            std::string::npos);
  EXPECT_NE(refusal([&] { read_veg(write("lost.veg", "*INCLUDE no.veg\n")); }).find("no such file"),
            std::string::npos);
}

TEST_F(VegaMeshTest, elements_of_no_region_take_the_last_material) {
  const std::string without(kTwoCubes.substr(0, kTwoCubes.find("*REGION")));
  EXPECT_EQ(read_veg(write("a.veg", without)).element_material, (std::vector<std::uint32_t>{1, 1}));
  const std::string bare(kTwoCubes.substr(0, kTwoCubes.find("*MATERIAL")));
  const VegaMesh mesh = read_veg(write("b.veg", bare));
  EXPECT_EQ(mesh.materials.at(0).youngs_modulus, 1e9);  // Vega's default
}

TEST_F(VegaMeshTest, what_is_written_is_read_back_bit_for_bit) {
  for (const std::string_view text : {kTwoCubes, kTet}) {
    VegaMesh mesh = read_veg(write("first.veg", text));
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shift(-1e-3, 1e-3);
    for (double& x : mesh.vertices) x += shift(random);
    write_veg(folder_ / "again.veg", mesh);
    const VegaMesh again = read_veg(folder_ / "again.veg");
    EXPECT_EQ(again.vertices, mesh.vertices);
    EXPECT_EQ(again.elements, mesh.elements);
    EXPECT_EQ(again.element_material, mesh.element_material);
    ASSERT_EQ(again.materials.size(), mesh.materials.size());
    for (std::size_t g = 0; g < mesh.materials.size(); ++g) {
      EXPECT_EQ(again.materials[g].name, mesh.materials[g].name);
      EXPECT_EQ(again.materials[g].density, mesh.materials[g].density);
      ASSERT_EQ(again.materials[g].orthotropy.has_value(),
                mesh.materials[g].orthotropy.has_value());
      if (mesh.materials[g].orthotropy) {
        EXPECT_EQ(again.materials[g].orthotropy->elasticity(),
                  mesh.materials[g].orthotropy->elasticity());
      }
    }
  }
}

TEST_F(VegaMeshTest, orthotropic_with_equal_moduli_is_isotropic_in_every_frame) {
  const double E = 3e5, nu = 0.35;
  Orthotropy o{E, E, E, nu, nu, nu, E / 2.7, E / 2.7, E / 2.7, {}};
  o.axes = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  const Material material{E, nu, 1000.0};
  const double lambda = material.lame().lambda, mu = material.lame().mu;
  Eigen::Matrix<double, 6, 6> expected = Eigen::Matrix<double, 6, 6>::Zero();
  expected.topLeftCorner<3, 3>().setConstant(lambda);
  expected.diagonal() << lambda + 2 * mu, lambda + 2 * mu, lambda + 2 * mu, mu, mu, mu;
  // Rounding of 81 products per entry.
  EXPECT_LE((o.elasticity() - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.maxCoeff());
}

TEST_F(VegaMeshTest, orthotropic_axes_are_the_columns_of_R) {
  // Stiff along local 1; a rotation by 90 degrees about z maps local 1 to the y axis of the model.
  Orthotropy o{9e6, 1e6, 1e6, 0.0, 0.0, 0.0, 1e5, 2e5, 3e5, {}};
  o.axes << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Eigen::Matrix<double, 6, 6> C = o.elasticity();
  EXPECT_NEAR(C(1, 1), 9e6, 1e-6);
  EXPECT_NEAR(C(0, 0), 1e6, 1e-6);
  EXPECT_NEAR(C(3, 3), 1e5, 1e-6);  // 12 stays 12
  EXPECT_NEAR(C(4, 4), 2e5, 1e-6);  // model 13 is local 23
  EXPECT_NEAR(C(5, 5), 3e5, 1e-6);  // model 23 is local 31
}

TEST_F(VegaMeshTest, cube_corners_are_in_the_order_of_our_element) {
  // VegaFEM interpolates a cube with corners (000) (100) (110) (010) (001) (101) (111) (011); its
  // trilinear field u(X) must have the same energy and force in our element. Reference: the force
  // as the difference quotient of Int W dV with Vega's own shape functions and a fine Gauss rule.
  VegaMesh mesh = read_veg(write("two.veg", kTwoCubes));
  constexpr double h = 0.1;
  mesh.elements.resize(8);  // the first cube alone, its corners numbered as the file lists them
  std::vector<double> corners;
  Eigen::VectorXd u(24);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-0.03, 0.03);
  for (const std::uint32_t v : mesh.elements) {
    corners.insert(corners.end(), &mesh.vertices[3 * v], &mesh.vertices[3 * v] + 3);
  }
  for (double& x : u) x = shift(random);
  const Material material{1e5, 0.4, 1000.0};
  const LameParameters lame = material.lame();
  const auto vega_energy = [&](const Eigen::VectorXd& at) {
    constexpr int kVega[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    constexpr double kPoint[4] = {0.0694318442029737, 0.3300094782075719, 0.6699905217924281,
                                  0.9305681557970263};
    constexpr double kWeight[4] = {0.1739274225687269, 0.3260725774312731, 0.3260725774312731,
                                   0.1739274225687269};
    double energy = 0.0;
    for (int i = 0; i < 64; ++i) {
      const int g[3] = {i % 4, (i / 4) % 4, i / 16};
      Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
      for (int c = 0; c < 8; ++c) {
        Eigen::Vector3d gradient;
        for (int axis = 0; axis < 3; ++axis) {
          gradient[axis] = (kVega[c][axis] ? 1.0 : -1.0) / h;
          for (int other = 0; other < 3; ++other) {
            if (other == axis) continue;
            gradient[axis] *= kVega[c][other] ? kPoint[g[other]] : 1.0 - kPoint[g[other]];
          }
        }
        F += at.segment<3>(3 * c) * gradient.transpose();
      }
      const Eigen::Matrix3d E = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
      energy += kWeight[g[0]] * kWeight[g[1]] * kWeight[g[2]] * h * h * h *
                (0.5 * lame.lambda * E.trace() * E.trace() + lame.mu * E.squaredNorm());
    }
    return energy;
  };
  const std::vector<std::uint32_t> ids = {0, 1, 2, 3, 4, 5, 6, 7};
  const StvkModel model(SolidMesh(corners, ids, material), {});
  const double energy = vega_energy(u);
  EXPECT_NEAR(model.energy(u), energy, 1e-12 * energy);  // both rules are exact
  const Eigen::VectorXd force = model.force(u);
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 24; ++i) {
    Eigen::VectorXd plus = u, minus = u;
    plus[i] += kStep;
    minus[i] -= kStep;
    // Central differences: truncation (step / h)^2 = 1e-10 and rounding 1e-16 / (step / h).
    EXPECT_NEAR(force[i], (vega_energy(plus) - vega_energy(minus)) / (2.0 * kStep),
                1e-7 * force.cwiseAbs().maxCoeff());
  }
}

TEST_F(VegaMeshTest, bad_files_are_refused_with_the_line) {
  const auto message = [&](std::string_view from, std::string_view to) {
    return refusal([&] { read_veg(write("bad.veg", replaced(kTwoCubes, from, to))); });
  };
  EXPECT_NE(message("ENU, 1000", "MOONEYRIVLIN, 1000").find("MOONEYRIVLIN"), std::string::npos);
  EXPECT_NE(message("2 2 3 6", "2 2 3 13").find("line 21: found vertex 13"), std::string::npos);
  EXPECT_NE(message("12 3 0 0", "13 3 0 0").find("found 12 vertices"), std::string::npos);
  EXPECT_NE(message("12 3 0 0", "11 3 0 0").find("more vertices"), std::string::npos);
  EXPECT_NE(message("12 3 0 0", "999999999 3 0 0").find("bytes can hold"), std::string::npos);
  EXPECT_NE(message("0.45", "0.5").find("nu 0.5"), std::string::npos);
  EXPECT_NE(message("second, STIFF", "third, STIFF").find("no set \"third\""), std::string::npos);
  EXPECT_NE(message("CUBIC", "PRISM").find("PRISM"), std::string::npos);
  EXPECT_NE(message("0.2, 0, 0", "0.2, nan, 0").find("line 6"), std::string::npos);
  EXPECT_NE(message("*SET second\n2", "*SET second\n3").find("found element 3"), std::string::npos);
  EXPECT_NE(refusal([&] { read_veg(folder_ / "none.veg"); }).find("no such file"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              read_veg(write("b.veg", std::string_view("\1\0\0\0\0\0\0\0", 8)));
            }).find("not a text file"),
            std::string::npos);
}

}  // namespace
}  // namespace haptic
