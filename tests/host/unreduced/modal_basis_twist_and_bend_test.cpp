// The reduced beam against the unreduced one in large twist and bend.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/fem/static_solver.h"
#include "host/reduction/reduced_statics.h"
#include "tests/host/reduction/modal_derivative_basis.h"
#include "tests/host/unreduced/beam_b2.h"

namespace haptic {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

/// Smallest det F over all Gauss points: below zero an element is inverted.
double smallest_determinant(const StvkModel& model, const Eigen::VectorXd& u) {
  double smallest = 1e300;
  for (int e = 0; e < model.mesh().element_count(); ++e) {
    CornerVectors local;
    const auto ids = model.mesh().element(e);
    for (int a = 0; a < 8; ++a) {
      local.col(a) = u.segment<3>(3 * static_cast<int>(ids[static_cast<std::size_t>(a)]));
    }
    const HexahedronQuadrature& quadrature = model.mesh().shape(e).quadrature;
    for (int g = 0; g < quadrature.size(); ++g) {
      const Matrix3 F = Matrix3::Identity() +
                        local * quadrature.gradient[static_cast<std::size_t>(g)].transpose();
      smallest = std::min(smallest, F.determinant());
    }
  }
  return smallest;
}

/// Displacement of a vertex of the end face turned by `angle` about the beam's axis.
Vector3 turned(const Vector3& X, double angle) {
  const Vector3 axis(X.x(), 0.05, 0.075);
  const Vector3 arm = X - axis;
  return Vector3(0.0, std::cos(angle) * arm.y() - std::sin(angle) * arm.z(),
                 std::sin(angle) * arm.y() + std::cos(angle) * arm.z()) -
         arm;
}

/// Mean turn of the end face, nearest to `guess`.
double turn_of(const StvkModel& model, const Eigen::VectorXd& u, double guess) {
  double sine = 0.0, cosine = 0.0;
  for (const int v : end_face(model)) {
    const Vector3 X = model.mesh().vertex(v) - Vector3(0.0, 0.05, 0.075);
    const Vector3 x = X + u.segment<3>(3 * v);
    sine += X.y() * x.z() - X.z() * x.y();
    cosine += X.y() * x.y() + X.z() * x.z();
  }
  const double angle = std::atan2(sine, cosine);
  return angle + 2.0 * std::numbers::pi * std::round((guess - angle) / (2.0 * std::numbers::pi));
}

struct Twist {
  double angle = 0.0;    ///< reached at the end [rad]
  double largest = 0.0;  ///< on the way [rad]
  double energy = 0.0;   ///< J
  double determinant = 0.0;
};

/// Rotates the end face of the reduced beam by stiff springs in steps of 5 degrees and solves for
/// the equilibrium after each.
Twist twist_reduced(const StvkModel& model, const Eigen::MatrixXd& basis, double angle) {
  const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), basis));
  const auto r = basis.cols();
  // 1e6 N/m a vertex turn the face a thousand times as stiffly as the beam.
  constexpr double kSpring = 1e6;
  const std::vector<int> face = end_face(model);
  Eigen::MatrixXd rows(3 * static_cast<Eigen::Index>(face.size()), r);
  for (std::size_t i = 0; i < face.size(); ++i) {
    rows.middleRows<3>(3 * static_cast<Eigen::Index>(i)) = basis.middleRows<3>(3 * face[i]);
  }
  ReducedEnergy::Workspace workspace(static_cast<std::uint32_t>(r));
  Eigen::VectorXd q = Eigen::VectorXd::Zero(r), force(r), target(rows.rows());
  Eigen::MatrixXd stiffness(r, r);
  Twist twist;
  const int steps = static_cast<int>(std::lround(angle / (5.0 * kDegree)));
  for (int step = 1; step <= steps; ++step) {
    for (std::size_t i = 0; i < face.size(); ++i) {
      target.segment<3>(3 * static_cast<Eigen::Index>(i)) =
          turned(model.mesh().vertex(face[i]), step * 5.0 * kDegree);
    }
    const auto potential = [&](const Eigen::VectorXd& x) {
      return energy.energy(view(x)) + 0.5 * kSpring * (rows * x - target).squaredNorm();
    };
    for (int iteration = 0; iteration < 60; ++iteration) {
      energy.force_and_stiffness(view(q), {force.data(), static_cast<std::size_t>(r)},
                                 {stiffness.data(), static_cast<std::size_t>(r * r)}, workspace);
      const Eigen::VectorXd gradient = force + kSpring * rows.transpose() * (rows * q - target);
      if (gradient.norm() < 1e-9 * kSpring * target.norm()) break;
      const Eigen::VectorXd move =
          -(stiffness + kSpring * rows.transpose() * rows).ldlt().solve(gradient);
      double length = 1.0;
      while (length > 1e-6 && potential(q + length * move) > potential(q)) length *= 0.5;
      q += length * move;
    }
    twist.angle = turn_of(model, basis * q, twist.angle);
    twist.largest = std::max(twist.largest, twist.angle);
  }
  twist.energy = energy.energy(view(q));
  twist.determinant = smallest_determinant(model, basis * q);
  return twist;
}

/// Energy of the full beam with its end face turned [J].
double twist_full(double angle) {
  const SolidMesh mesh = make_box_mesh(20, 2, 3, 0.05, kRubber);
  std::vector<std::uint32_t> held;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const double x = mesh.vertex(v).x();
    if (x < 1e-9 || x > kLength - 1e-9) held.push_back(static_cast<std::uint32_t>(v));
  }
  const StvkModel model(mesh, held);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.dof_count());
  StaticOptions options;
  options.load_steps = 1;
  options.tolerance = 1e-8;
  options.start = none;
  const int steps = static_cast<int>(std::lround(angle / (10.0 * kDegree)));
  for (int step = 1; step <= steps; ++step) {
    // The interior is rotated in proportion to its position, so that no element next to the end is
    // crushed.
    for (int v = 0; v < model.vertex_count(); ++v) {
      const Vector3 X = mesh.vertex(v);
      options.start.segment<3>(3 * v) +=
          turned(X, step * 10.0 * kDegree * X.x()) - turned(X, (step - 1) * 10.0 * kDegree * X.x());
    }
    options.start = solve_static(model, none, options).u;
  }
  return model.energy(options.start);
}

TEST(TwistedBeam, five_vectors_reach_270_degrees) {
  const StvkModel model = beam_b2();
  const SparseFactorization rest = factor_rest_stiffness(model);
  const LinearModes modes = linear_modes(model, rest, 10);
  // Twist modes turn the end face about the axis: the fraction of that in its motion.
  std::vector<int> twists;
  for (int i = 0; i < 10 && twists.size() < 2; ++i) {
    double along = 0.0, whole = 0.0, norm = 0.0;
    for (const int v : end_face(model)) {
      const Vector3 X = model.mesh().vertex(v) - Vector3(0.0, 0.05, 0.075);
      const Vector3 tangent(0.0, -X.z(), X.y());
      along += tangent.dot(modes.shapes.col(i).segment<3>(3 * v));
      norm += tangent.squaredNorm();
      whole += modes.shapes.col(i).segment<3>(3 * v).squaredNorm();
    }
    if (along * along > 0.5 * whole * norm) twists.push_back(i);
  }
  ASSERT_EQ(twists, (std::vector<int>{3, 8}));  // Barbic 2007, figure 2.14: 4 and 9
  LinearModes pair;
  pair.eigenvalues = modes.eigenvalues(twists);
  pair.shapes = modes.shapes(Eigen::all, twists);
  const ModalDerivatives derivatives = modal_derivatives(model, rest, pair);
  Eigen::MatrixXd columns(model.dof_count(), 5);
  columns << pair.shapes, derivatives.shapes;
  const Eigen::MatrixXd basis =
      model.expand(mass_gram_schmidt(model.scalar_mass(), model.restrict_to_free(columns)));

  const Twist twist = twist_reduced(model, basis, 270.0 * kDegree);
  EXPECT_NEAR(twist.angle / kDegree, 270.0, 3.0);
  EXPECT_GT(twist.determinant, 0.0);
  const double full = twist_full(270.0 * kDegree);
  EXPECT_LE(twist.energy, 2.2 * full);
  // The linear modes alone stretch instead of turning.
  const Twist linear = twist_reduced(model, pair.shapes, 270.0 * kDegree);
  EXPECT_LT(linear.largest / kDegree, 50.0);
  RecordProperty("reached_deg", std::to_string(twist.angle / kDegree));
  RecordProperty("energy_J", std::to_string(twist.energy));
  RecordProperty("full_energy_J", std::to_string(full));
  RecordProperty("smallest_det_F", std::to_string(twist.determinant));
  RecordProperty("linear_modes_deg", std::to_string(linear.largest / kDegree));
}

// The cantilever's visual check: bent until its end points up, no element turns inside out.
TEST(BentBeam, bends_near_90_degrees_without_inversion) {
  const StvkModel model = beam_b2();
  const SparseFactorization rest = factor_rest_stiffness(model);
  const LinearModes modes = linear_modes(model, rest, 6);
  const Eigen::MatrixXd basis =
      modal_derivative_basis(model, modes, modal_derivatives(model, rest, modes), 12).basis;
  const ReducedEnergy energy = energy_of(polynomials_of(model.mesh(), basis));
  const std::vector<int> face = end_face(model);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  const double EI = kRubber.youngs_modulus * 0.15 * 0.1 * 0.1 * 0.1 / 12.0;
  for (const int v : face) f[3 * v + 1] = 12.0 * EI / static_cast<double>(face.size());
  const Eigen::VectorXd force = basis.transpose() * f;
  const StaticsSolution solution = solve_reduced_statics(energy, view(force));
  const Eigen::VectorXd u = basis * Eigen::Map<const Eigen::VectorXd>(solution.q.data(), 12);
  // Slope of the end: between the last two cross-sections on the axis.
  Vector3 end = Vector3::Zero(), before = Vector3::Zero();
  int count = 0;
  for (int v = 0; v < model.vertex_count(); ++v) {
    const Vector3 X = model.mesh().vertex(v);
    if (X.x() > kLength - 1e-9) end += X + u.segment<3>(3 * v), ++count;
    if (std::abs(X.x() - (kLength - 0.05)) < 1e-9) before += X + u.segment<3>(3 * v);
  }
  const Vector3 tangent = (end - before) / count;
  const double slope = std::atan2(tangent.y(), tangent.x()) / kDegree;
  EXPECT_GT(slope, 75.0);
  EXPECT_LT(slope, 105.0);
  EXPECT_GT(smallest_determinant(model, u), 0.0);
  RecordProperty("slope_deg", std::to_string(slope));
  RecordProperty("smallest_det_F", std::to_string(smallest_determinant(model, u)));
}

}  // namespace
}  // namespace haptic
