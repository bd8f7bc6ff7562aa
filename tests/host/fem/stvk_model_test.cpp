#include "host/fem/stvk_model.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Eigenvalues>
#include <limits>
#include <string>

#include "host/fem/stvk_element.h"
#include "host/fem/voxel_solid.h"
#include "shared/error.h"
#include "tests/host/fem/random_element.h"

namespace haptic {
namespace {

const Material kRubber{1e6, 0.3, 1000.0};

// 4x2x3 block whose inner layers are sheared and bent: general hexahedra, two materials.
SolidMesh skewed_block() {
  const SolidMesh box = make_box_mesh(4, 2, 3, 0.1, kRubber);
  std::vector<double> vertices(box.vertices().begin(), box.vertices().end());
  for (std::size_t v = 0; v < vertices.size(); v += 3) {
    vertices[v] += 0.3 * vertices[v + 1] + 0.5 * vertices[v + 2] * vertices[v + 1];
    vertices[v + 2] += 0.4 * vertices[v] * vertices[v];
  }
  MaterialGroups groups{{kRubber, Material{5e6, 0.4, 1500.0}}, {}};
  for (int e = 0; e < box.element_count(); ++e) groups.of_element.push_back(e % 2 == 0 ? 0 : 1);
  return {ElementKind::kHexahedron, vertices, box.elements(), groups};
}

std::vector<std::uint32_t> vertices_at_x0(const SolidMesh& mesh) {
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (std::abs(mesh.vertex(v).x()) < 1e-12) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return fixed;
}

TEST(StvkModel, T02_assembled_force_and_stiffness_are_derivatives) {
  for (const bool skewed : {false, true}) {
    const SolidMesh mesh = skewed ? skewed_block() : make_box_mesh(4, 2, 3, 0.1, kRubber);
    const StvkModel model(mesh, std::vector<std::uint32_t>{0, 5, 10});
    RandomValues random(2);
    const Eigen::VectorXd u = model.expand(random.vector(model.free_dof_count(), 0.02));
    const Eigen::VectorXd direction = model.expand(random.vector(model.free_dof_count(), 1.0));
    const double step = 1e-6;
    const double slope =
        (model.energy(u + step * direction) - model.energy(u - step * direction)) / (2 * step);
    EXPECT_NEAR(slope, model.force(u).dot(direction), 1e-7 * std::abs(slope));
    const Eigen::VectorXd change = model.restrict_to_free(
        (model.force(u + step * direction) - model.force(u - step * direction)) / (2 * step));
    const SparseMatrix K = model.stiffness(u);
    const Eigen::VectorXd product = K * model.restrict_to_free(direction);
    EXPECT_LE((change - product).norm(), 1e-7 * product.norm());
    EXPECT_LE((K - SparseMatrix(K.transpose())).norm(), 1e-14 * K.norm());
  }
}

TEST(StvkModel, T04_assembled_hessian_products_equal_the_difference_of_stiffness) {
  const StvkModel model(skewed_block(), vertices_at_x0(skewed_block()));
  RandomValues random(4);
  const Eigen::MatrixXd x = model.expand(random.matrix(model.free_dof_count(), 3, 1.0));
  const Eigen::MatrixXd products = model.hessian_products(x);
  int pair = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j, ++pair) {
      const double step = 0.01;  // K is quadratic in u
      const Eigen::VectorXd difference =
          (model.stiffness(step * x.col(j)) - model.stiffness(-step * x.col(j))) *
          model.restrict_to_free(x.col(i)) / (2 * step);
      EXPECT_LE((model.restrict_to_free(products.col(pair)) - difference).norm(),
                1e-9 * difference.norm());
      EXPECT_LE((products.col(pair) - model.hessian_product(x.col(j), x.col(i))).norm(),
                1e-13 * products.col(pair).norm());
    }
  }
}

TEST(StvkModel, T08_mass_sums_to_the_body_and_is_positive_definite) {
  const StvkModel model(skewed_block(), {});
  const double total = model.mesh().mass();
  const SparseMatrix M = model.mass();
  const SparseMatrix M_lumped = model.mass(MassKind::kLumped);
  EXPECT_NEAR(M.sum(), 3.0 * total, 1e-13 * total);
  EXPECT_NEAR(M_lumped.sum(), 3.0 * total, 1e-13 * total);
  const Eigen::VectorXd row_sums = M * Eigen::VectorXd::Ones(M.cols());
  EXPECT_LE((row_sums - M_lumped.diagonal()).norm(), 1e-14 * row_sums.norm());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum{Eigen::MatrixXd(M)};
  EXPECT_GT(spectrum.eigenvalues()[0], 0.0);
}

TEST(StvkModel, T08_patch_linear_field_makes_no_force_inside) {
  const SolidMesh mesh = make_box_mesh(4, 3, 3, 0.1, kRubber);
  const StvkModel model(mesh, {});
  Eigen::Matrix3d gradient;
  gradient << 0.2, -0.1, 0.05, 0.3, -0.15, 0.1, 0.0, 0.2, 0.25;
  Eigen::VectorXd u(model.dof_count());
  for (int v = 0; v < mesh.vertex_count(); ++v) u.segment<3>(3 * v) = gradient * mesh.vertex(v);
  const Eigen::VectorXd force = model.force(u);
  const double largest = force.cwiseAbs().maxCoeff();
  int inside = 0;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const Vector3 x = mesh.vertex(v);
    if ((x.array() < 0.05).any() || (x.array() > (mesh.upper().array() - 0.05)).any()) continue;
    ++inside;
    EXPECT_LE(force.segment<3>(3 * v).norm(), 1e-12 * largest);
  }
  EXPECT_EQ(inside, 3 * 2 * 2);
}

TEST(StvkModel, gravity_sums_to_the_weight) {
  const StvkModel model(skewed_block(), {});
  const Vector3 g(0.0, -9.81, 1.0);
  const Eigen::VectorXd force = model.gravity_force(g);
  const Vector3 sum =
      Eigen::Map<const Eigen::Matrix3Xd>(force.data(), 3, model.vertex_count()).rowwise().sum();
  EXPECT_LE((sum - model.mesh().mass() * g).norm(), 1e-13 * sum.norm());
}

TEST(StvkModel, results_do_not_depend_on_the_number_of_threads) {
  const StvkModel model(skewed_block(), vertices_at_x0(skewed_block()));
  RandomValues random(7);
  const Eigen::VectorXd u = model.expand(random.vector(model.free_dof_count(), 0.02));
  const auto evaluate = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return std::tuple(model.energy(u), model.force(u), Eigen::MatrixXd(model.stiffness(u)),
                      model.hessian_products(u));
  };
  EXPECT_EQ(evaluate(1), evaluate(4));  // bit for bit
}

TEST(StvkModel, free_dofs_delete_rows_and_columns) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kRubber);
  const StvkModel whole(mesh, {});
  const std::vector<std::uint32_t> fixed = {7, 3, 3, 20};
  const StvkModel held(mesh, fixed);
  EXPECT_EQ(held.fixed_vertices(), (std::vector<std::uint32_t>{3, 7, 20}));
  EXPECT_EQ(held.free_vertex_count(), mesh.vertex_count() - 3);
  const Eigen::MatrixXd K = whole.stiffness_at_rest();
  const Eigen::MatrixXd K_free =
      held.restrict_to_free(held.restrict_to_free(K).transpose());  // rows, then columns
  EXPECT_LE((K_free - Eigen::MatrixXd(held.stiffness_at_rest())).norm(), 1e-15 * K.norm());
}

TEST(StvkModel, counts_free_rigid_motions) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kRubber);
  const auto motions = [&](std::vector<std::uint32_t> fixed) {
    return StvkModel(mesh, fixed).free_rigid_motions();
  };
  EXPECT_EQ(motions({}), 6);
  EXPECT_EQ(motions({0}), 3);
  EXPECT_EQ(motions({0, 1}), 1);
  EXPECT_EQ(motions({0, 1, 2}), 1);  // on a line
  EXPECT_EQ(motions({0, 1, 4}), 0);
}

TEST(SolidMesh, congruent_elements_share_one_shape) {
  EXPECT_EQ(make_box_mesh(5, 4, 3, 0.0371, kRubber).shape_count(), 1);
  EXPECT_GT(skewed_block().shape_count(), 1);
  VoxelMesh voxels;
  voxels.edge = 0.1;
  const SolidMesh box = make_box_mesh(2, 1, 1, 0.1, kRubber);
  for (int v = 0; v < box.vertex_count(); ++v) voxels.vertices.push_back(box.vertex(v));
  for (int e = 0; e < 2; ++e) {
    auto& ids = voxels.elements.emplace_back();
    std::copy(box.element(e).begin(), box.element(e).end(), ids.begin());
  }
  const SolidMesh mesh = make_solid_mesh(voxels, kRubber);
  EXPECT_EQ(mesh.element_count(), 2);
  EXPECT_NEAR(mesh.volume(), 0.002, 1e-17);
  EXPECT_THROW(make_solid_mesh(VoxelMesh{}, kRubber), InputError);
}

TEST(SolidMesh, refuses_what_does_not_hold) {
  const SolidMesh box = make_box_mesh(1, 1, 1, 0.1, kRubber);
  const std::vector<double> vertices(box.vertices().begin(), box.vertices().end());
  const std::vector<std::uint32_t> elements(box.elements().begin(), box.elements().end());
  auto bad_vertices = vertices;
  bad_vertices[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(SolidMesh(bad_vertices, elements, kRubber), InputError);
  bad_vertices = vertices;
  bad_vertices.insert(bad_vertices.end(), {1.0, 1.0, 1.0});
  EXPECT_THROW(SolidMesh(bad_vertices, elements, kRubber), InputError);  // unused vertex
  auto bad_elements = elements;
  bad_elements[3] = 8;
  EXPECT_THROW(SolidMesh(vertices, bad_elements, kRubber), InputError);
  bad_elements = elements;
  std::swap(bad_elements[0], bad_elements[4]);
  EXPECT_THROW(SolidMesh(vertices, bad_elements, kRubber), InputError);
  EXPECT_THROW(SolidMesh(vertices, std::vector<std::uint32_t>{}, kRubber), InputError);
  EXPECT_THROW(SolidMesh(vertices, elements, Material{-1e6, 0.3, 1000.0}), InputError);
  EXPECT_THROW(SolidMesh(vertices, elements, Material{1e6, 0.5, 1000.0}), InputError);
  EXPECT_THROW(SolidMesh(vertices, elements, Material{1e6, 0.3, 0.0}), InputError);
}

TEST(StvkModel, refuses_a_body_without_a_free_vertex) {
  const SolidMesh box = make_box_mesh(1, 1, 1, 0.1, kRubber);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
  try {
    const StvkModel model(box, all);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("all 8 vertices"), std::string::npos);
  }
  EXPECT_THROW(StvkModel(box, std::vector<std::uint32_t>{8}), InputError);
}

}  // namespace
}  // namespace haptic
