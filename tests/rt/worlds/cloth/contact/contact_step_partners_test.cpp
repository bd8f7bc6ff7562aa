// Bodies that give way under a cloth: a free one, the held one and one that deforms.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "lab/samples/random_energy.h"
#include "rt/bodies/held_body.h"
#include "rt/dynamics/newmark_integrator.h"
#include "rt/worlds/cloth/contact/contact_step.h"
#include "tests/rt/worlds/cloth/contact/contact_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

SampleCloth pinned_cloth(std::uint32_t side, double spacing, const SpringMaterials& materials) {
  SampleCloth cloth = square_cloth(side, spacing, materials);
  for (const auto border :
       {GridBorder::kBottom, GridBorder::kTop, GridBorder::kLeft, GridBorder::kRight}) {
    for (const std::uint32_t i : grid_border(cloth.mesh, border)) {
      cloth.system.constraints().pin(i, at(cloth.state.x, i));
    }
  }
  return cloth;
}

/// A ball under the cloth, by which every particle within 2 cm of it may be touched.
struct Ball {
  Vector3 centre;
  double radius, stiffness;

  template <class Jacobian>
  void add(ContactStep& step, const ClothState& state, Jacobian jacobian) const {
    step.clear();
    for (std::uint32_t i = 0; i < state.x.size() / 3; ++i) {
      const Vector3 from = at(state.x, i) - centre;
      const double gap = from.norm() - radius;
      if (gap > 0.02) continue;
      const Vector3 n = from.normalized();
      EXPECT_TRUE(step.add({.particles = {i},
                            .normal = n,
                            .gap = gap,
                            .stiffness = stiffness,
                            .last_normal_force = stiffness * std::max(0.0, -gap),
                            .partner = 0},
                           jacobian(radius * n)));
    }
  }
  double energy(const ClothState& state) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < state.x.size() / 3; ++i) {
      const double depth = std::max(0.0, radius - (at(state.x, i) - centre).norm());
      sum += 0.5 * stiffness * depth * depth;
    }
    return sum;
  }
};

constexpr std::array<double, 9> kTranslation{1, 0, 0, 0, 1, 0, 0, 0, 1};

/// A ball that flies freely into a free cloth: both together keep their momentum, and energy does
/// not grow, at any stiffness.
TEST(ContactStepPartners, momentum_of_a_cloth_and_a_free_body_is_kept) {
  for (const double k : {10.0, 1e4, 1e8}) {
    SampleCloth cloth = square_cloth(9, 0.02, cloth_materials(100.0, 0.02), weightless());
    Ball ball{Vector3(0.083, 0.077, -0.045), 0.04, k};
    Vector3 velocity(0.0, 0.0, 0.5);
    const double mass = 2e-3;
    const std::array<std::uint32_t, 1> dimensions{3};
    ContactStep step(cloth.system, kStep, tight_contact(), dimensions);
    const Vector3 before = mass * velocity;
    double energy = 0.5 * mass * velocity.squaredNorm();
    double worst = 0.0;
    const double start = energy;
    for (int n = 0; n < 10000; ++n) {
      ball.add(step, cloth.state, [](const Vector3&) { return kTranslation; });
      const Matrix3 A = mass / (kStep * kStep) * Matrix3::Identity();
      const Vector3 b = mass / kStep * velocity;
      step.set_partner(0, {A.data(), 9}, {b.data(), 3});
      ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
      const Vector3 y = at(step.partner_motion(0), 0);
      velocity = y / kStep;
      ball.centre += y;
      const double now = cloth.system.energy(cloth.state) + 0.5 * mass * velocity.squaredNorm() +
                         ball.energy(cloth.state);
      worst = std::max(worst, now - energy);
      energy = now;
      const Vector3 sum = mass * velocity + momentum(cloth.system, cloth.state.v);
      ASSERT_LT((sum - before).norm(), 1e-9 * before.norm()) << k << " N/m, step " << n;
    }
    EXPECT_LE(worst, 1e-9 * start) << k;
    EXPECT_GT(momentum(cloth.system, cloth.state.v).z(), 0.2 * before.z()) << k;
  }
}

/// J of a point with the arm r on a body of six: translation, then rotation.
std::array<double, 18> rigid_jacobian(const Vector3& r) {
  std::array<double, 18> J{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Matrix3 turn = -skew(r);
  std::copy(turn.data(), turn.data() + 9, J.begin() + 9);
  return J;
}

/// The tool is pressed 6 cm into the cloth from below. At rest the coupling carries the sum of the
/// contacts, and the cloth is in equilibrium with them.
TEST(ContactStepPartners, a_held_tool_and_a_pinned_cloth_come_to_equilibrium) {
  SampleCloth cloth = pinned_cloth(15, 0.02, cloth_materials(200.0, 0.05));
  cloth.system.surroundings().air.drag = 20.0 * cloth.system.masses()[0];
  HeldBodySettings settings;
  settings.max_speed = 10.0;
  Pose home;
  home.position = Vector3(0.14, 0.14, -0.05);
  HeldBody held(settings, home, 1.0, 0.04, kStep);
  ASSERT_TRUE(held.set_plateau(1e3));
  Ball ball{home.position, 0.04, 1e4};
  const std::array<std::uint32_t, 1> dimensions{6};
  ContactStep step(cloth.system, kStep, tight_contact(), dimensions);
  DeviceState hand;
  hand.pose.position = Vector3(0.003, 0.0, 0.07);
  CouplingLoad load;
  const auto cycle = [&] {
    NoAllocation guard;
    held.follow(hand);
    load = held.couple();
    const HeldBody::StepSystem system = held.prepare(load);
    ball.centre = held.pose().position;
    ball.add(step, cloth.state, rigid_jacobian);
    step.set_partner(0, {system.matrix.data(), 36}, {system.load.data(), 6});
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    held.accept(held.moved(Eigen::Map<const Vector6>(step.partner_motion(0).data())));
  };
  for (int n = 0; n < 4000; ++n) cycle();
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  ParticleVectors f(cloth.state.x.size());
  cloth.system.forces(cloth.state.x, cloth.state.v, 0.0, f);
  std::size_t pressing = 0;
  for (std::size_t k = 0; k < step.contacts(); ++k) {
    const ContactForce on = step.force(k);
    pressing += on.normal > 0.0 ? 1 : 0;
    force += on.force;
    torque += (-ball.radius * -step.contact(k).normal).cross(on.force);
    at(f, step.contact(k).particles[0]) += on.force;
  }
  cloth.system.constraints().filter(f);
  load = held.couple();
  const double size = load.wrench.force.norm();
  EXPECT_GT(pressing, 5u);
  EXPECT_GT(size, 0.5);
  // Limited by what is left of the cloth's waves after 4 s.
  EXPECT_LT((load.wrench.force - force).norm(), 1e-8 * size);
  EXPECT_LT((load.wrench.torque - torque).norm(), 1e-8 * size * ball.radius);
  EXPECT_LT(as_vector(f).cwiseAbs().maxCoeff(), 1e-8 * size);
}

/// One step with two partners, against a dense factorisation of the whole system.
TEST(ContactStepPartners, a_step_solves_the_equation_with_its_partners) {
  const double h = 0.01;
  SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(100.0, 0.2));
  disturb(cloth.state.x, 0.02, 1);
  disturb(cloth.state.v, 0.1, 2);
  const std::array<std::uint32_t, 2> dimensions{6, 5};
  ContactStep step(cloth.system, h, tight_contact(), dimensions);
  const Eigen::Index n = 75, all = n + 11;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(all, all);  // rows of the cloth divided by h^2
  Eigen::VectorXd right(all);
  const ParticleVectors x = cloth.state.x, v = cloth.state.v;
  ParticleVectors f(x.size());
  cloth.system.forces(x, v, 0.0, f);
  A.topLeftCorner(n, n) = dense_matrix(cloth.system, x, {1.0, h, h * h}) / (h * h);
  const Eigen::MatrixXd minus_K = dense_matrix(cloth.system, x, {0.0, 0.0, 1.0});
  right.head(n) =
      A.topLeftCorner(n, n) * h * as_vector(v) + (as_vector(f) - h * minus_K * as_vector(v));
  Eigen::MatrixXd random = Eigen::MatrixXd::Random(11, 11);
  for (const auto& [from, d] : {std::pair<Eigen::Index, Eigen::Index>{0, 6}, {6, 5}}) {
    const Eigen::MatrixXd part = random.block(from, from, d, d);
    const Eigen::MatrixXd own = 100.0 * (part * part.transpose() + Eigen::MatrixXd::Identity(d, d));
    const Eigen::VectorXd load = Eigen::VectorXd::Random(d);
    A.block(n + from, n + from, d, d) = own;
    right.segment(n + from, d) = load;
    step.set_partner(from == 0 ? 0 : 1, {own.data(), std::size_t(d * d)},
                     {load.data(), std::size_t(d)});
  }
  for (std::uint32_t k = 0; k < 8; ++k) {
    ClothContact contact{.particles = {3 * k, 3 * k + 1},
                         .weights = {0.25, 0.75},
                         .count = 2,
                         .normal = Vector3::Random().normalized(),
                         .gap = -0.1,
                         .stiffness = 1e3,
                         .friction = 1e3,
                         .stretch = 0.01 * Vector3::Random(),
                         .last_normal_force = 1.0,
                         .partner = k % 2};
    const Eigen::Index d = dimensions[k % 2];
    const Eigen::MatrixXd own = Eigen::MatrixXd::Random(3, d);
    ASSERT_TRUE(step.add(contact, {own.data(), std::size_t(3 * d)}));
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, all);
    J.middleCols<3>(9 * k) = 0.25 * Matrix3::Identity();
    J.middleCols<3>(9 * k + 3) = 0.75 * Matrix3::Identity();
    J.middleCols(n + (k % 2 == 0 ? 0 : 6), d) = -own;
    const Vector3 n_k = contact.normal;
    A += contact.stiffness * J.transpose() * J;  // sticks: the same in every direction
    right -= contact.stiffness * J.transpose() *
             (contact.gap * n_k + contact.stretch - n_k * n_k.dot(contact.stretch));
  }
  const Eigen::VectorXd z = A.ldlt().solve(right);  // h (v + dv); y
  ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
  ASSERT_EQ(step.outcome().unsettled, 0u);
  EXPECT_LT((h * as_vector(cloth.state.v) - z.head(n)).norm(), 1e-8 * z.head(n).norm());
  for (int p = 0; p < 2; ++p) {
    const std::span<const double> y = step.partner_motion(std::size_t(p));
    const Eigen::Map<const Eigen::VectorXd> motion(y.data(), Eigen::Index(y.size()));
    const Eigen::VectorXd expected = z.segment(n + 6 * p, motion.size());
    EXPECT_LT((motion - expected).norm(), 1e-8 * expected.norm());
  }
}

/// A ball whose upper side gives way in two modes, a cloth on it: at rest the reduced forces are
/// those of the contacts, P q = -sum J^T F.
TEST(ContactStepPartners, a_reduced_body_gives_way_under_the_cloth) {
  SampleCloth cloth = pinned_cloth(11, 0.02, cloth_materials(200.0, 0.05));
  cloth.system.surroundings().air.drag = 20.0 * cloth.system.masses()[0];
  Eigen::Matrix2d P;  // 1/s^2; modes with a mass of 1
  P << 4e4, 5e3, 5e3, 9e4;
  const ReducedEnergy energy = linear_energy(P);
  NewmarkIntegrator body(energy, kStep, RayleighDamping{20.0, 1e-4});
  const Ball ball{Vector3(0.1, 0.1, -0.025), 0.04, 1e4};
  // Of a point with the arm r: up and down, and a tilt that grows with x.
  const auto modes = [](const Vector3& r) {
    return std::array<double, 6>{0.0, 0.0, 3.0, 0.0, 0.0, 50.0 * r.x()};
  };
  const std::array<std::uint32_t, 1> dimensions{2};
  ContactStep step(cloth.system, kStep, tight_contact(), dimensions);
  const std::array<double, 2> none{};
  for (int n = 0; n < 4000; ++n) {
    // Contacts are those of the deformed ball: the gap without deformation minus n . J q.
    const std::span<const double> q = body.state().q;
    step.clear();
    for (std::uint32_t i = 0; i < cloth.system.size(); ++i) {
      const Vector3 from = at(cloth.state.x, i) - ball.centre;
      const std::array<double, 6> J = modes(ball.radius * from.normalized());
      const Vector3 moved = q[0] * Vector3(J[0], J[1], J[2]) + q[1] * Vector3(J[3], J[4], J[5]);
      const double gap = from.norm() - ball.radius - from.normalized().dot(moved);
      if (gap > 0.02) continue;
      ASSERT_TRUE(step.add({.particles = {i},
                            .normal = from.normalized(),
                            .gap = gap,
                            .stiffness = ball.stiffness,
                            .partner = 0},
                           J));
    }
    const NewmarkIntegrator::StepSystem system = body.prepare(none);
    std::array<double, 4> matrix;
    std::array<double, 2> load;
    constexpr double kWeight = NewmarkIntegrator::kSpread;
    for (std::size_t k = 0; k < 4; ++k) matrix[k] = system.matrix[k] / kWeight;
    for (std::size_t k = 0; k < 2; ++k) load[k] = system.load[k] / kWeight;
    step.set_partner(0, matrix, load);
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    ASSERT_EQ(body.complete(step.partner_motion(0), kWeight), StepResult::kOk);
  }
  Eigen::Vector2d load = Eigen::Vector2d::Zero();
  for (std::size_t k = 0; k < step.contacts(); ++k) {
    const std::array<double, 6> J = modes(ball.radius * step.contact(k).normal);
    const Vector3 on_body = -step.force(k).force;
    load += Eigen::Map<const Eigen::Matrix<double, 3, 2>>(J.data()).transpose() * on_body;
  }
  const Eigen::Vector2d q(body.state().q[0], body.state().q[1]);
  EXPECT_GT(load.norm(), 0.1);
  EXPECT_LT((P * q - load).norm(), 1e-8 * load.norm());
}

}  // namespace
}  // namespace haptic::cloth
