#include "host/reduction/reduced_polynomials.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <utility>

#include "host/reduction/strain_samples.h"
#include "lab/oracle/packed_polynomials.h"
#include "lab/oracle/raw_tensors.h"
#include "lab/samples/random_energy.h"
#include "shared/error.h"
#include "tests/host/reduction/reduced_body.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

constexpr Material kRubber{1e6, 0.3, 1000.0};
constexpr Material kAuxetic{1e6, -0.4, 1000.0};  // lambda < 0
constexpr Material kNearlyIncompressible{1e6, 0.49, 1000.0};

/// Random q with the largest displacement up to 0.3 of the beam's length.
Eigen::VectorXd large_state(const Eigen::MatrixXd& basis, double length, std::uint32_t seed) {
  const Eigen::VectorXd q = random_state(static_cast<std::uint32_t>(basis.cols()), seed);
  return q * (0.3 * length / (basis * q).cwiseAbs().maxCoeff());
}

void expect_projection(const StvkModel& model, double length) {
  const Eigen::MatrixXd U = any_basis(model, 8);
  const Eigen::MatrixXd U_free = model.restrict_to_free(U);
  const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), U));
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Eigen::VectorXd q = large_state(U, length, seed);
    const Eigen::VectorXd u = U * q;
    const Response reduced(energy, q);
    EXPECT_LE(relative_error(reduced.force, U.transpose() * model.force(u)), 1e-10);
    EXPECT_LE(relative_error(reduced.stiffness, U_free.transpose() * (model.stiffness(u) * U_free)),
              1e-10);
    EXPECT_NEAR(energy_at(energy, q), model.energy(u), 1e-10 * model.energy(u));
  }
}

TEST(ReducedPolynomials, equal_the_projected_body) {
  expect_projection(clamped_beam(6, 2, 3, 0.05, kRubber), 0.3);
}
TEST(ReducedPolynomials, equal_the_projected_body_of_general_hexahedra) {
  expect_projection(distorted_beam(6, 2, 3, 0.05, kRubber), 0.3);
}
TEST(ReducedPolynomials, equal_the_projected_body_at_negative_poisson_ratio) {
  expect_projection(clamped_beam(6, 2, 3, 0.05, kAuxetic), 0.3);
  expect_projection(distorted_beam(4, 2, 2, 0.05, kAuxetic), 0.2);
}
TEST(ReducedPolynomials, equal_the_projected_body_near_incompressibility) {
  expect_projection(clamped_beam(6, 2, 3, 0.05, kNearlyIncompressible), 0.3);
}

TEST(ReducedPolynomials, stiffness_is_the_derivative_and_euler_gives_the_force) {
  const StvkModel model = clamped_beam(6, 2, 3, 0.05, kRubber);
  const Eigen::MatrixXd U = any_basis(model, 10);
  const ReducedPolynomials p = polynomials_of(model.mesh(), U);
  const ReducedEnergy energy = energy_of(p);
  const PackedPolynomials packed(p.dimension, p.quadratic, p.cubic, p.quartic);
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const Eigen::VectorXd q = large_state(U, 0.3, seed);
    const Response at_q(energy, q);
    Eigen::MatrixXd slope(q.size(), q.size());
    const double h = 1e-5 * q.norm();
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(q.size(), i);
      slope.col(i) =
          (Response(energy, q + step).force - Response(energy, q - step).force) / (2.0 * h);
    }
    EXPECT_LE(relative_error(at_q.stiffness, slope), 1e-6);
    EXPECT_EQ(at_q.stiffness, at_q.stiffness.transpose());
    // The one pass gets the force by Euler's theorem, the packed form from cubic coefficients.
    EXPECT_LE(relative_error(at_q.force, packed.force(q)), 1e-13);
  }
}

TEST(ReducedPolynomials, gram_path_equals_the_symmetrised_raw_tensors) {
  for (const StvkModel& model :
       {clamped_beam(2, 1, 2, 0.05, kRubber), distorted_beam(2, 1, 2, 0.05, kRubber)}) {
    const Eigen::MatrixXd U = any_basis(model, 4);
    const RawTensors raw(model.mesh(), U);
    const ReducedPolynomials p = polynomials_of(model.mesh(), U);
    // Entry of the polynomial's symmetric tensor = mean of the raw entries over all permutations.
    ReducedPolynomials mean{p.dimension, {}, {}, {}};
    for (Eigen::Index i = 0; i < raw.r; ++i) {
      for (Eigen::Index j = i; j < raw.r; ++j) {
        mean.quadratic.push_back(raw.P(i, j));
        for (Eigen::Index k = j; k < raw.r; ++k) {
          std::array<Eigen::Index, 3> a{0, 1, 2};
          const std::array<Eigen::Index, 3> at3{i, j, k};
          double sum3 = 0.0;
          do sum3 += raw.Q(at3[a[0]], at3[a[1]], at3[a[2]]);
          while (std::next_permutation(a.begin(), a.end()));
          mean.cubic.push_back(sum3 / 6.0);
          for (Eigen::Index l = k; l < raw.r; ++l) {
            std::array<Eigen::Index, 4> b{0, 1, 2, 3};
            const std::array<Eigen::Index, 4> at4{i, j, k, l};
            double sum4 = 0.0;
            do sum4 += raw.S(at4[b[0]], at4[b[1]], at4[b[2]], at4[b[3]]);
            while (std::next_permutation(b.begin(), b.end()));
            mean.quartic.push_back(sum4 / 24.0);
          }
        }
      }
    }
    EXPECT_LE(relative_difference(p, mean), 1e-12);

    const ReducedEnergy energy = energy_of(p);
    const Eigen::VectorXd q = large_state(U, 0.1, 1);
    const Response reduced(energy, q);
    EXPECT_LE(relative_error(reduced.force, raw.force(q)), 1e-12);
    EXPECT_LE(relative_error(reduced.stiffness, raw.stiffness(q)), 1e-12);
  }
}

TEST(ReducedPolynomials, truncation_equals_a_fresh_precompute) {
  const StvkModel model = clamped_beam(4, 2, 3, 0.05, kRubber);
  const Eigen::MatrixXd U = any_basis(model, 9);
  const ReducedPolynomials all = polynomials_of(model.mesh(), U);
  const ReducedPolynomials fresh = polynomials_of(model.mesh(), U.leftCols(5));
  ReducedPolynomials cut{5, {}, {}, {}};
  std::size_t at2 = 0, at3 = 0, at4 = 0;
  for (int i = 0; i < 9; ++i) {
    for (int j = i; j < 9; ++j, ++at2) {
      if (j < 5) cut.quadratic.push_back(all.quadratic[at2]);
      for (int k = j; k < 9; ++k, ++at3) {
        if (k < 5) cut.cubic.push_back(all.cubic[at3]);
        for (int l = k; l < 9; ++l, ++at4) {
          if (l < 5) cut.quartic.push_back(all.quartic[at4]);
        }
      }
    }
  }
  EXPECT_LE(relative_difference(cut, fresh), 1e-12);
}

TEST(ReducedPolynomials, every_number_of_threads_gives_the_same_bits) {
  const StvkModel model = clamped_beam(10, 3, 3, 0.05, kRubber);
  const Eigen::MatrixXd U = any_basis(model, 9);
  const ReducedPolynomials serial = polynomials_of(model.mesh(), U, {.threads = 1});
  for (std::uint32_t threads : {0u, 2u, 5u}) {
    const ReducedPolynomials threaded = polynomials_of(model.mesh(), U, {.threads = threads});
    EXPECT_EQ(serial.quadratic, threaded.quadratic);
    EXPECT_EQ(serial.cubic, threaded.cubic);
    EXPECT_EQ(serial.quartic, threaded.quartic);
  }
}

TEST(ReducedPolynomials, any_partition_of_the_elements_adds_up) {
  const StvkModel model = clamped_beam(10, 3, 3, 0.05, kRubber);
  const BasisRows basis(any_basis(model, 9));
  const ReducedPolynomials whole = reduced_polynomials(model.mesh(), basis.view());
  for (const int cut : {1, 17, 89}) {
    PolynomialAccumulator first(model.mesh(), basis.view()), rest(model.mesh(), basis.view());
    rest.add(cut, model.mesh().element_count());
    first.add(0, cut);
    for (std::size_t i = 0; i < first.raw().size(); ++i) first.raw()[i] += rest.raw()[i];
    EXPECT_LE(relative_difference(first.whole(), whole), 1e-12);
    rest.add(0, cut);
    EXPECT_LE(relative_difference(rest.whole(), whole), 1e-12);
  }
}

// A, B ~ h, C ~ 1, D ~ 1/h (docs/methods/reduced-dynamics.md, "Elements and material").
TEST(ReducedPolynomials, edge_length_scales_each_degree) {
  const StvkModel model = clamped_beam(4, 2, 3, 0.05, kRubber);
  const Eigen::MatrixXd U = any_basis(model, 6);
  const ReducedPolynomials small = polynomials_of(model.mesh(), U);
  ReducedPolynomials large = polynomials_of(make_box_mesh(4, 2, 3, 0.1, kRubber), U);
  for (double& c : large.quadratic) c /= 2.0;
  for (double& c : large.quartic) c *= 2.0;
  EXPECT_LE(relative_difference(large, small), 1e-12);
}

TEST(ReducedPolynomials, box_samples_equal_gauss_points) {
  for (const Material& material : {kRubber, kAuxetic}) {
    const StvkModel model = clamped_beam(5, 2, 3, 0.05, material);
    const Eigen::MatrixXd U = any_basis(model, 9);
    EXPECT_NEAR(common_box_edges(model.mesh())[2], 0.05, 1e-15);
    EXPECT_LE(relative_difference(polynomials_of(model.mesh(), U),
                                  polynomials_of(model.mesh(), U, {.recognise_voxels = false})),
              1e-12);
  }
}

TEST(ReducedPolynomials, one_vertex_off_the_grid_is_no_box) {
  const StvkModel model = distorted_beam(3, 1, 1, 0.05, kRubber);
  EXPECT_EQ(common_box_edges(model.mesh())[0], 0.0);
}

TEST(ReducedPolynomials, progress_reaches_one) {
  const StvkModel model = clamped_beam(10, 3, 3, 0.05, kRubber);
  double last = 0.0;
  bool ascending = true;
  polynomials_of(model.mesh(), any_basis(model, 3), {.progress = [&](double fraction) {
                   ascending = ascending && fraction > last;
                   last = fraction;
                 }});
  EXPECT_TRUE(ascending);
  EXPECT_EQ(last, 1.0);
}

TEST(ReducedPolynomials, bad_input_is_refused) {
  const StvkModel model = clamped_beam(2, 1, 1, 0.05, kRubber);
  BasisRows basis(any_basis(model, 2));
  EXPECT_NO_THROW(reduced_polynomials(model.mesh(), basis.view()));
  BasisView bad = basis.view();
  bad.dimension = 3;
  EXPECT_THROW(reduced_polynomials(model.mesh(), bad), InputError);
  bad.dimension = 0;
  EXPECT_THROW(reduced_polynomials(model.mesh(), bad), InputError);
  EXPECT_THROW(viscous_gram(model.mesh(), basis.view(), {-1.0, 1.0}), InputError);
  basis.rows(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(reduced_polynomials(model.mesh(), basis.view()), InputError);
}

}  // namespace
}  // namespace haptic
