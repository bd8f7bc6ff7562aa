// The sketch route: recorded forces, thinned; unreduced statics; shapes, thinned; mass-PCA.
#include "host/reduction/sketch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "host/fem/static_solver.h"
#include "host/reduction/linear_modes.h"
#include "host/reduction/mass_pca.h"
#include "host/reduction/reduced_statics.h"
#include "host/reduction/sample_thinning.h"
#include "shared/error.h"
#include "tests/host/reduction/reduced_body.h"

namespace haptic {
namespace {

TEST(SampleThinning, keeps_the_separation_and_thins_the_dense_part_first) {
  // 40 points within 0.2 around the origin, 5 far apart.
  Eigen::MatrixXd points(2, 45);
  for (int i = 0; i < 40; ++i) points.col(i) << 0.2 * std::cos(i), 0.2 * std::sin(1.7 * i);
  for (int i = 0; i < 5; ++i) points.col(40 + i) << 3.0 * (i + 1), 0.0;
  const std::vector<int> kept = thin_by_density(points, 0.25);
  EXPECT_LT(kept.size(), 12U);
  for (std::size_t a = 0; a < kept.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GE((points.col(kept[a]) - points.col(kept[b])).norm(), 0.25);
    }
  }
  // The far points have no neighbours: all are kept.
  for (int i = 40; i < 45; ++i) EXPECT_TRUE(std::count(kept.begin(), kept.end(), i) == 1);
  // A sample is removed because of a neighbour, which may itself be removed later: the rest still
  // covers all samples.
  for (int i = 0; i < 45; ++i) {
    double nearest = 1e300;
    for (const int k : kept) nearest = std::min(nearest, (points.col(i) - points.col(k)).norm());
    EXPECT_LT(nearest, 0.5);
  }
  EXPECT_EQ(thin_by_density(points, 0.25), kept);
}

TEST(SampleThinning, of_two_equal_samples_the_first_is_kept) {
  EXPECT_EQ(thin_by_density(Eigen::MatrixXd::Ones(3, 4), 1.0), std::vector<int>{0});
  EXPECT_TRUE(thin_by_density(Eigen::MatrixXd(3, 0), 1.0).empty());
  EXPECT_THROW(thin_by_density(Eigen::MatrixXd::Ones(3, 2), 0.0), InputError);
}

/// A hand that moves the tip of the beam along a spiral: 120 samples up to 6 N, a bend of about
/// half its length.
std::vector<ForceSample> spiral(const StvkModel& model) {
  const auto tip = static_cast<std::uint32_t>(model.vertex_count() - 1);
  std::vector<ForceSample> samples;
  for (int i = 0; i < 120; ++i) {
    const double s = i / 119.0, angle = 9.0 * s;
    samples.push_back(
        {0.01 * i, {{tip, 6.0 * s * Vector3(0.0, std::cos(angle), std::sin(angle))}}});
  }
  return samples;
}

class SketchedBeam : public testing::Test {
 protected:
  SketchedBeam()
      : model(clamped_beam(10, 1, 2, 0.05, {1e6, 0.3, 1000.0})),
        rest(factor_rest_stiffness(model)) {
    settings.force_separation = 0.15;
    settings.shape_separation = 0.1;
  }
  StvkModel model;
  SparseFactorization rest;
  SketchSettings settings;
};

TEST_F(SketchedBeam, energy_coordinates_measure_the_compliance) {
  const auto samples = spiral(model);
  const Eigen::MatrixXd y = energy_coordinates(model, rest, samples, "test");
  Eigen::VectorXd df = Eigen::VectorXd::Zero(model.dof_count());
  df.tail<3>() = samples[100].forces[0].force - samples[37].forces[0].force;
  const Eigen::VectorXd free = model.restrict_to_free(df);
  const double energy = free.dot(rest.solve(free).col(0));
  EXPECT_NEAR((y.col(100) - y.col(37)).squaredNorm(), energy, 1e-10 * energy);
}

TEST_F(SketchedBeam, kept_shapes_are_separated_solved_and_reproducible) {
  const auto samples = spiral(model);
  const SketchShapes sketch = sketch_shapes(model, rest, samples, "test", settings);
  EXPECT_EQ(sketch.samples, 120);
  EXPECT_GE(sketch.forces.size(), 8U);
  EXPECT_LT(sketch.forces.size(), 60U);
  EXPECT_LE(sketch.worst_residual, 1e-8);
  const Eigen::MatrixXd y = energy_coordinates(model, rest, samples, "test");
  const double d_f = settings.force_separation * y.colwise().norm().maxCoeff();
  for (std::size_t a = 0; a < sketch.forces.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GE((y.col(sketch.forces[a]) - y.col(sketch.forces[b])).norm(), d_f);
    }
  }
  ASSERT_EQ(sketch.shapes.cols(), static_cast<Eigen::Index>(sketch.kept.size()));
  const Eigen::MatrixXd free = model.restrict_to_free(sketch.shapes);
  const SparseMatrix mass = model.scalar_mass();
  const auto norm = [&](const Eigen::VectorXd& x) {
    return std::sqrt(x.dot(multiply_mass(mass, x).col(0)));
  };
  double longest = 0.0, nearest = 1e300;
  for (Eigen::Index a = 0; a < free.cols(); ++a) {
    longest = std::max(longest, norm(free.col(a)));
    for (Eigen::Index b = 0; b < a; ++b)
      nearest = std::min(nearest, norm(free.col(a) - free.col(b)));
    // Each shape is the equilibrium of its load.
    Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
    const auto sample = static_cast<std::size_t>(
        sketch.forces[static_cast<std::size_t>(sketch.kept[static_cast<std::size_t>(a)])]);
    f.tail<3>() = samples[sample].forces[0].force;
    const Eigen::VectorXd residual = model.restrict_to_free(model.force(sketch.shapes.col(a)) - f);
    EXPECT_LE(residual.norm(), 1e-8 * f.norm());
  }
  // The longest kept shape may be shorter than the longest of all by the separation.
  EXPECT_GE(nearest, settings.shape_separation * longest);
  const SketchShapes again = sketch_shapes(model, rest, samples, "test", settings);
  EXPECT_EQ(again.forces, sketch.forces);
  EXPECT_EQ(again.kept, sketch.kept);
  EXPECT_EQ(again.shapes, sketch.shapes);
}

TEST_F(SketchedBeam, training_loads_reproduce_their_shapes_in_the_reduced_model) {
  const auto samples = spiral(model);
  const SketchShapes sketch = sketch_shapes(model, rest, samples, "test", settings);
  const SparseMatrix mass = model.scalar_mass();
  const MassPca pca = mass_pca(mass, model.restrict_to_free(sketch.shapes), 12);
  const Eigen::MatrixXd basis = model.expand(pca.basis);
  const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), basis));
  double worst = 0.0;
  for (std::size_t a = 0; a < sketch.kept.size(); ++a) {
    const auto sample =
        static_cast<std::size_t>(sketch.forces[static_cast<std::size_t>(sketch.kept[a])]);
    const Eigen::VectorXd force =
        basis.bottomRows<3>().transpose() * samples[sample].forces[0].force;
    const StaticsSolution reduced =
        solve_reduced_statics(energy, {force.data(), static_cast<std::size_t>(force.size())});
    const Eigen::VectorXd shape =
        model.restrict_to_free(sketch.shapes.col(static_cast<Eigen::Index>(a)));
    const Eigen::VectorXd error =
        model.restrict_to_free(basis * Eigen::Map<const Eigen::VectorXd>(reduced.q.data(), 12)) -
        shape;
    worst = std::max(worst, std::sqrt(error.dot(multiply_mass(mass, error).col(0)) /
                                      shape.dot(multiply_mass(mass, shape).col(0))));
  }
  EXPECT_LT(worst, 0.02);
  RecordProperty("worst_error", std::to_string(worst));
}

TEST_F(SketchedBeam, refuses_loads_that_do_not_fit) {
  auto samples = spiral(model);
  samples[5].forces[0].vertex = 100000;
  EXPECT_THROW(sketch_shapes(model, rest, samples, "test"), InputError);
  samples[5].forces[0].vertex = model.fixed_vertices()[0];
  EXPECT_THROW(sketch_shapes(model, rest, samples, "test"), InputError);
  for (ForceSample& sample : samples) sample.forces = {{1, Vector3::Zero()}};
  EXPECT_THROW(sketch_shapes(model, rest, samples, "test"), InputError);
}

class ForceFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(path) << text;
    return path;
  }
  void TearDown() override { std::filesystem::remove(path); }
  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      (std::string("forces_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ForceFile, what_is_written_is_read) {
  const std::vector<ForceSample> samples = {
      {0.0, {{3, Vector3(1.0, -2.0, 0.1)}, {7, Vector3(0.0, 0.0, 1e-17)}}},
      {0.1, {{3, Vector3(1.0 / 3.0, 0.0, 0.0)}}}};
  write_force_samples(path, samples);
  const std::vector<ForceSample> read = read_force_samples(path);
  ASSERT_EQ(read.size(), 2U);
  ASSERT_EQ(read[0].forces.size(), 2U);
  EXPECT_EQ(read[0].forces[1].vertex, 7U);
  EXPECT_EQ(read[0].forces[1].force, samples[0].forces[1].force);
  EXPECT_EQ(read[1].time, 0.1);
  EXPECT_EQ(read[1].forces[0].force, samples[1].forces[0].force);  // to the last bit
}

TEST_F(ForceFile, bad_files_are_refused_with_their_line) {
  const std::string header = "time_s,vertex,fx_N,fy_N,fz_N\n";
  for (const auto& [text, expected] :
       {std::pair{std::string("time_s,vertex\n"), ":1: found \"time_s,vertex\""},
        {header + "0,1,2,3\n", ":2: found 4 cells"},
        {header + "0,1,2,3,x\n", ":2: fz_N: found \"x\""},
        {header + "0,1.5,2,3,4\n", ":2: vertex: found 1.5"},
        {header + "1,1,2,3,4\n0,1,2,3,4\n", ":3: time_s: found 0"},
        {header + "0,1,0,0,0\n", "found only zero forces"},
        {header, "found no force load"}}) {
    write(text);
    try {
      read_force_samples(path);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(read_force_samples("/no/such/file.csv"), InputError);
}

}  // namespace
}  // namespace haptic
