// Polynomials of every kind of element and material, by group, and of strain-rate damping.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <numeric>
#include <utility>

#include "host/reduction/strain_samples.h"
#include "lab/oracle/direct_reduction.h"
#include "lab/samples/random_energy.h"
#include "rt/dynamics/viscous_damping.h"
#include "shared/error.h"
#include "tests/host/fem/bodies.h"
#include "tests/host/reduction/reduced_body.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

constexpr int kDimension = 7;

StvkModel held(const SolidMesh& mesh) {
  return {mesh, vertices_at_x0(mesh)};
}

/// Random q with the largest displacement 0.3 of the block's length.
Eigen::VectorXd large_state(const Eigen::MatrixXd& basis, std::uint32_t seed) {
  const Eigen::VectorXd q = random_state(static_cast<std::uint32_t>(basis.cols()), seed);
  return q * (0.3 * 0.4 / (basis * q).cwiseAbs().maxCoeff());
}

TEST(AnyPolynomials, equal_the_projected_body) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const Eigen::MatrixXd U = any_basis(model, kDimension);
    const Eigen::MatrixXd U_free = model.restrict_to_free(U);
    const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), U));
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      const Eigen::VectorXd q = large_state(U, seed);
      const Eigen::VectorXd u = U * q;
      const Response reduced(energy, q);
      EXPECT_LE(relative_error(reduced.force, U.transpose() * model.force(u)), 1e-10);
      EXPECT_LE(
          relative_error(reduced.stiffness, U_free.transpose() * (model.stiffness(u) * U_free)),
          1e-10);
      EXPECT_NEAR(energy_at(energy, q), model.energy(u), 1e-10 * model.energy(u));
    }
  }
}

TEST(AnyPolynomials, stiffness_is_the_derivative_of_the_force) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const Eigen::MatrixXd U = any_basis(model, kDimension);
    const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), U));
    const Eigen::VectorXd q = large_state(U, 3);
    Eigen::MatrixXd slope(kDimension, kDimension);
    const double h = 1e-5 * q.norm();
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(q.size(), i);
      slope.col(i) =
          (Response(energy, q + step).force - Response(energy, q - step).force) / (2.0 * h);
    }
    EXPECT_LE(relative_error(Response(energy, q).stiffness, slope), 1e-6);
  }
}

TEST(AnyPolynomials, direct_route_is_the_same_function) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const Eigen::MatrixXd U = any_basis(model, kDimension);
    const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), U));
    const Eigen::VectorXd q = large_state(U, 5);
    const auto evaluate = [&](std::size_t threads) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      return direct_reduced_force_and_stiffness(model, U, q);
    };
    const DirectEvaluation direct = evaluate(4), serial = evaluate(1);
    EXPECT_EQ(direct.force, serial.force);  // bit for bit
    EXPECT_EQ(direct.stiffness, serial.stiffness);
    const Response reduced(energy, q);
    EXPECT_LE(relative_error(direct.force, reduced.force), 1e-12);
    EXPECT_LE(relative_error(direct.stiffness, reduced.stiffness), 1e-12);
    EXPECT_EQ(direct_reduced_force(model, U, q), direct.force);
  }
}

TEST(AnyPolynomials, box_samples_equal_gauss_points_for_every_material_and_group) {
  for (const Body& body : bodies()) {
    if (common_box_edges(body.mesh)[0] == 0.0) continue;
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const BasisRows basis(any_basis(model, kDimension));
    const auto accumulate = [&](bool recognise) {
      PolynomialAccumulator sum(body.mesh, basis.view(),
                                {.groups = true, .viscosity = {{40.0, 25.0}}},
                                {.recognise_voxels = recognise});
      sum.add(0, body.mesh.element_count());
      return sum;
    };
    const PolynomialAccumulator boxes = accumulate(true), points = accumulate(false);
    EXPECT_LE(relative_difference(boxes.whole(), points.whole()), 1e-12);
    const auto box_rows = boxes.groups(), point_rows = points.groups();
    for (std::size_t row = 0; row < box_rows.size(); ++row) {
      if (row % 2 == 1 && !body.mesh.groups().materials[row / 2].is_isotropic()) continue;  // zeros
      EXPECT_LE(relative_difference(box_rows[row], point_rows[row]), 1e-12);
    }
    EXPECT_LE(relative_difference(boxes.viscous().quadratic, points.viscous().quadratic), 1e-12);
  }
}

/// Weighted sum of rows.
ReducedPolynomials recombined(const std::vector<ReducedPolynomials>& rows,
                              const std::vector<double>& weights) {
  ReducedPolynomials sum = rows[0];
  for (auto part :
       {&ReducedPolynomials::quadratic, &ReducedPolynomials::cubic, &ReducedPolynomials::quartic}) {
    std::fill((sum.*part).begin(), (sum.*part).end(), 0.0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t i = 0; i < (sum.*part).size(); ++i) {
        (sum.*part)[i] += weights[row] * (rows[row].*part)[i];
      }
    }
  }
  return sum;
}

TEST(AnyPolynomials, recombined_groups_equal_a_fresh_precompute) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const BasisRows basis(any_basis(model, kDimension));
    const std::vector<ReducedPolynomials> rows = group_polynomials(body.mesh, basis.view());
    const std::vector<double> mass = group_mass(body.mesh, basis.view());
    const std::size_t packed = kDimension * (kDimension + 1) / 2;
    ASSERT_EQ(rows.size(), 2u * static_cast<std::size_t>(body.mesh.group_count()));
    ASSERT_EQ(mass.size(), packed * static_cast<std::size_t>(body.mesh.group_count()));

    // As baked, then with lambda, mu and rho of every group changed; group 0 by a large factor.
    for (const bool edited : {false, true}) {
      MaterialGroups groups = body.mesh.groups();
      std::vector<double> weights, reduced_mass(packed, 0.0);
      for (std::size_t g = 0; g < groups.materials.size(); ++g) {
        SolidMaterial& material = groups.materials[g];
        const double factor = edited ? 20.0 / static_cast<double>(g + 1) : 1.0;
        const double density = (edited ? 1.7 + static_cast<double>(g) : 1.0) * material.density();
        if (material.is_isotropic()) {
          const LameParameters lame{factor * material.lame().lambda,
                                    (edited ? 1.5 : 1.0) * factor * material.lame().mu};
          material = SolidMaterial(lame, density);
          weights.insert(weights.end(), {lame.lambda, lame.mu});
        } else {
          material = SolidMaterial(ElasticityMatrix(factor * material.elasticity()), density);
          weights.insert(weights.end(), {factor, 1.0});
        }
        for (std::size_t i = 0; i < packed; ++i) reduced_mass[i] += density * mass[g * packed + i];
      }
      const SolidMesh changed(body.mesh.kind(), body.mesh.vertices(), body.mesh.elements(), groups);
      EXPECT_LE(relative_difference(recombined(rows, weights),
                                    reduced_polynomials(changed, basis.view())),
                1e-12);
      const StvkModel changed_model = held(changed);
      const Eigen::MatrixXd U_free = changed_model.restrict_to_free(basis.rows);
      const Eigen::MatrixXd M =
          U_free.transpose() * multiply_mass(changed_model.scalar_mass(), U_free);
      std::size_t at = 0;
      for (int i = 0; i < kDimension; ++i) {
        for (int j = i; j < kDimension; ++j)
          EXPECT_NEAR(reduced_mass[at++], M(i, j), 1e-12 * M.norm());
      }
    }
  }
}

TEST(AnyPolynomials, viscous_gram_is_the_projected_strain_rate_damping) {
  // psi alone, phi alone: each part with its own factor.
  for (const LameParameters& viscosity :
       {LameParameters{40.0, 25.0}, LameParameters{0.0, 25.0}, LameParameters{40.0, 0.0}}) {
    for (const Body& body : bodies()) {
      SCOPED_TRACE(body.name);
      const StvkModel model = held(body.mesh);
      const BasisRows basis(any_basis(model, kDimension));
      const ViscousGram gram = viscous_gram(body.mesh, basis.view(), viscosity);
      const ViscousDamping damping(kDimension, gram.linear, gram.mixed, gram.quadratic);
      ViscousDamping::Workspace workspace(kDimension);
      for (std::uint32_t seed = 0; seed < 5; ++seed) {
        const Eigen::VectorXd q = large_state(basis.rows, seed);
        const Eigen::VectorXd velocity = random_state(kDimension, seed + 100);
        Eigen::MatrixXd G(kDimension, kDimension);
        damping.evaluate({q.data(), kDimension}, {G.data(), kDimension * kDimension}, workspace);
        const Eigen::VectorXd force =
            model.strain_rate_damping_force(viscosity, basis.rows * q, basis.rows * velocity);
        EXPECT_LE(relative_error(G * velocity, basis.rows.transpose() * force), 1e-12);
      }
    }
  }
}

TEST(AnyPolynomials, every_group_has_its_viscosities) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const BasisRows basis(any_basis(model, kDimension));
    std::vector<LameParameters> viscosities;
    for (int g = 0; g < body.mesh.group_count(); ++g) {
      // The second group has none.
      viscosities.push_back(g == 1 ? LameParameters{0.0, 0.0} : LameParameters{40.0 + g, 25.0 - g});
    }
    PolynomialAccumulator sum(body.mesh, basis.view(), {.viscosity = viscosities});
    sum.add(0, body.mesh.element_count());
    const ViscousGram gram = sum.viscous();
    const ViscousDamping damping(kDimension, gram.linear, gram.mixed, gram.quadratic);
    ViscousDamping::Workspace workspace(kDimension);
    const Eigen::VectorXd q = large_state(basis.rows, 1), velocity = random_state(kDimension, 101);
    Eigen::MatrixXd G(kDimension, kDimension);
    damping.evaluate({q.data(), kDimension}, {G.data(), kDimension * kDimension}, workspace);
    const Eigen::VectorXd force = model.strain_rate_damping_force(
        std::span(viscosities), basis.rows * q, basis.rows * velocity);
    // Rounding, as with one viscosity for all.
    EXPECT_LE(relative_error(G * velocity, basis.rows.transpose() * force), 1e-12);
    EXPECT_LE(relative_difference(sum.whole(), reduced_polynomials(body.mesh, basis.view())),
              1e-12);

    viscosities.resize(viscosities.size() + 1);
    EXPECT_THROW(PolynomialAccumulator(body.mesh, basis.view(), {.viscosity = viscosities}),
                 InputError);
  }
}

TEST(AnyPolynomials, ranges_in_any_order_and_processes_add_up) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const BasisRows basis(any_basis(model, kDimension));
    const PolynomialContents contents{.groups = true, .viscosity = {{40.0, 25.0}}};
    const int m = body.mesh.element_count();
    PolynomialAccumulator whole(body.mesh, basis.view(), contents);
    whole.add(0, m);
    // Four processes with unequal ranges, one of them empty.
    const int cuts[] = {0, 1, m / 3, m / 3, m};
    PolynomialAccumulator sum(body.mesh, basis.view(), contents);
    for (int p = 3; p >= 0; --p) {
      PolynomialAccumulator part(body.mesh, basis.view(), contents);
      part.add(cuts[p], cuts[p + 1]);
      ASSERT_EQ(part.raw().size(), sum.raw().size());
      for (std::size_t i = 0; i < sum.raw().size(); ++i) sum.raw()[i] += part.raw()[i];
    }
    EXPECT_LE(relative_difference(sum.whole(), whole.whole()), 1e-12);
    EXPECT_LE(relative_difference(sum.groups()[0], whole.groups()[0]), 1e-12);
    EXPECT_LE(relative_difference(sum.viscous().quadratic, whole.viscous().quadratic), 1e-12);
    // The energy is the same with and without groups.
    EXPECT_LE(relative_difference(whole.whole(), reduced_polynomials(body.mesh, basis.view())),
              1e-12);
  }
}

TEST(AnyPolynomials, every_number_of_threads_gives_the_same_bits) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const StvkModel model = held(body.mesh);
    const BasisRows basis(any_basis(model, kDimension));
    const auto raw = [&](std::uint32_t threads) {
      PolynomialAccumulator sum(body.mesh, basis.view(),
                                {.groups = true, .viscosity = {{40.0, 25.0}}},
                                {.threads = threads});
      sum.add(0, body.mesh.element_count());
      return std::vector<double>(sum.raw().begin(), sum.raw().end());
    };
    const std::vector<double> serial = raw(1);
    for (const std::uint32_t threads : {0u, 3u}) EXPECT_EQ(raw(threads), serial);
  }
}

// A, B ~ h, C ~ 1, D ~ 1/h (docs/methods/reduced-dynamics.md, "Elements and material").
TEST(AnyPolynomials, edge_length_scales_each_degree) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const BasisRows basis(any_basis(held(body.mesh), kDimension));
    std::vector<double> vertices(body.mesh.vertices().begin(), body.mesh.vertices().end());
    for (double& x : vertices) x *= 2.0;
    const SolidMesh twice(body.mesh.kind(), vertices, body.mesh.elements(), body.mesh.groups());
    ReducedPolynomials large = reduced_polynomials(twice, basis.view());
    for (double& c : large.quadratic) c /= 2.0;
    for (double& c : large.quartic) c *= 2.0;
    EXPECT_LE(relative_difference(large, reduced_polynomials(body.mesh, basis.view())), 1e-12);
  }
}

}  // namespace
}  // namespace haptic
