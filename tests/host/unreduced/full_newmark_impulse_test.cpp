// The reduced beam against the unreduced one in motion: an impulse, its re-simulation, the
// dimension.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/unreduced/full_newmark.h"
#include "rt/dynamics/newmark_integrator.h"
#include "tests/host/reduction/modal_derivative_basis.h"
#include "tests/host/unreduced/beam_b2.h"

namespace haptic {
namespace {

/// An upward impulse on the end face, ten steps long, at 129 steps a period of the lowest mode and
/// beta = 0.003 s, followed for 1.2 periods; one Newton step each, reduced and full alike.
class ImpulseBeam : public testing::Test {
 protected:
  static constexpr int kSteps = 155, kPush = 10;
  static constexpr double kBeta = 0.003;

  ImpulseBeam()
      : model(beam_b2()),
        rest(factor_rest_stiffness(model)),
        modes(linear_modes(model, rest, 6)),
        derivatives(modal_derivatives(model, rest, modes)),
        dt(2.0 * std::numbers::pi / std::sqrt(modes.eigenvalues[0]) / 129.0),
        face(end_face(model)) {}

  Eigen::MatrixXd basis(int r) const {
    return modal_derivative_basis(model, modes, derivatives, r).basis;
  }
  Eigen::VectorXd push(double force) const {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
    for (const int v : face) f[3 * v + 1] = force / static_cast<double>(face.size());
    return f;
  }
  /// Mean displacement of the end face.
  Vector3 tip(const Eigen::VectorXd& u) const {
    Vector3 sum = Vector3::Zero();
    for (const int v : face) sum += u.segment<3>(3 * v);
    return sum / static_cast<double>(face.size());
  }

  /// u after each step, 3n x kSteps.
  Eigen::MatrixXd full(double force) const {
    FullNewmark body(model, dt, {0.0, kBeta});
    Eigen::MatrixXd u(model.dof_count(), kSteps);
    const Eigen::VectorXd f = push(force), none = push(0.0);
    for (int i = 0; i < kSteps; ++i) {
      body.step(i < kPush ? f : none);
      u.col(i) = body.displacement();
    }
    return u;
  }
  Eigen::MatrixXd reduced(const Eigen::MatrixXd& U, double force) const {
    const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), U));
    NewmarkIntegrator body(energy, dt, {0.0, kBeta});
    const Eigen::VectorXd f = U.transpose() * push(force);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(f.size());
    Eigen::MatrixXd q(U.cols(), kSteps);
    for (int i = 0; i < kSteps; ++i) {
      EXPECT_EQ(body.step(view(i < kPush ? f : none)), StepResult::kOk);
      const auto state = body.state().q;
      q.col(i) = Eigen::Map<const Eigen::VectorXd>(state.data(), U.cols());
    }
    return U * q;
  }

  struct Swing {
    double amplitude;  ///< largest tip displacement [m]
    double period;     ///< of the tip, from its first two falls or rises through zero [steps]
  };
  Swing swing(const Eigen::MatrixXd& u) const {
    Swing result{0.0, 0.0};
    double before = 0.0;
    int crossings = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double now = tip(u.col(i)).y();
      result.amplitude = std::max(result.amplitude, tip(u.col(i)).norm());
      if (i > 0 && before * now < 0.0 && ++crossings == 2) {
        result.period = i + before / (before - now);  // steps after the first: time i + fraction
        break;
      }
      before = now;
    }
    EXPECT_EQ(crossings, 2);
    return result;
  }

  /// Force whose reduced swing has the amplitude.
  double force_for(const Eigen::MatrixXd& U, double amplitude) const {
    double low = 0.0, high = 4000.0;
    for (int i = 0; i < 18; ++i) {
      const double force = 0.5 * (low + high);
      double largest = 0.0;
      const Eigen::MatrixXd u = reduced(U, force);
      for (int s = 0; s < kSteps; ++s) largest = std::max(largest, tip(u.col(s)).norm());
      (largest > amplitude ? high : low) = force;
    }
    return high;
  }

  /// Mass-norm error of a trajectory relative to the full one.
  double trajectory_error(const Eigen::MatrixXd& u, const Eigen::MatrixXd& reference) const {
    const SparseMatrix mass = model.scalar_mass();
    const auto square = [&](const Eigen::MatrixXd& x) {
      const Eigen::MatrixXd free = model.restrict_to_free(x);
      return free.cwiseProduct(multiply_mass(mass, free)).sum();
    };
    return std::sqrt(square(u - reference) / square(reference));
  }

  StvkModel model;
  SparseFactorization rest;
  LinearModes modes;
  ModalDerivatives derivatives;
  double dt;
  std::vector<int> face;
};

TEST_F(ImpulseBeam, frequency_and_amplitude_follow_the_full_beam) {
  const Eigen::MatrixXd U = basis(12);
  // Amplitude (largest length of the tip's displacement) in beam lengths, largest errors of
  // frequency and amplitude (acceptance test 33 of docs/methods/reduced-dynamics.md).
  for (const auto& [amplitude, frequency_limit, amplitude_limit] :
       {std::tuple{0.5, 0.02, 0.05}, {0.83, 0.05, 0.05}}) {
    const double force = force_for(U, amplitude);
    const Swing reference = swing(full(force)), own = swing(reduced(U, force));
    const double frequency = reference.period / own.period - 1.0;
    EXPECT_NEAR(reference.amplitude, amplitude, 0.06);
    EXPECT_LE(std::abs(frequency), frequency_limit) << amplitude;
    EXPECT_NEAR(own.amplitude, reference.amplitude, amplitude_limit * reference.amplitude);
    RecordProperty("frequency_error_at_" + std::to_string(amplitude), std::to_string(frequency));
    RecordProperty("amplitude_error_at_" + std::to_string(amplitude),
                   std::to_string(own.amplitude / reference.amplitude - 1.0));
  }
}

TEST_F(ImpulseBeam, linear_modes_alone_are_far_too_stiff) {
  const double force = force_for(basis(12), 0.5);
  const Eigen::MatrixXd locked = reduced(modes.shapes, force);
  double largest = 0.0;
  for (int i = 0; i < kSteps; ++i) largest = std::max(largest, tip(locked.col(i)).norm());
  // Half of the amplitude or less.
  EXPECT_LT(largest, 0.5 * 0.5);
}

TEST_F(ImpulseBeam, replay_in_the_basis_of_the_full_run) {
  const double force = force_for(basis(12), 0.83);
  const Eigen::MatrixXd reference = full(force);
  const MassPca pca = mass_pca(model.scalar_mass(), model.restrict_to_free(reference), 12);
  const double error = trajectory_error(reduced(model.expand(pca.basis), force), reference);
  EXPECT_LE(error, 0.02);
  RecordProperty("error", std::to_string(error));
}

// A larger subspace follows better, and stiffens less: the frequency falls towards the full one.
TEST_F(ImpulseBeam, error_and_frequency_fall_with_the_dimension) {
  const double force = force_for(basis(12), 0.7);
  const Eigen::MatrixXd reference = full(force);
  double error_before = 1e300, last = 0.0, first_period = 0.0, last_period = 0.0;
  for (const int r : {8, 12, 18, 27}) {
    const Eigen::MatrixXd u = reduced(basis(r), force);
    last = trajectory_error(u, reference);
    EXPECT_LE(last, 1.1 * error_before) << r;
    error_before = last;
    last_period = swing(u).period;
    if (first_period == 0.0) first_period = last_period;
    RecordProperty("error_at_" + std::to_string(r), std::to_string(last));
  }
  EXPECT_GT(last_period, first_period);
}

}  // namespace
}  // namespace haptic
