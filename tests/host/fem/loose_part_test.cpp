#include "host/fem/loose_part.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <random>

#include "host/fem/stvk_model.h"
#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

using Why = LoosePart::Why;

/// Unit cubes with their lower corners at integer places; equal corners are one vertex.
class Cubes {
 public:
  void add(int x, int y, int z) {
    for (const auto& o : kOffsets) elements_.push_back(vertex(x + o[0], y + o[1], z + o[2]));
  }
  std::uint32_t vertex(int x, int y, int z) {
    const std::array<int, 3> at = {x, y, z};
    for (std::uint32_t v = 0; v < places_.size(); ++v) {
      if (places_[v] == at) return v;
    }
    places_.push_back(at);
    vertices_.insert(vertices_.end(), {0.1 * x, 0.1 * y, 0.1 * z});
    return static_cast<std::uint32_t>(places_.size() - 1);
  }
  SolidMesh mesh() const { return {vertices_, elements_, kRubber}; }

 private:
  static constexpr int kOffsets[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  std::vector<std::array<int, 3>> places_;
  std::vector<double> vertices_;
  std::vector<std::uint32_t> elements_;
};

/// Number of motions without strain from the null space of the stiffness: the oracle.
int free_motions(const SolidMesh& mesh, const std::vector<std::uint32_t>& held) {
  const StvkModel model(mesh, held);
  const Eigen::MatrixXd K = model.stiffness_at_rest();
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K, Eigen::EigenvaluesOnly).eigenvalues();
  return static_cast<int>((values.array() < 1e-9 * values.maxCoeff()).count());
}

std::vector<std::uint32_t> left_face(Cubes& cubes) {
  return {cubes.vertex(0, 0, 0), cubes.vertex(0, 1, 0), cubes.vertex(0, 0, 1),
          cubes.vertex(0, 1, 1)};
}

TEST(LoosePart, meshes_joined_by_faces_have_no_loose_part) {
  for (const Body& body : bodies()) {
    EXPECT_FALSE(find_loose_part(body.mesh, {})) << body.name;
    EXPECT_FALSE(find_loose_part(body.mesh, std::vector<std::uint32_t>{0, 1, 8})) << body.name;
  }
}

TEST(LoosePart, a_piece_needs_three_fixed_vertices_off_a_line) {
  Cubes cubes;
  cubes.add(0, 0, 0);
  cubes.add(1, 0, 0);
  cubes.add(5, 0, 0);
  std::vector<std::uint32_t> held = left_face(cubes);
  const auto loose = find_loose_part(cubes.mesh(), held);
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->why, Why::kNotHeld);
  EXPECT_EQ(loose->element, 2u);
  EXPECT_EQ(loose->element_count, 1u);
  EXPECT_EQ(loose->pieces, 2u);
  EXPECT_EQ(free_motions(cubes.mesh(), held), 6);

  held.push_back(cubes.vertex(5, 0, 0));
  held.push_back(cubes.vertex(5, 0, 1));
  const auto turning = find_loose_part(cubes.mesh(), held);
  ASSERT_TRUE(turning);
  EXPECT_EQ(turning->why, Why::kTurns);
  EXPECT_EQ(turning->element, 2u);
  EXPECT_EQ(free_motions(cubes.mesh(), held), 1);

  held.push_back(cubes.vertex(6, 0, 0));
  EXPECT_FALSE(find_loose_part(cubes.mesh(), held));
  EXPECT_EQ(free_motions(cubes.mesh(), held), 0);
}

TEST(LoosePart, a_free_mesh_is_one_piece) {
  Cubes cubes;
  cubes.add(0, 0, 0);
  cubes.add(5, 0, 0);
  cubes.add(6, 0, 0);
  const auto loose = find_loose_part(cubes.mesh(), {});
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->why, Why::kNotHeld);
  EXPECT_EQ(loose->element, 0u);
}

TEST(LoosePart, an_edge_or_a_vertex_is_a_hinge) {
  for (const int z : {0, 1}) {  // the second cube shares an edge, or a vertex
    Cubes cubes;
    cubes.add(0, 0, 0);
    cubes.add(1, 1, z);
    const std::vector<std::uint32_t> held = left_face(cubes);
    const auto loose = find_loose_part(cubes.mesh(), held);
    ASSERT_TRUE(loose) << z;
    EXPECT_EQ(loose->why, Why::kHinged);
    EXPECT_EQ(loose->element, 1u);
    EXPECT_EQ(loose->pieces, 1u);
    EXPECT_EQ(free_motions(cubes.mesh(), held), z == 0 ? 1 : 3);
    EXPECT_EQ(find_loose_part(cubes.mesh(), {})->why, Why::kHinged);
    EXPECT_EQ(free_motions(cubes.mesh(), {}), z == 0 ? 7 : 9);
  }
}

TEST(LoosePart, hinges_that_block_each_other_are_not_reported) {
  // The edge along z at (1, 1) and the fixed vertex off it together fix the second cube.
  Cubes cubes;
  cubes.add(0, 0, 0);
  cubes.add(1, 1, 0);
  std::vector<std::uint32_t> held = left_face(cubes);
  held.push_back(cubes.vertex(2, 2, 1));
  EXPECT_FALSE(find_loose_part(cubes.mesh(), held));
  EXPECT_EQ(free_motions(cubes.mesh(), held), 0);

  // A ring of four cubes over four parallel edges.
  Cubes ring;
  ring.add(0, 0, 0);
  ring.add(1, 1, 0);
  ring.add(2, 0, 0);
  ring.add(1, -1, 0);
  const std::vector<std::uint32_t> foot = left_face(ring);
  EXPECT_EQ(find_loose_part(ring.mesh(), foot).has_value(), free_motions(ring.mesh(), foot) > 0);
}

TEST(LoosePart, agrees_with_the_stiffness_on_random_cubes) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> place(0, 2);
  int singular = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Cubes cubes;
    std::vector<std::array<int, 3>> taken;
    while (taken.size() < 4 + static_cast<std::size_t>(trial) / 3) {
      const std::array<int, 3> at = {place(random), place(random), place(random)};
      if (std::find(taken.begin(), taken.end(), at) != taken.end()) continue;
      taken.push_back(at);
      cubes.add(at[0], at[1], at[2]);
    }
    const SolidMesh mesh = cubes.mesh();
    std::vector<std::uint32_t> held;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (mesh.vertex(v).x() < 0.05) held.push_back(static_cast<std::uint32_t>(v));
    }
    if (static_cast<int>(held.size()) == mesh.vertex_count()) continue;
    const int own = held.empty() ? 6 : 0;
    const bool is_singular = free_motions(mesh, held) > own;
    EXPECT_EQ(find_loose_part(mesh, held).has_value(), is_singular) << trial;
    singular += is_singular;
  }
  EXPECT_GT(singular, 5);
  EXPECT_LT(singular, 55);
}

}  // namespace
}  // namespace haptic
