// Energies of a fabric against those of a sheet with its constants, on grids of many sizes.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "rt/bodies/fabric_springs.h"
#include "rt/worlds/cloth/spring_forces.h"
#include "shared/error.h"

namespace haptic::cloth {
namespace {

constexpr double kWidth = 0.3, kHeight = 0.2;
constexpr FabricMaterial kFabric{
    .membrane = 1500.0, .shear = 120.0, .bending = 2e-5, .damping = 3.0};

/// Square cells, and cells that are up to twice as long as wide, in both directions.
constexpr GridSize kGrids[] = {{10, 7}, {20, 14}, {40, 27}, {31, 11}, {16, 21}, {2, 2}};

ParticleVectors moved(const ClothMesh& mesh, const std::function<Vector3(double, double)>& to) {
  ParticleVectors x;
  for (const auto& p : mesh.vertices) {
    const Vector3 q = to(p[0], p[1]);
    x.insert(x.end(), q.data(), q.data() + 3);
  }
  return x;
}

/// Energy by area of a deformation [N/m].
double density(GridSize grid, const FabricMaterial& material,
               const std::function<Vector3(double, double)>& to) {
  const ClothMesh mesh = make_grid(grid, kWidth, kHeight);
  const SpringForces forces(make_fabric_springs(mesh, material));
  return forces.energy(moved(mesh, to)) / (kWidth * kHeight);
}

TEST(Fabric, uniform_strains_cost_the_same_on_every_grid) {
  const double Y = kFabric.membrane, G = kFabric.shear;
  const double C = 0.5 * (Y + std::hypot(Y, 2.0 * G));
  const double e = 1e-5;  // lengths are exact to the first order of it
  for (const GridSize grid : kGrids) {
    if (grid.nx == 2) continue;  // one cell, twice as far from a square as the others
    const auto of = [&](double x, double y, double shear) {
      return density(grid, kFabric, [=](double X, double Y_) {
        return Vector3((1.0 + x) * X + 0.5 * shear * Y_, (1.0 + y) * Y_ + 0.5 * shear * X, 0.0);
      });
    };
    const auto message = testing::Message() << grid.nx << " x " << grid.ny;
    EXPECT_NEAR(of(e, 0.0, 0.0) / (0.5 * C * e * e), 1.0, 1e-4) << message;
    EXPECT_NEAR(of(0.0, e, 0.0) / (0.5 * C * e * e), 1.0, 1e-4) << message;
    EXPECT_NEAR(of(0.0, 0.0, e) / (0.5 * G * e * e), 1.0, 1e-4) << message;
    // A pull along the threads, where the width gives way.
    EXPECT_NEAR(of(e, -G / C * e, 0.0) / (0.5 * Y * e * e), 1.0, 1e-4) << message;
    EXPECT_NEAR(of(-G / C * e, e, 0.0) / (0.5 * Y * e * e), 1.0, 1e-4) << message;
  }
}

TEST(Fabric, a_twist_costs_the_same_on_every_grid) {
  const double twist = 1e-2;  // 1/m: a weak membrane, since the threads get longer by its square
  for (const GridSize grid : kGrids) {
    const double energy = density(grid, {.membrane = 1e-6, .shear = 0.0, .bending = 2e-5},
                                  [=](double x, double y) { return Vector3(x, y, twist * x * y); });
    EXPECT_NEAR(energy / (2e-5 * twist * twist), 1.0, 1e-3) << grid.nx << " x " << grid.ny;
  }
}

/// Rolled about any axis, threads of their length: 1/2 D / R^2, but for the half cell at each
/// border that has no curvature.
TEST(Fabric, a_roll_costs_its_curvature_squared_about_any_axis) {
  const double radius = 5.0;
  for (const GridSize grid : kGrids) {
    if (grid.nx == 2) continue;
    for (const double angle : {0.0, 0.4, 0.785398, 1.2, 1.570796}) {
      const double c = std::cos(angle), s = std::sin(angle);
      const auto roll = [=](double x, double y) {
        const double along = c * x + s * y, across = c * y - s * x;
        const double u = radius * std::sin(along / radius);
        return Vector3(c * u - s * across, s * u + c * across,
                       radius * (1.0 - std::cos(along / radius)));
      };
      const double all = density(grid, kFabric, roll);
      const double membrane = density(
          grid, {.membrane = kFabric.membrane, .shear = kFabric.shear, .bending = 0.0}, roll);
      const double nx = grid.nx, ny = grid.ny;
      const double present = c * c * c * c * (nx - 2) / (nx - 1) +
                             s * s * s * s * (ny - 2) / (ny - 1) + 2.0 * c * c * s * s;
      const double expected = 0.5 * kFabric.bending / (radius * radius) * present;
      EXPECT_NEAR((all - membrane) / expected, 1.0, 2e-3)
          << grid.nx << " x " << grid.ny << " about " << angle;
    }
  }
}

/// The matrix of the parts without length at rest: no energy of plane motions, and none negative.
TEST(Fabric, bending_is_a_positive_semidefinite_energy_that_leaves_planes_alone) {
  for (const GridSize grid : {GridSize{6, 5}, GridSize{2, 7}, GridSize{3, 3}}) {
    const ClothMesh mesh = make_grid(grid, kWidth, kHeight);
    const Springs springs = make_fabric_springs(mesh, {.shear = 0.0, .bending = 1.0});
    const auto n = static_cast<Eigen::Index>(mesh.vertices.size());
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t s = 0; s < springs.size(); ++s) {
      const Eigen::Index i = springs.first[s], j = springs.second[s];
      B(i, i) += springs.plate[s], B(j, j) += springs.plate[s];
      B(i, j) -= springs.plate[s], B(j, i) -= springs.plate[s];
    }
    const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(B).eigenvalues();
    EXPECT_GT(values[0], -1e-12 * values[n - 1]);
    EXPECT_LT(values[2], 1e-12 * values[n - 1]);  // 1, x and y
    EXPECT_GT(values[3], 1e-6 * values[n - 1]);   // and nothing else
    Eigen::VectorXd plane(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& p = mesh.vertices[static_cast<std::size_t>(i)];
      plane[i] = 0.7 + 3.0 * p[0] - 2.0 * p[1];
    }
    EXPECT_LT((B * plane).cwiseAbs().maxCoeff(), 1e-12 * values[n - 1]);
  }
}

/// Forces against differences of the energy, and the gradient's block against those of the forces,
/// four at a time and one by one.
TEST(Fabric, forces_and_gradients_are_those_of_the_energy) {
  const ClothMesh mesh = make_grid({9, 6}, 0.08, 0.05);
  const SpringForces forces(
      make_fabric_springs(mesh, {.membrane = 50.0, .shear = 5.0, .bending = 1e-3}));
  ParticleVectors x = state_at_rest(mesh).x, v(x.size()), f(x.size());
  disturb(x, 1e-3, 5);
  forces.add_to(x, v, f);
  for (std::size_t k = 0; k < x.size(); ++k) {
    ParticleVectors more = x, less = x;
    const double step = 1e-7;
    more[k] += step, less[k] -= step;
    EXPECT_NEAR(f[k], -(forces.energy(more) - forces.energy(less)) / (2.0 * step), 1e-5);
  }
  const std::size_t slots = forces.bands().slots();
  std::vector<AlignedVector<double>> of(6, AlignedVector<double>(slots));
  forces.gradients(x, {of[0], of[1], of[2], of[3], of[4], of[5]});
  for (std::size_t k = 0; k < slots; ++k) {
    const std::uint32_t s = forces.bands().spring(k);
    if (s == SpringBands::kGap) continue;
    const SpringForces::Gradient one = forces.gradient(x, s);
    EXPECT_NEAR(of[3][k], one.along, 1e-9 * (50.0 + std::abs(one.along)));
    EXPECT_NEAR(of[4][k], one.across, 1e-9 * (50.0 + std::abs(one.across)));
  }
}

TEST(Fabric, what_no_grid_can_be_is_refused) {
  const ClothMesh longish = make_grid({4, 7}, 0.3, 0.2);  // cells of 0.1 m x 0.0333 m: 3 to 1
  EXPECT_NEAR(largest_shear(0.1, 0.1 / 3.0, 1000.0), 1000.0 * 9.0 / 80.0, 1e-9);
  EXPECT_NO_THROW((void)make_fabric_springs(longish, {.membrane = 1000.0, .shear = 112.0}));
  EXPECT_THROW((void)make_fabric_springs(longish, {.membrane = 1000.0, .shear = 113.0}),
               InputError);
  EXPECT_THROW((void)make_fabric_springs(longish, {.membrane = 0.0}), InputError);
  EXPECT_THROW((void)make_fabric_springs(longish, {.bending = -1e-9}), InputError);
  ClothMesh mesh = longish;
  mesh.grid.reset();
  EXPECT_THROW((void)make_fabric_springs(mesh, {}), InputError);
  ClothMesh bent = longish;
  bent.vertices[9][2] = 1e-3;
  EXPECT_THROW((void)make_fabric_springs(bent, {}), InputError);
}

/// As models that name a rigidity of every spring had it.
TEST(Fabric, rigidities_of_other_springs_than_a_fabrics_are_of_no_force) {
  const ClothMesh mesh = make_grid({4, 4}, 0.3, 0.3);
  Springs springs = make_fabric_springs(mesh, {});
  EXPECT_EQ(springs.plate.size(), springs.size());
  springs.bending[0] = 1e-6;  // of a thread
  add_plate_stiffness(mesh, springs);
  EXPECT_TRUE(springs.plate.empty());
  EXPECT_TRUE(make_fabric_springs(mesh, {.bending = 0.0}).plate.empty());
}

TEST(Fabric, masses_are_those_of_the_cells) {
  const std::vector<double> masses = cell_masses({4, 3}, 6.0);
  EXPECT_EQ(masses,
            (std::vector<double>{0.25, 0.5, 0.5, 0.25, 0.5, 1.0, 1.0, 0.5, 0.25, 0.5, 0.5, 0.25}));
}

}  // namespace
}  // namespace haptic::cloth
