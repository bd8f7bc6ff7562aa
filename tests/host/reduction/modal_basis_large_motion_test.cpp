// Large deformations of clamped beams: the reduced model against the full one, and its integrator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/fem/static_solver.h"
#include "host/reduction/reduced_statics.h"
#include "lab/samples/random_energy.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/newmark_integrator.h"
#include "tests/host/reduction/modal_derivative_basis.h"
#include "tests/host/reduction/reduced_body.h"

namespace haptic {
namespace {

constexpr Material kRubber{1e6, 0.3, 1000.0};
constexpr double kEdge = 0.05, kLength = 1.0;  // 20 cubes

/// A beam, its basis and its reduced energy.
struct ReducedBeam {
  /// @param k linear modes, @param r dimension; r = k takes the modes alone
  ReducedBeam(int ny, int nz, int k, int r) : model(clamped_beam(20, ny, nz, kEdge, kRubber)) {
    const SparseFactorization rest = factor_rest_stiffness(model);
    modes = linear_modes(model, rest, k);
    basis =
        r == k
            ? modes.shapes
            : modal_derivative_basis(model, modes, modal_derivatives(model, rest, modes), r).basis;
    energies.push_back(energy_of(polynomials_of(model.mesh(), basis)));
  }
  const ReducedEnergy& energy() const { return energies.front(); }

  /// Mean displacement of the end face.
  Vector3 tip(const Eigen::VectorXd& u) const {
    Vector3 sum = Vector3::Zero();
    int count = 0;
    for (int v = 0; v < model.vertex_count(); ++v) {
      if (model.mesh().vertex(v).x() < kLength - 1e-9) continue;
      sum += u.segment<3>(3 * v);
      ++count;
    }
    return sum / count;
  }

  StvkModel model;
  LinearModes modes;
  Eigen::MatrixXd basis;  // 3n x r
  std::vector<ReducedEnergy> energies;
};

/// Nodal forces of a transverse load (along y), total F, spread over the end face.
Eigen::VectorXd tip_load(const StvkModel& model, double F) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  std::vector<int> face;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() > kLength - 1e-9) face.push_back(v);
  }
  for (int v : face) f(3 * v + 1) = F / static_cast<double>(face.size());
  return f;
}

/// |tip(reduced) - tip(full)| / |tip(full)| at each load F L^2 / EI.
std::vector<double> tip_errors(const ReducedBeam& beam, const std::vector<double>& loads) {
  const double side = 3.0 * kEdge;
  const double EI = kRubber.youngs_modulus * side * side * side * side / 12.0;
  std::vector<double> errors;
  for (double load : loads) {
    const Eigen::VectorXd f = tip_load(beam.model, load * EI / (kLength * kLength));
    const Vector3 full = beam.tip(solve_static(beam.model, f).u);
    const Eigen::VectorXd reduced_force = beam.basis.transpose() * f;
    const StaticsSolution reduced = solve_reduced_statics(beam.energy(), view(reduced_force));
    errors.push_back((beam.tip(beam.basis * vector_of(reduced.q)) - full).norm() / full.norm());
  }
  return errors;
}

TEST(ReducedStatics, modal_derivatives_follow_a_large_bend) {
  const ReducedBeam beam(3, 3, 6, 12);
  const std::vector<double> errors = tip_errors(beam, {0.5, 2.0, 4.0});
  EXPECT_LE(errors[0], 0.03);
  EXPECT_LE(errors[1], 0.03);
  EXPECT_LE(errors[2], 0.05);
  RecordProperty("tip_error_at_4", std::to_string(errors[2]));
}

TEST(ReducedStatics, linear_modes_alone_lock) {
  for (int k : {6, 27}) {
    const std::vector<double> errors = tip_errors(ReducedBeam(3, 3, k, k), {0.25, 1.0});
    EXPECT_GE(errors[0], 0.40) << k;
    EXPECT_GE(errors[1], 0.70) << k;
  }
}

// With dt so large that inertia vanishes, Newmark iterated to convergence is Newton on R(q) = f.
TEST(ReducedStatics, statics_equal_newmark_without_inertia) {
  const ReducedEnergy energy = StrainLikeCoefficients(6, 0.2).energy();
  const Eigen::VectorXd f = random_state(6, 8, 0.5);
  const StaticsSolution statics = solve_reduced_statics(energy, view(f));
  NewmarkIntegrator integrator(energy, 1e9, {}, {60, 1e-13});
  ASSERT_EQ(integrator.step(view(f)), StepResult::kOk);
  const Eigen::VectorXd q = vector_of(statics.q);
  EXPECT_LE((vector_of(integrator.state().q) - q).norm(), 1e-9 * q.norm());
}

/// Beam 20 x 2 x 3 (spectrum without repeated values), released from a static bend of 0.26 L.
class ReleasedBeam : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    beam_ = new ReducedBeam(2, 3, 6, 12);
    const Eigen::VectorXd shape = beam_->basis.transpose() * tip_load(beam_->model, 1.0);
    double lower = 0.0, upper = 1000.0;  // N; the tip's deflection grows with the load
    for (int i = 0; i < 40; ++i) {
      const double load = 0.5 * (lower + upper);
      const Eigen::VectorXd f = load * shape;
      q_ = vector_of(solve_reduced_statics(beam_->energy(), view(f)).q);
      (beam_->tip(beam_->basis * q_).norm() > 0.26 * kLength ? upper : lower) = load;
    }
    period_ = 2.0 * std::numbers::pi / std::sqrt(beam_->modes.eigenvalues(0));
  }
  static void TearDownTestSuite() {
    delete beam_;
    beam_ = nullptr;
  }

  struct Run {
    double kept, most;        ///< final and largest energy over the first
    double largest_increase;  ///< of one step, over the first energy
  };
  /// 20 periods of the lowest mode at `steps` steps a period.
  static Run run(int steps, std::uint32_t iterations, RayleighDamping damping = {}) {
    NewmarkIntegrator integrator(beam_->energy(), period_ / steps, damping, {iterations, 0.0});
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(q_.size());
    EXPECT_EQ(integrator.set_state(view(q_), view(none), view(none)), StepResult::kOk);
    const auto total = [&] {
      const ReducedState state = integrator.state();
      return 0.5 * vector_of(state.qdot).squaredNorm() + beam_->energy().energy(state.q);
    };
    const double start = total();
    Run result{1.0, 1.0, 0.0};
    for (int i = 0; i < 20 * steps; ++i) {
      EXPECT_EQ(integrator.step(view(none)), StepResult::kOk);
      const double now = total() / start;
      result.most = std::max(result.most, now);
      result.largest_increase = std::max(result.largest_increase, now - result.kept);
      result.kept = now;
    }
    return result;
  }

  static inline ReducedBeam* beam_ = nullptr;
  static inline Eigen::VectorXd q_;
  static inline double period_ = 0.0;
};

TEST_F(ReleasedBeam, converged_newton_keeps_the_energy) {
  EXPECT_NEAR(run(60, 8).kept, 1.0, 0.01);
  EXPECT_NEAR(run(129, 8).kept, 1.0, 0.01);
  EXPECT_NEAR(run(129, 2).kept, 1.0, 0.002);
}

TEST_F(ReleasedBeam, one_newton_step_loses_less_with_smaller_steps) {
  double before = -1.0;
  for (int steps : {30, 60, 129, 300}) {
    const Run result = run(steps, 1);
    EXPECT_GT(result.kept, before) << steps;
    EXPECT_LE(result.most, 1.02) << steps;
    RecordProperty("energy_kept_at_" + std::to_string(steps), std::to_string(result.kept));
    before = result.kept;
  }
}

TEST_F(ReleasedBeam, damped_energy_never_increases) {
  const double w = 2.0 * std::numbers::pi / period_;
  const Run result = run(129, 1, {0.02 * w, 0.02 / w});
  // Round-off of the energy, a sum of some thousand terms.
  EXPECT_LE(result.largest_increase, 1e-12);
  EXPECT_LT(result.kept, 0.1);
}

// Two loads with the same projection give the same motion: what differs is orthogonal to the basis.
TEST_F(ReleasedBeam, loads_of_equal_projection_move_alike) {
  const Eigen::MatrixXd& U = beam_->basis;
  const Eigen::VectorXd load = tip_load(beam_->model, 20.0);
  const Eigen::VectorXd other = Eigen::VectorXd::Random(load.size());
  // U^T (other - M U U^T other) = 0.
  const Eigen::VectorXd MU_part = beam_->model.expand(
      beam_->model.mass() * beam_->model.restrict_to_free(U * (U.transpose() * other)));
  const Eigen::VectorXd changed = load + 50.0 * (other - MU_part);
  ASSERT_GT((changed - load).norm(), load.norm());
  const Eigen::VectorXd f = U.transpose() * load, g = U.transpose() * changed;
  NewmarkIntegrator a(beam_->energy(), period_ / 129), b(beam_->energy(), period_ / 129);
  for (int i = 0; i < 129; ++i) {
    ASSERT_EQ(a.step(view(f)), StepResult::kOk);
    ASSERT_EQ(b.step(view(g)), StepResult::kOk);
  }
  const Eigen::VectorXd q = vector_of(a.state().q);
  EXPECT_GT(q.norm(), 0.0);
  // The projection cancels numbers some hundred times f to rounding; the motion keeps its size.
  EXPECT_LE((vector_of(b.state().q) - q).norm(), 1e-11 * q.norm());
}

// The basis mixes high frequencies in: explicit steps are far smaller than the modes suggest
// (Barbic 2007, table 2.1).
TEST_F(ReleasedBeam, reduced_spectrum_reaches_far_above_the_modes) {
  const double highest = largest_angular_frequency(beam_->energy());
  const double last_mode = std::sqrt(beam_->modes.eigenvalues(5));
  EXPECT_GT(highest, 5.0 * last_mode);
  RecordProperty("highest_Hz", std::to_string(highest / (2.0 * std::numbers::pi)));
  RecordProperty("last_mode_Hz", std::to_string(last_mode / (2.0 * std::numbers::pi)));
}

}  // namespace
}  // namespace haptic
