// Bars against beam theory: on the elements of a bake's defaults, over resolutions, orientations,
// shifts of the grid and Poisson's ratios.
#include "lab/samples/solid_bar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/fem/tetrahedron_locking.h"
#include "host/mesh/catalogue.h"
#include "host/reduction/rest_stiffness.h"
#include "lab/samples/beam_theory.h"

namespace haptic {
namespace {

const Vector3 kSize(0.2, 0.02, 0.03);  // m
constexpr double kModulus = 1e6, kDensity = 1000.0;

/// Bending along y.
TheoreticalBeam theory(const Vector3& size, double nu) {
  const double thickness = size.y(), width = size.z();
  return {size.x(),
          thickness * width,
          width * std::pow(thickness, 3) / 12.0,
          rectangle_shear_factor(nu),
          kModulus,
          kModulus / (2.0 * (1.0 + nu)),
          kDensity};
}

CutBody::Settings settings(double edge, double nu, double held = -1.0) {
  return {.edge = edge, .held_below = held, .material = {kModulus, nu, kDensity}};
}

// The theory against known numbers: Euler and Bernoulli's slender beam.
TEST(BeamTheoryTest, slender_beams_have_the_frequencies_of_euler_and_bernoulli) {
  const TheoreticalBeam beam{1.0, 1e-6, 1e-12 / 12.0, 5.0 / 6.0, 1e9, 5e8, 1000.0};
  const double unit = std::sqrt(1e9 * (1e-12 / 12.0) / (1000.0 * 1e-6)) / (2.0 * std::numbers::pi);
  EXPECT_NEAR(first_frequency(beam, true) / (3.5160153 * unit), 1.0, 1e-4);
  EXPECT_NEAR(first_frequency(beam, false) / (22.3732855 * unit), 1.0, 1e-4);
  EXPECT_NEAR(tip_stiffness(beam) / (3.0 * 1e9 * 1e-12 / 12.0), 1.0, 1e-4);
}

TEST(SolidBarTest, a_cantilever_is_as_stiff_and_heavy_as_it_is_drawn_at_any_resolution) {
  for (const double nu : {0.0, 0.3, 0.45, 0.49, 0.499}) {
    const TheoreticalBeam beam = theory(kSize, nu);
    for (const int resolution : {12, 14, 16, 20, 24}) {
      const CutBody body(bar_surface(kSize), settings(kSize.x() / resolution, nu, 0.0));
      const double k = body.end_stiffness(Vector3::UnitY()) / tip_stiffness(beam);
      const double f = body.first_held_frequency() / first_frequency(beam, true);
      EXPECT_NEAR(body.mass() / 0.12, 1.0, 1e-10);
      EXPECT_GT(k, 0.92) << "nu " << nu << ", resolution " << resolution;
      EXPECT_LT(k, 1.08) << "nu " << nu << ", resolution " << resolution;
      EXPECT_NEAR(f, 1.0, 0.05) << "nu " << nu << ", resolution " << resolution;
    }
  }
}

// The grid lies anywhere.
TEST(SolidBarTest, a_cantilever_has_the_same_stiffness_wherever_the_grid_lies) {
  for (const double held : {0.0001, 0.003, 0.01}) {
    Vector3 size = kSize;
    size.x() += held;
    const TheoreticalBeam beam = theory(kSize, 0.3);
    for (const int resolution : {12, 16, 24}) {
      const CutBody body(bar_surface(size), settings(kSize.x() / resolution, 0.3, held));
      const double k = body.end_stiffness(Vector3::UnitY()) / tip_stiffness(beam);
      EXPECT_GT(k, 0.92);
      EXPECT_LT(k, 1.08);
    }
  }
}

TEST(SolidBarTest, a_free_bar_vibrates_alike_in_every_direction) {
  const TheoreticalBeam beam = theory(kSize, 0.3);
  const double exact = first_frequency(beam, false);
  for (const double cells : {1.2, 1.6, 2.0, 2.4}) {
    for (const double degrees : {0.0, 20.0, 45.0}) {
      for (int axis = 0; axis < 3; ++axis) {
        if (degrees == 0.0 && axis > 0) continue;
        const TriangleMesh bar = turned(bar_surface(kSize), Vector3::Unit(axis), degrees);
        const CutBody body(bar, settings(kSize.y() / cells, 0.3));
        const double ratio = body.first_free_frequency() / exact, k = ratio * ratio;
        EXPECT_NEAR(body.mass() / 0.12, 1.0, 2e-4);
        if (degrees == 0.0) {
          EXPECT_NEAR(ratio, 1.0, 0.05);
        } else {
          EXPECT_GT(k, cells < 2.0 ? 0.85 : 0.90);
          EXPECT_LT(k, cells < 2.0 ? 1.30 : 1.12);
        }
      }
    }
  }
}

TEST(SolidBarTest, a_thin_cantilever_has_its_frequency) {
  const Vector3 size(0.1, 0.004, 0.01);
  const TheoreticalBeam beam = theory(size, 0.3);
  for (const int resolution : {30, 40, 60}) {
    const CutBody body(bar_surface(size), settings(size.x() / resolution, 0.3, 0.0));
    const double f = body.first_held_frequency() / first_frequency(beam, true);
    EXPECT_NEAR(f, 1.0, 0.05);
  }
}

TEST(SolidBarTest, a_round_bar_converges) {
  const double radius = 0.01, length = 0.2, nu = 0.3, pi = std::numbers::pi;
  const TheoreticalBeam beam{length,
                             pi * radius * radius,
                             pi * std::pow(radius, 4) / 4.0,
                             circle_shear_factor(nu),
                             kModulus,
                             kModulus / (2.0 * (1.0 + nu)),
                             kDensity};
  const TriangleMesh bar = round_bar_surface(radius, length);
  for (const auto& [resolution, bound] : {std::pair{12, 0.10}, {20, 0.06}, {40, 0.03}}) {
    const CutBody body(bar, settings(length / resolution, nu, 0.0));
    const double f = body.first_held_frequency() / first_frequency(beam, true);
    EXPECT_NEAR(f * f, 1.0, bound);
  }
}

// The first mode of a free ball twists its halves: omega R / c = 2.5011 (Lamb 1882), c the speed of
// shear waves, for every nu.
TEST(SolidBarTest, a_free_ball_twists_at_the_frequency_of_lamb) {
  const TriangleMesh ball = make_shape("sphere", {{"radius", 0.1}, {"subdivisions", 5}});
  for (const double nu : {0.3, 0.45, 0.49}) {
    const double speed = std::sqrt(kModulus / (2.0 * (1.0 + nu)) / kDensity);
    const double exact = 2.5011 * speed / (2.0 * std::numbers::pi * 0.1);
    for (const int resolution : {8, 12, 16}) {
      const CutBody body(ball, settings(0.2 / resolution, nu));
      // The polyhedron lies inside the sphere by 5e-4 of its radius.
      EXPECT_NEAR(body.first_free_frequency() / exact, 1.0, 0.01)
          << "nu " << nu << ", resolution " << resolution;
    }
  }
}

// The published construction beside it: what the table of docs/physics.md says of it.
// The figure of the bake's warning.
TEST(LinearTetrahedra, are_too_stiff_in_bending_by_the_fraction_that_is_said) {
  constexpr double kThickness = 0.02;
  for (const double nu : {0.0, 0.3, 0.45, 0.49}) {
    const Vector3 size(10.0 * kThickness, kThickness, kThickness);
    const TheoreticalBeam beam = theory(size, nu);
    for (const int layers : {2, 3, 4, 6}) {
      const Material material{kModulus, nu, kDensity};
      SolidMesh mesh =
          make_tetrahedral_box_mesh(10 * layers, layers, layers, kThickness / layers, material);
      std::vector<std::uint32_t> held;
      Eigen::VectorXd force = Eigen::VectorXd::Zero(3 * mesh.vertex_count());
      for (int v = 0; v < mesh.vertex_count(); ++v) {
        const double x = mesh.vertex(v).x();
        if (x < 1e-9) held.push_back(static_cast<std::uint32_t>(v));
        if (x > size.x() - 1e-9) force[3 * v + 1] = 1.0 / ((layers + 1) * (layers + 1));
      }
      const StvkModel model(std::move(mesh), held);
      const Eigen::VectorXd load = model.restrict_to_free(force);
      const double stiffness =
          1.0 / load.dot(Eigen::VectorXd(factor_rest_stiffness(model).solve(load)));
      const double excess = stiffness / tip_stiffness(beam) - 1.0;
      const double said = tetrahedron_bending_excess(layers, isotropic_elasticity(material.lame()));
      EXPECT_GT(said, 0.75 * excess) << "nu " << nu << ", layers " << layers;
      EXPECT_LT(said, 1.33 * excess) << "nu " << nu << ", layers " << layers;
    }
  }
}

TEST(SolidBarTest, whole_voxels_are_too_stiff_and_heavy) {
  CutBody::Settings published = settings(kSize.x() / 12, 0.0);
  published.published = true;
  published.held_below = -1.0;
  const CutBody body(bar_surface(kSize), published);
  EXPECT_GT(body.mass() / 0.12, 1.8);
  EXPECT_GT(body.first_free_frequency() / first_frequency(theory(kSize, 0.0), false), 1.5);
}

}  // namespace
}  // namespace haptic
