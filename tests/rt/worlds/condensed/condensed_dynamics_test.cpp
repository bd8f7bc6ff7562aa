#include "rt/worlds/condensed/condensed_dynamics.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

#include "shared/error.h"
#include "tests/rt/dynamics/simd_targets.h"
#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/rt/worlds/condensed/condensed_motion.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

constexpr ModalCoupling kBoth[] = {ModalCoupling::kStaticsDriveDynamics,
                                   ModalCoupling::kMultipliers};

/// Integrators of kMultipliers.
constexpr ModalIntegrator kTogether[] = {ModalIntegrator::kImplicit, ModalIntegrator::kExact};

/// Over-damped, so that transients end.
constexpr RayleighDamping kStrong{20.0, 0.05};

class CondensedBody : public testing::Test {
 protected:
  ContactRow at(double x, double y, double z) const {
    return row_of_vertex(model_, block_.vertex_at(x, y, z));
  }
  std::vector<ContactRow> two_points() const {
    return {at(0.05, 0.05, 0.1), at(0.0375, 0.0125, 0.1)};
  }
  static void add(CondensedMotion& motion, const std::vector<ContactRow>& rows) {
    for (const ContactRow& row : rows) ASSERT_TRUE(motion.dynamics.add_contact(row));
  }
  Eigen::VectorXd two_targets() const {
    Eigen::VectorXd target(6);
    target << 0.001, -0.0005, -0.006, 0.0, 0.001, -0.003;
    return target;
  }
  /// C H^T (H C H^T)^-1 u* and its forces.
  std::pair<Eigen::VectorXd, Eigen::VectorXd> statics(const std::vector<ContactRow>& rows,
                                                      const Eigen::VectorXd& target) const {
    const Eigen::MatrixXd H = block_.H(rows), S = H * block_.C * H.transpose();
    const Eigen::VectorXd f = S.llt().solve(target);
    return {block_.C * (H.transpose() * f), f};
  }

  CondensedBlock block_;
  CondensedModel model_ = block_.model();
};

TEST_F(CondensedBody, without_modes_both_methods_are_full_statics) {
  for (const ModalCoupling coupling : kBoth) {
    CondensedMotion motion(block_, {.coupling = coupling, .modes = 0});
    add(motion, two_points());
    const auto [u, f] = statics(two_points(), two_targets());
    motion.step(two_targets());
    EXPECT_LT((motion.u() - u).norm(), 1e-10 * u.norm());
    EXPECT_LT((motion.lambda - f).norm(), 1e-10 * f.norm());
  }
}

/// H u = u* in every displayed pose, for moving targets, any m and h. The tolerance is the
/// rounding of S, amplified by its condition.
TEST_F(CondensedBody, multipliers_hold_the_contacts_in_every_step) {
  const Eigen::MatrixXd H = block_.H(two_points());
  for (const ModalIntegrator integrator : kTogether) {
    for (const std::size_t m : {1, 30, 120}) {
      for (const double dt : {1e-4, 1e-3, 0.08, 10.0}) {
        CondensedMotion motion(block_, {.integrator = integrator, .modes = m, .dt = dt});
        add(motion, two_points());
        for (int i = 0; i < 40; ++i) {
          const Eigen::VectorXd target = std::cos(0.7 * i) * two_targets();
          motion.step(target);
          EXPECT_LT((H * motion.u() - target).norm(), 1e-9 * two_targets().norm())
              << m << ' ' << dt;
        }
      }
    }
  }
}

TEST_F(CondensedBody, statics_hold_the_contacts_in_the_displayed_pose) {
  const Eigen::MatrixXd H = block_.H(two_points());
  for (const ModalIntegrator integrator :
       {ModalIntegrator::kImplicit, ModalIntegrator::kSymplectic}) {
    CondensedMotion motion(block_, {.coupling = ModalCoupling::kStaticsDriveDynamics,
                                    .integrator = integrator,
                                    .modes = 30,
                                    .dt = 1e-3});
    add(motion, two_points());
    double unpaired = 0.0;
    for (int i = 0; i < 100; ++i) {
      const Eigen::VectorXd target = std::cos(0.1 * i) * two_targets();
      const Eigen::VectorXd before = motion.q();
      motion.step(target);
      EXPECT_LT((H * motion.u() - target).norm(), 1e-9 * two_targets().norm());
      for (std::size_t k = 0; k < 2; ++k) {
        const auto point = motion.dynamics.displacement_of_row(two_points()[k]);
        for (Eigen::Index axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(point[std::size_t(axis)], target[3 * Eigen::Index(k) + axis], 1e-12);
        }
      }
      // The published pairing, with q after the step, misses by H U1 (q+ - q).
      unpaired = std::max(unpaired, (H * block_.U.leftCols(30) * (motion.q() - before)).norm());
    }
    EXPECT_GT(unpaired, 1e-3 * two_targets().norm());
  }
}

TEST_F(CondensedBody, both_methods_reach_the_static_limit) {
  const auto [u, f] = statics(two_points(), two_targets());
  for (const auto& [coupling, integrator] :
       {std::pair(ModalCoupling::kStaticsDriveDynamics, ModalIntegrator::kImplicit),
        std::pair(ModalCoupling::kMultipliers, ModalIntegrator::kImplicit),
        std::pair(ModalCoupling::kMultipliers, ModalIntegrator::kExact)}) {
    for (const std::size_t m : {5, 30}) {
      CondensedMotion motion(block_, {.coupling = coupling,
                                      .integrator = integrator,
                                      .modes = m,
                                      .dt = 0.01,
                                      .damping = kStrong});
      add(motion, two_points());
      for (int i = 0; i < 3000; ++i) motion.step(two_targets());
      EXPECT_LT((motion.u() - u).norm(), 1e-10 * u.norm());
      EXPECT_LT((motion.lambda - f).norm(), 1e-10 * f.norm());
    }
  }
}

/// The printed system of method 2: force +H^T lambda in the statics, -H^T lambda in the dynamics.
struct PublishedMultipliers {
  PublishedMultipliers(const CondensedBlock& block, const Eigen::MatrixXd& H, int m, double dt)
      : h(dt),
        L(block.eigenvalues.head(m)),
        HU(H * block.U.leftCols(m)),
        q(Eigen::VectorXd::Zero(m)) {
    qd = q;
    S2 = H * block.C2(m) * H.transpose();
    inverse = (1.0 + h * h * L.array()).inverse();
    schur = S2 - h * h * HU * inverse.asDiagonal() * HU.transpose();
  }
  void step(const Eigen::VectorXd& target) {
    const Eigen::VectorXd a = -L.cwiseProduct(q) - h * L.cwiseProduct(qd);
    lambda =
        schur.fullPivLu().solve(target - HU * (q + h * qd) - h * h * HU * inverse.cwiseProduct(a));
    qd += h * inverse.cwiseProduct(a - HU.transpose() * lambda);
    q += h * qd;
  }
  double h;
  Eigen::VectorXd L;
  Eigen::MatrixXd HU;
  Eigen::VectorXd q, qd;
  Eigen::MatrixXd S2, schur;
  Eigen::VectorXd inverse, lambda;
};

/// It holds the contact in every step like the corrected one, and diverges or settles on a wrong
/// shape with a wrong force.
TEST_F(CondensedBody, the_published_sign_fails_the_static_limit) {
  const std::vector<ContactRow> rows{at(0.05, 0.05, 0.1)};
  const Eigen::Vector3d target(0.001, 0.0, -0.005);
  const Eigen::MatrixXd H = block_.H(rows);
  const auto [u, f] = statics(rows, target);
  for (const double dt : {0.001, 0.01, 0.08, 0.5}) {
    PublishedMultipliers published(block_, H, 10, dt);
    Eigen::VectorXd pose;
    int steps = 0;
    for (; steps < 4000; ++steps) {
      published.step(target);
      pose =
          block_.U.leftCols(10) * published.q + block_.C2(10) * (H.transpose() * published.lambda);
      if (pose.norm() > 10.0 * u.norm()) break;
      ASSERT_LT((H * pose - target).norm(), 1e-9 * target.norm()) << dt;
    }
    if (dt < 0.1) {
      EXPECT_LT(steps, 4000) << dt << ": diverges";
    } else {
      EXPECT_EQ(steps, 4000) << "settles";
      EXPECT_GT((pose - u).norm(), 0.01 * u.norm());
      EXPECT_GT((published.lambda - f).norm(), 0.01 * f.norm());
    }
    CondensedMotion motion(block_, {.modes = 10, .dt = dt, .damping = kStrong});
    add(motion, rows);
    for (int i = 0; i < 4000 + int(20.0 / dt); ++i) motion.step(target);
    EXPECT_LT((motion.u() - u).norm(), 1e-8 * u.norm()) << dt;
    EXPECT_LT((motion.lambda - f).norm(), 1e-8 * f.norm()) << dt;
  }
}

/// 54 free degrees of freedom, 52 modes: two are left for three rows. Method 1 sees rank 2, method
/// 2 solves.
TEST(CondensedDynamics, too_few_static_degrees_of_freedom) {
  const CondensedBlock block({.edge_count = 2, .keep_interior = true});
  const ContactRow row = row_of_vertex(block.model(), block.vertex_at(0.05, 0.05, 0.1));
  const Eigen::Vector3d target(0.001, 0.0, -0.005);
  for (const std::size_t m : {51, 52, 54}) {
    CondensedMotion first(block, {.coupling = ModalCoupling::kStaticsDriveDynamics, .modes = m}),
        second(block, {.modes = m});
    ASSERT_TRUE(first.dynamics.add_contact(row));
    ASSERT_TRUE(second.dynamics.add_contact(row));
    first.step(target);
    second.step(target);
    EXPECT_EQ(first.rank, 54u - m);
    EXPECT_EQ(second.rank, 3u);
    EXPECT_LT((block.H({row}) * second.u() - target).norm(), 1e-9 * target.norm());
  }
}

/// With all modes, method 2 is backward Euler of the whole body under the same constraint:
/// M a + D qd+ + K x+ = H^T lambda, H x+ = u*, solved as one dense system.
TEST(CondensedDynamics, all_modes_are_full_implicit_dynamics) {
  const RayleighDamping damping{2.0, 0.004};
  const CondensedBlock block({.edge_count = 2, .keep_interior = true});
  const ContactRow row = row_of_vertex(block.model(), block.vertex_at(0.025, 0.025, 0.1));
  const Eigen::MatrixXd H = block.H({row});
  for (const double h : {0.002, 0.08}) {
    CondensedMotion motion(block, {.modes = 54, .dt = h, .damping = damping});
    ASSERT_TRUE(motion.dynamics.add_contact(row));
    const Eigen::MatrixXd M = block.mass.asDiagonal(),
                          D = damping.alpha * M + damping.beta * block.K;
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(57, 57);
    system.topLeftCorner(54, 54) = M + h * D + h * h * block.K;  // for v+
    system.topRightCorner(54, 3) = -h * H.transpose();
    system.bottomLeftCorner(3, 54) = h * H;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(system);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(54), v = x;
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < 200; ++i) {
      const Eigen::Vector3d target =
          0.005 * Eigen::Vector3d(std::sin(0.05 * i), 0.0, -std::sin(0.03 * i));
      Eigen::VectorXd right(57);
      right << M * v - h * block.K * x, target - H * x;
      v = lu.solve(right).head(54);
      x += h * v;
      motion.step(target);
      largest = std::max(largest, x.norm());
      difference = std::max(difference, (motion.u() - x).norm());
    }
    EXPECT_LT(difference, 1e-9 * largest) << h;
  }
}

/// The motions of all nodes by the two methods differ by less than half, within 10 %, when the
/// step is halved.
TEST_F(CondensedBody, the_methods_agree_to_first_order) {
  const auto relative_difference = [&](double dt) {
    std::vector<CondensedMotion> motions;
    for (const ModalCoupling coupling : kBoth) {
      motions.emplace_back(
          block_, CondensedDynamicsSettings{
                      .coupling = coupling, .modes = 10, .dt = dt, .damping = {2.0, 0.002}});
      add(motions.back(), {at(0.05, 0.05, 0.1)});
    }
    double largest = 0.0, difference = 0.0;
    for (double t = dt; t < 0.64 + 0.5 * dt; t += dt) {
      const Eigen::Vector3d target(0.002 * std::sin(9.0 * t), 0.0,
                                   -0.003 * (1.0 - std::cos(6.0 * t)));
      for (CondensedMotion& motion : motions) motion.step(target);
      largest = std::max(largest, motions[1].u().norm());
      difference = std::max(difference, (motions[0].u() - motions[1].u()).norm());
    }
    return difference / largest;
  };
  const double fine = relative_difference(0.001), middle = relative_difference(0.002),
               coarse = relative_difference(0.08);
  EXPECT_NEAR(middle / fine, 2.0, 0.2);
  EXPECT_LT(fine, 0.02);
  RecordProperty("difference_at_80_ms", std::to_string(coarse));
  EXPECT_LT(coarse, 0.5);
}

/// A poked cube: modes alone miss the dent, the coupled body has it.
/// The exact step of the modes converges, under a moving contact, to what both methods converge to,
/// and its error is below that of backward Euler.
TEST_F(CondensedBody, exact_modes_converge_to_the_same_motion) {
  const auto motion_with = [&](ModalIntegrator integrator, double dt) {
    CondensedMotion motion(
        block_, {.integrator = integrator, .modes = 10, .dt = dt, .damping = {2.0, 0.002}});
    add(motion, {at(0.05, 0.05, 0.1)});
    for (int i = 1; i <= std::lround(0.64 / dt); ++i) {
      const double t = i * dt;
      motion.step(
          Eigen::Vector3d(0.002 * std::sin(9.0 * t), 0.0, -0.003 * (1.0 - std::cos(6.0 * t))));
    }
    return motion.u();
  };
  const Eigen::VectorXd fine = motion_with(ModalIntegrator::kImplicit, 2e-5);
  const auto error = [&](ModalIntegrator integrator, double dt) {
    return (motion_with(integrator, dt) - fine).norm() / fine.norm();
  };
  EXPECT_LT(error(ModalIntegrator::kExact, 1e-4), 5e-4);
  for (const double dt : {0.001, 0.004}) {
    EXPECT_LT(error(ModalIntegrator::kExact, dt), 0.6 * error(ModalIntegrator::kImplicit, dt))
        << dt;
  }
}

TEST_F(CondensedBody, local_deformation) {
  const std::vector<ContactRow> rows{at(0.05, 0.05, 0.1)};
  const auto [u, f] = statics(rows, Eigen::Vector3d(0.0, 0.0, -0.005));
  const Eigen::MatrixXd H = block_.H(rows), HU = H * block_.U.leftCols(30);
  // Modes that hold the contact with least energy.
  const Eigen::MatrixXd softness =
      block_.eigenvalues.head(30).cwiseInverse().asDiagonal() * HU.transpose();
  const Eigen::VectorXd modal = block_.U.leftCols(30) * softness * (HU * softness).inverse() *
                                Eigen::Vector3d(0.0, 0.0, -0.005);
  CondensedMotion motion(block_, {.modes = 30, .dt = 0.01, .damping = kStrong});
  add(motion, rows);
  for (int i = 0; i < 3000; ++i) motion.step(Eigen::Vector3d(0.0, 0.0, -0.005));
  const double of_modes = (modal - u).norm() / u.norm(),
               coupled = (motion.u() - u).norm() / u.norm();
  EXPECT_GT(of_modes, 0.1);
  EXPECT_LT(coupled, 1e-10);
}

/// A removed contact takes its static part C2 f along in one step; with a release time the part
/// decays by exp(-h / T) a step from the pose of the contact, and moves no mode.
TEST_F(CondensedBody, release) {
  for (const ModalCoupling coupling : kBoth) {
    for (const double release : {0.0, 0.02}) {
      CondensedMotion motion(block_, {.coupling = coupling,
                                      .modes = 12,
                                      .dt = 0.002,
                                      .damping = {1.0, 0.001},
                                      .release_time = release});
      add(motion, two_points());
      for (int i = 0; i < 20; ++i) motion.step(two_targets());
      const Eigen::VectorXd held = motion.u(), f = motion.lambda;
      const Eigen::MatrixXd H = block_.H(two_points());
      const Eigen::VectorXd dent = block_.C2(12) * (H.transpose() * f);
      const double before = motion.dynamics.energy().statics;
      EXPECT_NEAR(before, 0.5 * f.dot(H * dent), 1e-9 * before);
      ASSERT_GT(dent.norm(), 0.05 * held.norm());
      motion.dynamics.remove_contact(0);
      if (release > 0.0) {
        // One contact is held on: the pose is the same, and so is the energy.
        EXPECT_LT((motion.u() - held).norm(), 1e-10 * held.norm());
        EXPECT_NEAR(motion.dynamics.energy().statics, before, 1e-9 * before);
      }
      motion.dynamics.remove_contact(0);
      const Eigen::VectorXd released = motion.u();
      const Eigen::VectorXd expected = release > 0.0 ? held : Eigen::VectorXd(held - dent);
      EXPECT_LT((released - expected).norm(), 1e-10 * held.norm());
      EXPECT_NEAR(motion.dynamics.energy().statics, release > 0.0 ? before : 0.0, 1e-9 * before);
      double energy = motion.dynamics.energy().kinetic + motion.dynamics.energy().modal;
      for (int i = 1; i <= 1500; ++i) {
        const Eigen::VectorXd q = motion.q();
        motion.step(Eigen::VectorXd());
        const Eigen::VectorXd pose_q = coupling == ModalCoupling::kMultipliers ? motion.q() : q;
        const double left = release > 0.0 ? std::exp(-0.002 * i / release) : 0.0;
        const double ended = left < 1e-6 ? 0.0 : left;
        ASSERT_LT((motion.u() - block_.U.leftCols(12) * pose_q - ended * dent).norm(),
                  1e-10 * held.norm())
            << i;
        ASSERT_NEAR(motion.dynamics.energy().statics, ended * ended * before, 1e-9 * before);
      }
      const CondensedEnergy end = motion.dynamics.energy();
      EXPECT_LT(end.kinetic + end.modal, 1e-2 * energy);  // rings, then decays
    }
  }
}

/// What is being released is part of the free displacement: a contact that comes meanwhile is
/// held exactly, and the energy is that of the sum of both forces.
TEST_F(CondensedBody, contacts_hold_during_a_release) {
  CondensedMotion motion(block_, {.modes = 12, .dt = 0.002, .release_time = 0.02});
  const ContactRow first = at(0.05, 0.05, 0.1), second = at(0.0375, 0.0375, 0.1);
  const Eigen::Vector3d target(0.0, 0.001, -0.004);
  add(motion, {first});
  for (int i = 0; i < 5; ++i) motion.step(target);
  const Eigen::VectorXd f_first = motion.lambda;
  motion.dynamics.remove_contact(0);
  add(motion, {second});
  double left = 1.0;
  for (int i = 0; i < 10; ++i) {
    motion.step(target);
    left *= std::exp(-0.1);
    EXPECT_LT((block_.H({second}) * motion.u() - target).norm(), 1e-9 * target.norm());
    const Eigen::VectorXd f = left * block_.H({first}).transpose() * f_first +
                              block_.H({second}).transpose() * motion.lambda;
    const double energy = 0.5 * f.dot(block_.C2(12) * f);
    EXPECT_NEAR(motion.dynamics.energy().statics, energy, 1e-9 * energy);
  }
}

/// Free modes: the energy that is published is that of the full matrices.
TEST_F(CondensedBody, energy_of_the_modes_is_that_of_the_full_body) {
  CondensedMotion motion(block_, {.modes = 8});
  const Eigen::VectorXd q = Eigen::VectorXd::Random(8), qd = Eigen::VectorXd::Random(8);
  ASSERT_TRUE(motion.dynamics.set_state({q.data(), 8}, {qd.data(), 8}));
  const Eigen::VectorXd x = block_.modes.leftCols(8) * q, v = block_.modes.leftCols(8) * qd;
  EXPECT_NEAR(motion.dynamics.energy().modal, 0.5 * x.dot(block_.K * x),
              1e-9 * x.dot(block_.K * x));
  EXPECT_NEAR(motion.dynamics.energy().kinetic, 0.5 * v.dot(block_.mass.cwiseProduct(v)), 1e-9);
}

/// Free decay of one mode against the closed form; first order in the step.
TEST_F(CondensedBody, free_decay_of_a_mode) {
  const RayleighDamping damping{0.5, 0.001};
  const double k = block_.eigenvalues[0], d = damping.alpha + damping.beta * k;
  const double w = std::sqrt(k - 0.25 * d * d), t = 6.0 * std::acos(-1.0) / w;
  for (const ModalIntegrator integrator :
       {ModalIntegrator::kImplicit, ModalIntegrator::kSymplectic}) {
    const int steps = 200'000;
    CondensedMotion motion(block_, {.coupling = ModalCoupling::kStaticsDriveDynamics,
                                    .integrator = integrator,
                                    .modes = 1,
                                    .dt = t / steps,
                                    .damping = damping});
    const double one = 1.0, rate = -0.5 * d;
    ASSERT_TRUE(motion.dynamics.set_state({&one, 1}, {&rate, 1}));
    for (int i = 0; i < steps; ++i) motion.step(Eigen::VectorXd());
    EXPECT_NEAR(motion.dynamics.q()[0], std::exp(-0.5 * d * t), 0.01 * std::exp(-0.5 * d * t));
  }
}

/// Symplectic and implicit steps of one mode without contact, by their formulas.
TEST_F(CondensedBody, steps_of_one_mode) {
  const RayleighDamping damping{0.5, 0.001};
  const double k = block_.eigenvalues[0], d = damping.alpha + damping.beta * k, h = 0.01;
  const double q = 0.3, qd = -0.7;
  const auto next = [&](ModalCoupling coupling, ModalIntegrator integrator) {
    CondensedMotion motion(
        block_,
        {.coupling = coupling, .integrator = integrator, .modes = 1, .dt = h, .damping = damping});
    EXPECT_TRUE(motion.dynamics.set_state({&q, 1}, {&qd, 1}));
    motion.step(Eigen::VectorXd());
    EXPECT_NEAR(motion.dynamics.q()[0], q + h * motion.dynamics.qd()[0], 1e-15);
    return motion.dynamics.qd()[0];
  };
  const double implicit = (qd - h * k * q) / (1.0 + h * d + h * h * k);
  EXPECT_NEAR(next(ModalCoupling::kStaticsDriveDynamics, ModalIntegrator::kImplicit), implicit,
              1e-13);
  EXPECT_NEAR(next(ModalCoupling::kMultipliers, ModalIntegrator::kImplicit), implicit, 1e-13);
  EXPECT_NEAR(next(ModalCoupling::kStaticsDriveDynamics, ModalIntegrator::kSymplectic),
              qd + h * (-k * q - d * qd), 1e-13);
}

/// 10,000 steps with contacts that come, slide and go; two runs have the same bits, the second with
/// the kernels of AVX2 alone, and reset gives the first run again.
TEST(CondensedDynamics, runs_are_identical) {
  const CondensedBlock block({.edge_count = 3, .single_precision = true});
  const CondensedModel model = block.model();
  const CondensedDynamicsSettings settings{.modes = 10, .capacity = 4, .release_time = 0.01};
  CondensedMotion first(block, settings);
  const ForcedSimdTarget narrow("avx2");
  CondensedMotion second(block, settings);
  const auto run = [&](CondensedMotion& motion) {
    unsigned random = 1;
    for (int i = 0; i < 10'000; ++i) {
      random = 1664525u * random + 1013904223u;
      CondensedDynamics& body = motion.dynamics;
      const ContactRow row = row_in_triangle(model, (random >> 8) % model.triangle_count(),
                                             std::array{0.5, 0.25, 0.25});
      const std::size_t c = body.contacts().size();
      if ((random >> 4) % 3 == 0 && row.count > 0) (void)body.add_contact(row);
      if ((random >> 4) % 3 == 1 && c > 0) body.remove_contact((random >> 20) % c);
      if ((random >> 4) % 3 == 2 && c > 0 && row.count > 0) body.replace_contact(0, row);
      const auto size = Eigen::Index(3 * body.contacts().size());
      motion.step(Eigen::VectorXd::Constant(size, 1e-3 * std::sin(0.01 * i)));
    }
    return motion.u();
  };
  const Eigen::VectorXd u = run(first);
  EXPECT_TRUE(u.allFinite());
  EXPECT_EQ(run(second), u);
  first.dynamics.reset();
  EXPECT_EQ(run(first), u);
}

TEST_F(CondensedBody, what_is_not_finite_keeps_the_last_good_state) {
  for (const ModalCoupling coupling : kBoth) {
    CondensedMotion motion(block_, {.coupling = coupling, .modes = 3});
    add(motion, two_points());
    for (int i = 0; i < 3; ++i) motion.step(two_targets());
    const Eigen::VectorXd q = motion.q(), u = motion.u();
    std::vector<double> bad(6, 0.1);
    bad[4] = std::numeric_limits<double>::quiet_NaN();
    motion.dynamics.prepare();
    EXPECT_FALSE(motion.dynamics.advance(bad));
    EXPECT_EQ(motion.q(), q);
    EXPECT_EQ(motion.u(), u);
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> state{0.0, infinite, 0.0};
    EXPECT_FALSE(motion.dynamics.set_state(state, state));
    EXPECT_EQ(motion.q(), q);
  }
}

TEST_F(CondensedBody, steps_do_not_allocate) {
  for (const ModalCoupling coupling : kBoth) {
    CondensedDynamics body(model_,
                           {.coupling = coupling, .modes = 10, .capacity = 3, .release_time = 0.1});
    ConstraintSolver solver(9);
    const std::vector<ContactRow> rows = two_points();
    const std::vector<std::uint32_t> nodes{0, 5};
    std::vector<double> lambda(6), u(model_.dof()), at_nodes(6);
    const NoAllocation guard;
    EXPECT_TRUE(body.add_contact(rows[0]));
    EXPECT_TRUE(body.add_contact(rows[1]));
    body.replace_contact(0, rows[1]);
    body.prepare();
    solver.factorise(body.effective_compliance(), body.contacts().scale());
    solver.solve(body.free_displacement(), lambda);
    EXPECT_TRUE(body.advance(lambda));
    body.node_displacements(u);
    body.node_displacements(nodes, at_nodes);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(at_nodes[i], u[3 * nodes[i / 3] + i % 3]);
    EXPECT_GE(body.energy().statics, 0.0);
    body.clear_contacts();
    body.prepare();
    EXPECT_TRUE(body.advance({}));
    body.reset();
  }
}

TEST_F(CondensedBody, settings_out_of_range_are_refused_by_name) {
  const auto message = [&](const CondensedDynamicsSettings& settings) {
    try {
      const CondensedDynamics body(model_, settings);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message({.modes = 300}), "none");
  EXPECT_EQ(message({.modes = 301}),
            "condensed body: modes: found 301, expected 0 to 300, the modes of the model");
  EXPECT_NE(message({.dt = 0.0}).find("dt"), std::string::npos);
  EXPECT_NE(message({.damping = {-1.0, 0.0}}), "none");
  EXPECT_NE(message({.capacity = 0}).find("contacts"), std::string::npos);
  EXPECT_EQ(message({.release_time = -1.0}),
            "condensed body: release_time: found -1, expected a number >= 0 [s]");
  // h d k overflows; with damping that is large but finite in a step, the compliance is that of 1 /
  // k to rounding, which must not pass it.
  EXPECT_NE(message({.modes = 10, .damping = {0.0, 1e307}}).find("eigenvalues"), std::string::npos);
  EXPECT_EQ(message({.modes = 300, .damping = {0.0, 1e18}}), "none");
  EXPECT_EQ(message({.modes = 300, .dt = 1e-9, .damping = {1e-9, 0.0}}), "none");
}

}  // namespace
}  // namespace haptic::condensed
