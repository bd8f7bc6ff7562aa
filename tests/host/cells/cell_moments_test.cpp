#include "host/cells/cell_moments.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "host/mesh/catalogue.h"
#include "host/mesh/rigid_body.h"

namespace haptic {
namespace {

/// A grid of `dims` cells of edge `edge`, all of them elements.
VoxelMesh full_grid(const std::array<std::uint32_t, 3>& dims, double edge, const Vector3& origin) {
  VoxelMesh grid;
  grid.edge = edge;
  grid.origin = origin;
  grid.dims = dims;
  const std::uint32_t cells = dims[0] * dims[1] * dims[2];
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    grid.element_of_cell.push_back(cell);
    grid.cell_of_element.push_back(cell);
  }
  grid.elements.resize(cells);  // their corners do not matter here
  return grid;
}

TriangleMesh box_surface(const Vector3& low, const Vector3& high) {
  TriangleMesh mesh;
  for (int v = 0; v < 8; ++v) {
    mesh.vertices.emplace_back((v & 1 ? high : low).x(), (v & 2 ? high : low).y(),
                               (v & 4 ? high : low).z());
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// Int t^a over the part of [low, high] in the unit cell about `centre`, about that centre.
double interval_moment(double low, double high, double centre, int a) {
  const double from = std::max(low - centre, -0.5), to = std::min(high - centre, 0.5);
  return from < to ? (std::pow(to, a + 1) - std::pow(from, a + 1)) / (a + 1) : 0.0;
}

constexpr int kPowers[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};

// Every cell against the product of the integrals along the axes.
TEST(CellMomentsTest, boxes_have_the_moments_of_their_intervals) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.05, 3.95);
  const VoxelMesh grid = full_grid({4, 4, 4}, 1.0, Vector3::Zero());
  for (int trial = 0; trial < 50; ++trial) {
    Vector3 a, b;
    for (int d = 0; d < 3; ++d) {
      const double x = uniform(random), y = uniform(random);
      a[d] = std::min(x, y);
      b[d] = std::max(x, y);
    }
    const auto parts = cell_moments(box_surface(a, b), grid);
    for (std::uint32_t cell = 0; cell < parts.size(); ++cell) {
      const auto at = grid.cell_coordinates(cell);
      for (std::size_t m = 0; m < 10; ++m) {
        double expected = 1.0;
        for (int d = 0; d < 3; ++d) {
          expected *=
              interval_moment(a[d], b[d], at[static_cast<std::size_t>(d)] + 0.5, kPowers[m][d]);
        }
        // Some thirty sums of numbers below 4.
        ASSERT_NEAR(parts[cell][m], expected, 2e-14) << "cell " << cell << ", moment " << m;
      }
    }
  }
}

// Where the faces of a box lie in planes of the grid, each cell is either whole or empty.
TEST(CellMomentsTest, a_box_of_whole_cells_has_whole_cells) {
  const VoxelMesh grid = full_grid({4, 4, 4}, 0.5, Vector3(-1.0, -1.0, -1.0));
  const auto parts =
      cell_moments(box_surface(Vector3(-0.5, -1.0, 0.0), Vector3(0.5, 0.5, 1.0)), grid);
  for (std::uint32_t cell = 0; cell < parts.size(); ++cell) {
    const auto at = grid.cell_coordinates(cell);
    const bool inside = at[0] >= 1 && at[0] < 3 && at[1] < 3 && at[2] >= 2;
    for (std::size_t m = 0; m < 10; ++m) {
      EXPECT_NEAR(parts[cell][m], inside ? kWholeCell[m] : 0.0, 1e-14);
    }
  }
}

// The corner x + y + z < a of a cell: volume a^3 / 6, centre a / 4, moments a^5 / 60 and a^5 / 120.
TEST(CellMomentsTest, a_corner_has_the_moments_of_a_tetrahedron) {
  const double a = 0.7;
  TriangleMesh mesh;
  mesh.vertices = {{1, 1, 1}, {1 + a, 1, 1}, {1, 1 + a, 1}, {1, 1, 1 + a}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const VoxelMesh grid = full_grid({3, 3, 3}, 1.0, Vector3::Zero());
  const CellPart part = cell_moments(mesh, grid)[grid.cell_index(1, 1, 1)];
  const double volume = a * a * a / 6.0, c = -0.5;
  EXPECT_NEAR(part[0], volume, 1e-15);
  for (std::size_t d = 1; d <= 3; ++d) EXPECT_NEAR(part[d], volume * (a / 4.0 + c), 1e-15);
  const double square = std::pow(a, 5) / 60.0 + 2.0 * c * volume * a / 4.0 + c * c * volume;
  const double mixed = std::pow(a, 5) / 120.0 + 2.0 * c * volume * a / 4.0 + c * c * volume;
  for (std::size_t m = 4; m < 7; ++m) EXPECT_NEAR(part[m], square, 1e-15);
  for (std::size_t m = 7; m < 10; ++m) EXPECT_NEAR(part[m], mixed, 1e-15);
}

/// Mass properties of the parts of all cells at density 1.
RigidProperties sum_of(const std::vector<CellPart>& parts, const VoxelMesh& grid) {
  RigidProperties sum;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  const double h = grid.edge;
  for (std::uint32_t e = 0; e < parts.size(); ++e) {
    const CellPart& p = parts[e];
    const auto at = grid.cell_coordinates(grid.cell_of_element[e]);
    const Vector3 centre = grid.origin + h * Vector3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5);
    const Vector3 own(p[1], p[2], p[3]);
    Matrix3 moments;
    moments << p[4], p[7], p[8], p[7], p[5], p[9], p[8], p[9], p[6];
    const double volume = h * h * h;
    sum.mass += volume * p[0];
    first += volume * (p[0] * centre + h * own);
    second +=
        volume * (h * h * moments + h * (own * centre.transpose() + centre * own.transpose()) +
                  p[0] * centre * centre.transpose());
  }
  sum.centre = first / sum.mass;
  second -= sum.mass * sum.centre * sum.centre.transpose();
  sum.inertia = second.trace() * Matrix3::Identity() - second;
  return sum;
}

class CellMomentsOf : public testing::TestWithParam<const char*> {};

// Whatever the grid, the parts make up the body that the surface encloses.
TEST_P(CellMomentsOf, parts_sum_to_the_body) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  TriangleMesh mesh = make_shape(GetParam(), {});
  mesh = scaled(mesh, 0.1 / bounding_box(mesh).longest_side());
  for (const std::uint32_t resolution : {3u, 8u, 21u}) {
    const Vector3 axis = Vector3(uniform(random), uniform(random), uniform(random)).normalized();
    Placement turn;
    turn.rotation = Eigen::AngleAxisd(uniform(random), axis).toRotationMatrix();
    const TriangleMesh turned = placed(mesh, turn);
    const RigidProperties body = rigid_properties(turned, 1.0);
    const VoxelMesh grid = voxelize(turned, {.resolution = resolution});
    const auto parts = cell_moments(turned, grid);
    const RigidProperties sum = sum_of(parts, grid);
    EXPECT_NEAR(sum.mass / body.mass, 1.0, 1e-12);
    EXPECT_NEAR((sum.centre - body.centre).norm(), 0.0, 1e-14);
    EXPECT_NEAR((sum.inertia - body.inertia).norm() / body.inertia.norm(), 0.0, 1e-12);
    for (const CellPart& part : parts) {
      EXPECT_GT(part[0], -1e-12);
      EXPECT_LT(part[0], 1.0 + 1e-12);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, CellMomentsOf,
                         testing::Values("sphere", "torus", "spoon", "heart", "box"));

// A cavity, as a component turned inwards bounds it, holds nothing.
TEST(CellMomentsTest, a_cavity_is_empty) {
  TriangleMesh cavity = box_surface(Vector3::Constant(1.25), Vector3::Constant(2.75));
  for (auto& triangle : cavity.triangles) std::swap(triangle[0], triangle[1]);
  const TriangleMesh mesh =
      merged(box_surface(Vector3::Constant(0.5), Vector3::Constant(3.5)), cavity);
  const VoxelMesh grid = full_grid({4, 4, 4}, 1.0, Vector3::Zero());
  const auto parts = cell_moments(mesh, grid);
  EXPECT_NEAR(parts[grid.cell_index(1, 1, 1)][0], 1.0 - std::pow(0.75, 3), 1e-14);
  double volume = 0.0;
  for (const CellPart& part : parts) volume += part[0];
  EXPECT_NEAR(volume, 27.0 - std::pow(1.5, 3), 1e-13);
}

}  // namespace
}  // namespace haptic
