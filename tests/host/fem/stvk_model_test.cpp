#include "host/fem/stvk_model.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <string>

#include "shared/error.h"
#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

StvkModel held(const SolidMesh& mesh) {
  return {mesh, vertices_at_x0(mesh)};
}

TEST(StvkModel, assembled_force_and_stiffness_are_derivatives) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model(body.mesh, std::vector<std::uint32_t>{0, 5, 10});
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

    const Eigen::VectorXd without_matrix =
        model.restrict_to_free(model.stiffness_product(u, direction));
    EXPECT_LE((without_matrix - product).norm(), 1e-13 * product.norm());
    const Eigen::Matrix3Xd blocks = model.stiffness_blocks(u);
    for (int f = 0; f < model.free_vertex_count(); ++f) {
      const Eigen::Matrix3d block = Eigen::MatrixXd(K).block<3, 3>(3 * f, 3 * f);
      EXPECT_LE((blocks.middleCols<3>(3 * f) - block).norm(), 1e-14 * block.norm());
    }
  }
}

TEST(StvkModel, assembled_hessian_products_equal_the_difference_of_stiffness) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
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
}

TEST(StvkModel, hessian_products_of_a_range_of_pairs_are_the_same_bits) {
  const SolidMesh mesh = bodies()[3].mesh;
  const StvkModel model = held(mesh);
  RandomValues random(14);
  const Eigen::MatrixXd x = model.expand(random.matrix(model.free_dof_count(), 6, 1.0));
  const Eigen::MatrixXd all = model.hessian_products(x);
  for (int begin = 0; begin <= 21; ++begin) {
    for (int end = begin; end <= 21; ++end) {
      EXPECT_EQ(model.hessian_products(x, begin, end), all.middleCols(begin, end - begin));
    }
  }
}

TEST(StvkModel, mass_sums_to_the_body_and_is_positive_definite) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model(body.mesh, {});
    const double total = model.mesh().mass();
    const SparseMatrix M = model.mass();
    const SparseMatrix M_lumped = model.mass(MassKind::kLumped);
    EXPECT_NEAR(M.sum(), 3.0 * total, 1e-13 * total);
    EXPECT_NEAR(M_lumped.sum(), 3.0 * total, 1e-13 * total);
    const Eigen::VectorXd row_sums = M * Eigen::VectorXd::Ones(M.cols());
    EXPECT_LE((row_sums - M_lumped.diagonal()).norm(), 1e-14 * row_sums.norm());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum{Eigen::MatrixXd(M)};
    EXPECT_GT(spectrum.eigenvalues()[0], 0.0);
    EXPECT_EQ(model.free_rigid_motions(), 6);
    EXPECT_EQ(held(body.mesh).free_rigid_motions(), 0);
  }
}

// Constant stress has no divergence: on cubes, and on tetrahedra of any shape.
TEST(StvkModel, patch_linear_field_makes_no_force_inside) {
  const SolidMaterial anisotropic(random_elasticity(8, 1e6), 1000.0);
  const SolidMesh tets = make_tetrahedral_box_mesh(4, 3, 3, 0.1, kRubber);
  std::vector<SolidMesh> meshes = {make_box_mesh(4, 3, 3, 0.1, kRubber),
                                   make_box_mesh(4, 3, 3, 0.1, anisotropic), tets};
  std::vector<double> pushed(tets.vertices().begin(), tets.vertices().end());
  RandomValues random(88);
  for (double& x : pushed) x += random.scalar(0.015);
  meshes.emplace_back(ElementKind::kTetrahedron, pushed, tets.elements(), anisotropic);
  Eigen::Matrix3d gradient;
  gradient << 0.2, -0.1, 0.05, 0.3, -0.15, 0.1, 0.0, 0.2, 0.25;
  for (const SolidMesh& mesh : meshes) {
    const StvkModel model(mesh, {});
    Eigen::VectorXd u(model.dof_count());
    for (int v = 0; v < mesh.vertex_count(); ++v) u.segment<3>(3 * v) = gradient * mesh.vertex(v);
    const Eigen::VectorXd force = model.force(u);
    const double largest = force.cwiseAbs().maxCoeff();
    int inside = 0;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      const Vector3 x = tets.vertex(v);
      if ((x.array() < 0.05).any() || (x.array() > (tets.upper().array() - 0.05)).any()) continue;
      ++inside;
      EXPECT_LE(force.segment<3>(3 * v).norm(), 1e-12 * largest);
    }
    EXPECT_EQ(inside, 3 * 2 * 2);
  }
}

TEST(StvkModel, rigid_motion_makes_no_force) {
  const Eigen::Matrix3d rotation =
      Eigen::AngleAxisd(2.2, Eigen::Vector3d(1.0, -0.5, 0.3).normalized()).toRotationMatrix();
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model(body.mesh, {});
    Eigen::VectorXd u(model.dof_count());
    for (int v = 0; v < model.vertex_count(); ++v) {
      const Vector3 X = body.mesh.vertex(v);
      u.segment<3>(3 * v) = rotation * X - X + Vector3(0.3, 0.1, -0.7);
    }
    RandomValues random(3);
    const Eigen::VectorXd other = random.vector(u.size(), u.cwiseAbs().maxCoeff());
    EXPECT_LE(model.force(u).norm(), 1e-11 * model.force(other).norm());
    EXPECT_LE(model.strain_rate_damping_force({40.0, 25.0}, u, other).dot(-other), 0.0);
  }
}

TEST(StvkModel, gravity_sums_to_the_weight) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model(body.mesh, {});
    const Vector3 g(0.0, -9.81, 1.0);
    const Eigen::VectorXd force = model.gravity_force(g);
    const Vector3 sum =
        Eigen::Map<const Eigen::Matrix3Xd>(force.data(), 3, model.vertex_count()).rowwise().sum();
    EXPECT_LE((sum - model.mesh().mass() * g).norm(), 1e-13 * sum.norm());
  }
}

TEST(StvkModel, results_do_not_depend_on_the_number_of_threads) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    RandomValues random(7);
    const Eigen::VectorXd u = model.expand(random.vector(model.free_dof_count(), 0.02));
    const Eigen::VectorXd v = model.expand(random.vector(model.free_dof_count(), 1.0));
    const auto evaluate = [&](std::size_t threads) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      return std::tuple(model.energy(u), model.force(u), Eigen::MatrixXd(model.stiffness(u)),
                        model.hessian_products(u), model.stiffness_product(u, v),
                        model.strain_rate_damping_force({40.0, 25.0}, u, v));
    };
    EXPECT_EQ(evaluate(1), evaluate(4));  // bit for bit
  }
}

TEST(StvkModel, free_dofs_delete_rows_and_columns) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kRubber);
  const StvkModel whole(mesh, {});
  const std::vector<std::uint32_t> fixed = {7, 3, 3, 20};
  const StvkModel some(mesh, fixed);
  EXPECT_EQ(some.fixed_vertices(), (std::vector<std::uint32_t>{3, 7, 20}));
  EXPECT_EQ(some.free_vertex_count(), mesh.vertex_count() - 3);
  const Eigen::MatrixXd K = whole.stiffness_at_rest();
  const Eigen::MatrixXd K_free =
      some.restrict_to_free(some.restrict_to_free(K).transpose());  // rows, then columns
  EXPECT_LE((K_free - Eigen::MatrixXd(some.stiffness_at_rest())).norm(), 1e-15 * K.norm());
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
