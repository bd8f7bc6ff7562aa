// Bodies of corotational and neo-Hookean elements, and of lumped mass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "host/fem/corotational_material.h"
#include "host/fem/neo_hookean_material.h"
#include "host/fem/smallest_volume.h"
#include "host/fem/static_solver.h"
#include "host/fem/stvk_model.h"
#include "shared/error.h"
#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

constexpr ElasticModel kOthers[] = {ElasticModel::kCorotational, ElasticModel::kNeoHookean};

bool is_defined(const SolidMesh& mesh, ElasticModel model) {
  return model != ElasticModel::kNeoHookean || mesh.is_isotropic();
}

/// Any affine map without inversion.
Matrix3 some_gradient() {
  Matrix3 F;
  F << 1.3, 0.2, -0.1, 0.1, 0.8, 0.25, -0.2, 0.1, 1.1;
  return F;
}

Eigen::VectorXd affine(const SolidMesh& mesh, const Matrix3& F) {
  Eigen::VectorXd u(3 * mesh.vertex_count());
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    u.segment<3>(3 * v) = (F - Matrix3::Identity()) * mesh.vertex(v);
  }
  return u;
}

TEST(ElasticModelBody, assembled_force_and_stiffness_are_derivatives) {
  for (const Body& body : bodies()) {
    for (const ElasticModel elastic : kOthers) {
      if (!is_defined(body.mesh, elastic)) continue;
      SCOPED_TRACE(body.name);
      const StvkModel model(body.mesh, std::vector<std::uint32_t>{0, 5, 10}, {.elastic = elastic});
      RandomValues random(2);
      const Eigen::VectorXd u = model.expand(random.vector(model.free_dof_count(), 0.01));
      const Eigen::VectorXd direction = model.expand(random.vector(model.free_dof_count(), 1.0));
      const double step = 1e-6;
      const double slope =
          (model.energy(u + step * direction) - model.energy(u - step * direction)) / (2 * step);
      // Element edges of 0.1 m: displacements of 1e-6 m are strains of 1e-5, rounding and
      // truncation 1e-9 of a force that may be small against its parts.
      EXPECT_NEAR(slope, model.force(u).dot(direction), 1e-6 * std::abs(slope));
      const Eigen::VectorXd change = model.restrict_to_free(
          (model.force(u + step * direction) - model.force(u - step * direction)) / (2 * step));
      const SparseMatrix K = model.stiffness(u);
      const Eigen::VectorXd product = K * model.restrict_to_free(direction);
      EXPECT_LE((change - product).norm(), 1e-6 * product.norm());
      const Eigen::VectorXd without_matrix =
          model.restrict_to_free(model.stiffness_product(u, direction));
      EXPECT_LE((without_matrix - product).norm(), 1e-12 * product.norm());
    }
  }
}

// Affine displacements of a homogeneous body: no force at inner vertices, and the whole force of
// the half beyond a plane is the traction of its faces, so that the sum over all vertices of
// f x^T is P times the volume.
TEST(ElasticModelBody, affine_patch) {
  const Matrix3 F = some_gradient();
  const SolidMesh box = make_box_mesh(4, 3, 3, 0.1, kRubber);
  const SolidMesh tetrahedra = make_tetrahedral_box_mesh(4, 3, 3, 0.1, kRubber);
  for (const ElasticModel elastic : kOthers) {
    for (const SolidMesh& mesh : {box, tetrahedra}) {
      std::vector<double> vertices = skewed_vertices(mesh);
      const SolidMesh skewed(mesh.kind(), vertices, mesh.elements(), kRubber);
      const StvkModel model(skewed, {}, {.elastic = elastic});
      const Eigen::VectorXd f = model.force(affine(skewed, F));
      const Matrix3 P = elastic == ElasticModel::kNeoHookean
                            ? NeoHookeanMaterial(kRubber.lame(), F).stress()
                            : CorotationalMaterial<LameParameters>(kRubber.lame(), F).stress();
      Matrix3 moment = Matrix3::Zero();
      double inside = 0.0;
      for (int v = 0; v < skewed.vertex_count(); ++v) {
        const Vector3 X = mesh.vertex(v);  // of the box before it is skewed
        const bool inner = X.x() > 0.05 && X.x() < 0.35 && X.y() > 0.05 && X.y() < 0.25 &&
                           X.z() > 0.05 && X.z() < 0.25;
        if (inner) inside = std::max(inside, f.segment<3>(3 * v).norm());
        moment += f.segment<3>(3 * v) * skewed.vertex(v).transpose();
      }
      EXPECT_LE(inside, 1e-12 * f.lpNorm<Eigen::Infinity>());
      // A skewed trilinear element is integrated exactly in its affine part.
      EXPECT_LE((moment - skewed.volume() * P).norm(), 1e-12 * moment.norm());
    }
  }
}

// A slab pressed by E A / 4 between its faces, wide enough not to buckle. StVK bears no more than
// E A / sqrt 27 at nu = 0, at 1/sqrt 3 of its length: it turns inside out.
TEST(ElasticModelBody, neo_hookean_bodies_do_not_collapse) {
  const Material soft{1e6, 0.0, 1000.0};
  const SolidMesh mesh = make_box_mesh(1, 3, 3, 0.1, soft);
  const auto press = [&](ElasticModel elastic) {
    const StvkModel model(mesh, vertices_at_x0(mesh), {.elastic = elastic});
    Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      const Vector3 X = mesh.vertex(v);
      if (X.x() < 0.05) continue;
      const auto share = [](double x) { return x > 0.05 && x < 0.25 ? 0.1 : 0.05; };
      f[3 * v] = -0.25 * soft.youngs_modulus * share(X.y()) * share(X.z());
    }
    return solve_static(model, f).u;
  };
  const Eigen::VectorXd pressed = press(ElasticModel::kNeoHookean);
  // Without lateral strain, mu (s - 1/s) = -E/4 with mu = E/2: s - 1/s = -1/2.
  const double s = 0.25 * (std::sqrt(17.0) - 1.0);
  EXPECT_NEAR(smallest_volume(mesh, pressed).ratio, s, 1e-8);
  EXPECT_NEAR(pressed[3 * 1], -0.1 * (1.0 - s), 1e-9);  // vertex 1 is on the loaded face
  EXPECT_LT(smallest_volume(mesh, press(ElasticModel::kStvk)).ratio, 0.0);
}

TEST(ElasticModelBody, results_do_not_depend_on_the_model_at_rest) {
  const Body body = bodies()[1];
  const StvkModel stvk(body.mesh, vertices_at_x0(body.mesh));
  const SparseMatrix K = stvk.stiffness_at_rest();
  for (const ElasticModel elastic : kOthers) {
    const StvkModel other(body.mesh, vertices_at_x0(body.mesh), {.elastic = elastic});
    EXPECT_LE((other.stiffness_at_rest() - K).norm(), 1e-13 * K.norm());
  }
}

TEST(ElasticModelBody, what_has_no_meaning_is_refused) {
  const Body anisotropic = bodies()[2];
  const auto fixed = vertices_at_x0(anisotropic.mesh);
  try {
    StvkModel(anisotropic.mesh, fixed, {.elastic = ElasticModel::kNeoHookean});
    FAIL() << "an anisotropic neo-Hookean body";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("material: group 0: found an anisotropic"));
  }
  const StvkModel model(anisotropic.mesh, fixed, {.elastic = ElasticModel::kCorotational});
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(model.dof_count());
  EXPECT_THROW(model.hessian_product(u, u), InputError);
  EXPECT_THROW(model.hessian_products(u), InputError);
}

TEST(ElasticModelBody, statics_from_an_inverted_start_are_refused) {
  const SolidMesh mesh = make_box_mesh(2, 1, 1, 0.1, kRubber);
  const StvkModel model(mesh, vertices_at_x0(mesh), {.elastic = ElasticModel::kNeoHookean});
  StaticOptions options;
  options.start = affine(mesh, Eigen::Vector3d(-0.5, 1.0, 1.0).asDiagonal());
  const Eigen::VectorXd load = Eigen::VectorXd::Ones(model.dof_count());
  EXPECT_NEAR(smallest_volume(mesh, options.start).ratio, -0.5, 1e-14);
  EXPECT_THROW(solve_static(model, load, options), OperationError);
}

// Row sums of the consistent mass: the mass of the body to rounding, on every kind of mesh and with
// groups of different density.
TEST(LumpedMass, keeps_the_mass) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel consistent(body.mesh, {});
    const StvkModel lumped(body.mesh, {}, {.mass = MassKind::kLumped});
    const SparseMatrix M = lumped.scalar_mass(), full = consistent.scalar_mass();
    EXPECT_EQ(M.nonZeros(), M.rows());
    EXPECT_GT(M.diagonal().minCoeff(), 0.0);
    EXPECT_NEAR(M.diagonal().sum(), body.mesh.mass(), 1e-13 * body.mesh.mass());
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(M.rows());
    const Eigen::VectorXd sums = full * ones;
    EXPECT_LE((M.diagonal() - sums).norm(), 1e-14 * sums.norm());
    EXPECT_EQ(consistent.mass_kind(), MassKind::kConsistent);
    EXPECT_EQ(full.nonZeros(), consistent.scalar_mass(MassKind::kConsistent).nonZeros());
  }
}

}  // namespace
}  // namespace haptic
