#include "rt/bodies/deformation_samples.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <vector>

#include "host/artifact/model_writer.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/state/physical_warnings.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// A body whose nine coordinates are the entries of F - I, row by row, everywhere; or, with
/// `squeezed`, whose one coordinate compresses along z the elements above z = 0.5 only.
class DeformationSamplesTest : public testing::Test {
 protected:
  DeformationSamplesTest() : folder_(model_folder("deformation_samples")) {}
  ~DeformationSamplesTest() override { std::filesystem::remove_all(folder_); }

  /// n^3 cubes, or each cut into six tetrahedra, over a unit cube that is turned and scaled.
  std::filesystem::path write(int n, bool tetrahedra, bool squeezed = false) {
    const auto number = [n](int i, int j, int k) {
      return static_cast<std::uint32_t>((i * (n + 1) + j) * (n + 1) + k);
    };
    const Matrix3 placed =
        squeezed
            ? Matrix3(Matrix3::Identity())
            : Matrix3(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix() *
                      Vector3(0.2, 0.1, 0.05).asDiagonal());
    std::vector<double> vertices, basis;
    const std::uint64_t r = squeezed ? 1 : 9;
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        for (int k = 0; k <= n; ++k) {
          const Vector3 x = placed * Vector3(i, j, k) / n;
          for (int row = 0; row < 3; ++row) {
            vertices.push_back(x[row]);
            if (squeezed) {
              basis.push_back(row == 2 ? -std::max(0.0, x.z() - 0.5) : 0.0);
              continue;
            }
            for (int mode = 0; mode < 9; ++mode)
              basis.push_back(mode / 3 == row ? x[mode % 3] : 0.0);
          }
        }
      }
    }
    std::vector<std::uint32_t> elements;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          const std::uint32_t c[8] = {number(i, j, k),
                                      number(i + 1, j, k),
                                      number(i + 1, j + 1, k),
                                      number(i, j + 1, k),
                                      number(i, j, k + 1),
                                      number(i + 1, j, k + 1),
                                      number(i + 1, j + 1, k + 1),
                                      number(i, j + 1, k + 1)};
          if (!tetrahedra) {
            elements.insert(elements.end(), c, c + 8);
            continue;
          }
          constexpr int kTetrahedra[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                             {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
          for (const auto& t : kTetrahedra) {
            for (const int corner : t) elements.push_back(c[corner]);
          }
        }
      }
    }
    const std::filesystem::path path = folder_ / "body.h5";
    const std::uint64_t points = vertices.size() / 3, corners = tetrahedra ? 4 : 8;
    ModelWriter writer(path);
    writer.add("/mesh/vertices", vertices, {points, 3});
    writer.add(tetrahedra ? "/mesh/tetrahedra" : "/mesh/elements", elements,
               {elements.size() / corners, corners});
    writer.add("/reduced/basis", basis, {3 * points, r});
    const std::uint64_t pairs = r * (r + 1) / 2, triples = pairs * (r + 2) / 3,
                        fourths = triples * (r + 3) / 4;
    writer.add("/reduced/quadratic", std::vector<double>(pairs, 1.0), {pairs});
    writer.add("/reduced/cubic", std::vector<double>(triples, 0.0), {triples});
    writer.add("/reduced/quartic", std::vector<double>(fourths, 0.0), {fourths});
    writer.commit();
    return path;
  }

  std::filesystem::path folder_;
};

void advance_all(DeformationSamples& samples, const std::vector<double>& q) {
  for (std::size_t i = 0; i < samples.size(); i += DeformationSamples::kSamplesPerCycle) {
    samples.advance(q);
  }
}

TEST_F(DeformationSamplesTest, have_the_smallest_singular_value_of_F) {
  for (const bool tetrahedra : {false, true}) {
    for (const int n : {1, 3}) {
      const ModelFile model(write(n, tetrahedra));
      DeformationSamples samples(model, 9);
      EXPECT_EQ(samples.compression(), 0.0);
      std::mt19937 random(7);
      std::uniform_real_distribution<double> uniform(-0.7, 0.7);
      int inverted = 0;
      for (int trial = 0; trial < 50; ++trial) {
        Matrix3 F = Matrix3::Identity();
        std::vector<double> q;
        for (int k = 0; k < 9; ++k) {
          q.push_back(uniform(random));
          F(k / 3, k % 3) += q.back();
        }
        advance_all(samples, q);
        const double least = Eigen::JacobiSVD<Matrix3>(F).singularValues()[2];
        inverted += F.determinant() < 0.0;
        const double expected = F.determinant() < 0.0 ? 1.0 + least : 1.0 - least;
        // The gradients are kept in single precision; sqrt of an eigenvalue near 0 adds 1e-8.
        EXPECT_NEAR(samples.compression(), std::max(0.0, expected), 2e-6);
      }
      EXPECT_GT(inverted, 0);  // the loop has met both kinds
      EXPECT_LT(inverted, 50);
    }
  }
}

TEST_F(DeformationSamplesTest, a_rotation_is_no_compression) {
  const ModelFile model(write(2, false));
  DeformationSamples samples(model, 9);
  for (const double angle : {0.1, 1.0, 3.0}) {
    const Matrix3 R = Eigen::AngleAxisd(angle, Vector3(3, -1, 2).normalized()).toRotationMatrix();
    std::vector<double> q;
    for (int k = 0; k < 9; ++k) q.push_back(R(k / 3, k % 3) - (k % 4 == 0 ? 1.0 : 0.0));
    advance_all(samples, q);
    EXPECT_NEAR(samples.compression(), 0.0, 2e-6) << angle;
  }
}

// A bar of St. Venant-Kirchhoff material without lateral strain, length s = 1 - q: with V E = 1,
// W = ((s² - 1) / 2)² / 2 = q²/2 - q³/2 + q⁴/8.
TEST_F(DeformationSamplesTest, the_limit_of_the_warning_is_where_a_bar_resists_most) {
  const std::array<double, 1> quadratic = {1.0}, cubic = {-1.5}, quartic = {0.5};
  const ReducedEnergy energy(1, quadratic, cubic, quartic);
  ReducedEnergy::Workspace workspace(1);
  double strongest = 0.0, at = 0.0;
  for (int i = 0; i <= 10000; ++i) {
    const std::array<double, 1> q = {1e-4 * i};
    std::array<double, 1> force{};
    energy.evaluate(q, force, workspace);
    const double s = 1.0 - q[0];
    EXPECT_NEAR(force[0], 0.5 * s * (1.0 - s * s), 1e-14);
    if (force[0] > strongest) {
      strongest = force[0];
      at = q[0];
    }
  }
  EXPECT_NEAR(at, 1.0 - 1.0 / std::sqrt(3.0), 1e-4);  // the step of q
  const auto warning =
      std::ranges::find(kPhysicalWarnings, "beyond_material_range", &PhysicalWarning::name);
  ASSERT_NE(warning, kPhysicalWarnings.end());
  EXPECT_NEAR(warning->limit, at, 1e-3);
}

TEST_F(DeformationSamplesTest, meet_a_place_in_a_large_mesh_within_one_round) {
  for (const int n : {4, 10, 14}) {  // 64 to 2744 elements
    const ModelFile model(write(n, false, true));
    DeformationSamples samples(model, 1);
    EXPECT_EQ(samples.size(), std::min<std::size_t>(DeformationSamples::kMaxSamples,
                                                    static_cast<std::size_t>(n * n * n)));
    advance_all(samples, {0.3});  // the upper half is 0.7 as high as at rest
    EXPECT_NEAR(samples.compression(), 0.3, 2e-6) << n;
    samples.reset();
    EXPECT_EQ(samples.compression(), 0.0);
  }
}

TEST_F(DeformationSamplesTest, use_the_leading_basis_vectors_and_do_not_allocate) {
  const ModelFile model(write(3, false));
  DeformationSamples samples(model, 1);  // F_xx alone
  const std::vector<double> q = {-0.25};
  {
    const NoAllocation guard;
    for (int i = 0; i < 10; ++i) samples.advance(q);
  }
  EXPECT_NEAR(samples.compression(), 0.25, 2e-6);
}

}  // namespace
}  // namespace haptic
