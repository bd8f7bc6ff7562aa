// Systems of many blocks: several bodies, islands, predictions.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "rt/contact/contact_solver.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// A system of bodies of 6 unknowns and a few larger ones, with contacts between pairs of them, in
/// a solver with their blocks and in one with a single block.
struct ManyBodies {
  explicit ManyBodies(std::uint32_t seed) : random(seed) {
    sizes.assign(12, 6);
    sizes[5] = 9;
    sizes[11] = 20;
    for (const std::uint32_t size : sizes) firsts.push_back(unknowns), unknowns += size;
    sparse.emplace(ContactSolver::Sizes{sizes, 32, 60, 200, true});
    dense.emplace(unknowns, 200, true);
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  void fill() {
    for (ContactSolver* solver : {&*sparse, &*dense}) solver->clear();
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      const Eigen::Index at = firsts[b], n = sizes[b];
      const Eigen::MatrixXd half =
          Eigen::MatrixXd::NullaryExpr(n, n, [&] { return uniform(-1.0, 1.0); });
      const Eigen::MatrixXd A = half * half.transpose() + Eigen::MatrixXd::Identity(n, n);
      const Eigen::VectorXd load =
          Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(-1.0, 1.0); });
      for (ContactSolver* solver : {&*sparse, &*dense}) {
        solver->matrix().block(at, at, n, n) = A;
        solver->load().segment(at, n) = load;
      }
    }
  }
  /// Contacts of a random pair of bodies.
  void touch(int contacts) {
    const auto any = [&] { return static_cast<std::uint32_t>(random() % sizes.size()); };
    const std::uint32_t a = any();
    touch(a, any(), contacts);
  }
  void touch(std::uint32_t a, std::uint32_t b, int contacts) {
    std::vector<std::uint32_t> blocks = {std::min(a, b)};
    if (a != b) blocks.push_back(std::max(a, b));
    const RowSupport& rows = sparse->use_blocks(blocks);
    const auto fill_rows = [&](std::span<double> of_sparse, std::span<double> of_dense) {
      for (const std::uint32_t block : blocks) {
        for (std::uint32_t i = 0; i < sizes[block]; ++i) {
          of_sparse[rows.offset(block) + i] = of_dense[firsts[block] + i] = uniform(-1.0, 1.0);
        }
      }
    };
    for (int i = 0; i < contacts; ++i) {
      const ContactSolver::Normal normal{uniform(-0.3, 0.3), 1e3, 0.1};
      fill_rows(sparse->add_normal(normal), dense->add_normal(normal));
      const ContactSolver::Tangent tangent{{uniform(-0.1, 0.1), 0.0}, 30.0, uniform(0.0, 5.0)};
      const auto s = sparse->add_tangent(tangent), d = dense->add_tangent(tangent);
      fill_rows(s.first, d.first);
      fill_rows(s.second, d.second);
    }
  }

  std::mt19937 random;
  std::vector<std::uint32_t> sizes, firsts;
  std::uint32_t unknowns = 0;
  std::optional<ContactSolver> sparse, dense;
};

TEST(ContactSolver, blocks_change_the_cost_and_not_the_solution) {
  ManyBodies system(5);
  for (int round = 0; round < 60; ++round) {
    system.fill();
    for (int i = 0; i < 12; ++i) system.touch(3);
    const auto compare = [&](ContactSolver::Start start, const char* what) {
      ASSERT_EQ(system.sparse->solve(start), ContactSolver::Result::kConverged) << what;
      ASSERT_EQ(system.dense->solve(start), ContactSolver::Result::kConverged) << what;
      const Eigen::VectorXd& x = system.dense->step();
      // Both are converged to 1e-9, with a condition of 1e4.
      EXPECT_LE((system.sparse->step() - x).norm(), 1e-6 * x.norm()) << what << " " << round;
      const Eigen::VectorXd forces = system.dense->contact_load();
      EXPECT_LE((system.sparse->contact_load() - forces).norm(), 1e-5 * forces.norm()) << what;
    };
    compare(ContactSolver::Start::kNew, "anew");
    // Bodies that were apart come together.
    for (int i = 0; i < 6; ++i) system.touch(2);
    compare(ContactSolver::Start::kLast, "continued");
    for (ContactSolver* solver : {&*system.sparse, &*system.dense})
      solver->scale_block(0, 6, 9.0, 1.0);
    compare(ContactSolver::Start::kLast, "scaled");
  }
}

/// Bodies 0 to 5, and in another group 6 to 11, each coupled among themselves.
void touch_groups(ManyBodies& system, int contacts) {
  for (std::uint32_t b = 1; b < 12; ++b) {
    if (b != 6) system.touch(b - 1, b, contacts);
  }
}

// The line search, the accuracy and the end of the iterations are those of the island.
TEST(ContactSolver, an_island_has_the_solution_that_it_has_without_the_others) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    ManyBodies calm(seed), wild(seed);
    for (ManyBodies* system : {&calm, &wild}) {
      system->fill();
      if (system == &wild) {
        // Another group with other loads, many more iterations and another scale.
        for (std::uint32_t b = 6; b < 12; ++b) {
          system->sparse->load().segment(system->firsts[b], system->sizes[b]) *= 1e4;
        }
      }
      touch_groups(*system, 4);
    }
    const Eigen::Index mine = calm.firsts[6];
    for (const ContactSolver::Accuracy accuracy :
         {ContactSolver::Accuracy::kGuess, ContactSolver::Accuracy::kPredicts,
          ContactSolver::Accuracy::kFull}) {
      const auto start = accuracy == ContactSolver::Accuracy::kGuess ? ContactSolver::Start::kNew
                                                                     : ContactSolver::Start::kLast;
      for (ManyBodies* system : {&calm, &wild}) {
        ASSERT_NE(system->sparse->solve(start, accuracy), ContactSolver::Result::kNotFinite);
      }
      EXPECT_EQ(calm.sparse->step().head(mine), wild.sparse->step().head(mine)) << seed;
      EXPECT_NE(calm.sparse->step().tail(26), wild.sparse->step().tail(26));
    }
  }
}

TEST(ContactSolver, islands_that_are_not_marked_keep_their_solution) {
  ManyBodies system(3);
  system.fill();
  touch_groups(system, 4);
  ContactSolver& solver = *system.sparse;
  ASSERT_EQ(solver.islands().count(), 2u);
  ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
  const Eigen::VectorXd before = solver.step();
  const Eigen::Index mine = system.firsts[6];
  // Both have other limits; any block marks its island.
  for (std::uint32_t i = 0; i < 40; ++i) solver.set_limit(i, 0.3 * solver.limit(i));
  std::vector<char> marked(12, 0);
  marked[8] = 1;
  const auto start = ContactSolver::Start::kLast;
  const auto accuracy = ContactSolver::Accuracy::kFull;
  ASSERT_EQ(solver.solve(start, accuracy, marked), ContactSolver::Result::kConverged);
  const Eigen::VectorXd half = solver.step();
  EXPECT_EQ(half.head(mine), before.head(mine));
  EXPECT_GT((half - before).norm(), 1e-3 * before.norm());
  // What was left out is found when its turn comes.
  marked.assign(12, 0);
  marked[0] = 1;
  ASSERT_EQ(solver.solve(start, accuracy, marked), ContactSolver::Result::kConverged);
  for (std::uint32_t i = 0; i < 40; ++i) system.dense->set_limit(i, 0.3 * system.dense->limit(i));
  ASSERT_EQ(system.dense->solve(), ContactSolver::Result::kConverged);
  EXPECT_LE((solver.step() - system.dense->step()).norm(), 1e-6 * before.norm());
  EXPECT_GT((solver.step() - half).norm(), 1e-3 * before.norm());
  // A row between the groups makes them one island.
  system.touch(2, 9, 4);
  EXPECT_EQ(solver.islands().count(), 1u);
  ASSERT_EQ(solver.solve(start, accuracy, marked), ContactSolver::Result::kConverged);
  ASSERT_EQ(system.dense->solve(start), ContactSolver::Result::kConverged);
  EXPECT_LE((solver.step() - system.dense->step()).norm(), 1e-6 * before.norm());
}

TEST(ContactSolver, names_the_block_that_is_not_finite) {
  ManyBodies system(9);
  for (const std::uint32_t block : {0u, 3u}) {
    system.fill();
    for (int i = 0; i < 12; ++i) system.touch(3);
    ASSERT_EQ(system.sparse->solve(), ContactSolver::Result::kConverged);
    EXPECT_EQ(system.sparse->failed_block(), ContactSolver::kNoBlock);
    system.fill();
    system.sparse->load()[system.firsts[block] + 1] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(system.sparse->solve(), ContactSolver::Result::kNotFinite);
    EXPECT_EQ(system.sparse->failed_block(), block);
    EXPECT_EQ(system.sparse->step().norm(), 0.0);
  }
}

TEST(ContactSolver, a_bound_shows_convergence_without_a_factorisation) {
  ManyBodies system(11);
  int spared = 0;
  for (int round = 0; round < 40; ++round) {
    system.sparse->reset();
    system.fill();
    for (int i = 0; i < 4; ++i) system.touch(2);
    ASSERT_EQ(system.sparse->solve(), ContactSolver::Result::kConverged);
    EXPECT_LE(system.sparse->factorisations(), system.sparse->iterations() + 1);
    spared += system.sparse->factorisations() == system.sparse->iterations() ? 1 : 0;
  }
  EXPECT_GE(spared, 30);  // in every island
}

// As a step uses it: a guess, a prediction with more contacts, then the solution.
TEST(ContactSolver, predictions_lead_to_the_same_solution) {
  using Accuracy = ContactSolver::Accuracy;
  using Start = ContactSolver::Start;
  using Result = ContactSolver::Result;
  ManyBodies system(7);
  for (int round = 0; round < 40; ++round) {
    system.fill();
    for (int i = 0; i < 12; ++i) system.touch(3);
    ContactSolver& staged = *system.sparse;
    ASSERT_NE(staged.solve(Start::kNew, Accuracy::kGuess), Result::kNotFinite);
    EXPECT_LE(staged.iterations(), 1u);
    for (int i = 0; i < 6; ++i) system.touch(2);
    const Result predicted = staged.solve(Start::kLast, Accuracy::kPredicts);
    ASSERT_NE(predicted, Result::kNotFinite);
    ASSERT_EQ(system.dense->solve(), Result::kConverged);
    const Eigen::VectorXd& x = system.dense->step();
    // 1e-4 in the norm of the energy, with a condition of 1e4 of the system. A prediction that
    // stops early is continued by the solution.
    if (predicted == Result::kConverged) {
      EXPECT_LE((staged.step() - x).norm(), 1e-2 * x.norm()) << round;
    }
    ASSERT_EQ(staged.solve(Start::kLast), Result::kConverged);
    EXPECT_LE((staged.step() - x).norm(), 1e-6 * x.norm()) << round;
    // The solution of one step is the start of the next.
    ASSERT_EQ(staged.solve(Start::kLast), Result::kConverged);
    EXPECT_EQ(staged.iterations(), 0u);
    staged.reset();
    EXPECT_EQ(staged.step().norm(), 0.0);
  }
}

TEST(ContactSolver, an_indefinite_body_among_others_moves_to_its_stationary_point) {
  ManyBodies system(8);
  system.fill();
  for (ContactSolver* solver : {&*system.sparse, &*system.dense}) {
    solver->matrix()(system.firsts[5] + 2, system.firsts[5] + 2) -= 40.0;
  }
  ASSERT_EQ(system.sparse->solve(), ContactSolver::Result::kConverged);
  ASSERT_EQ(system.dense->solve(), ContactSolver::Result::kConverged);
  EXPECT_LE((system.sparse->step() - system.dense->step()).norm(),
            1e-10 * system.dense->step().norm());
}

TEST(ContactSolver, solving_blocks_never_allocates) {
  ManyBodies system(6);
  system.fill();
  for (int i = 0; i < 12; ++i) system.touch(3);
  NoAllocation guard;
  EXPECT_EQ(system.sparse->solve(), ContactSolver::Result::kConverged);
}

}  // namespace
}  // namespace haptic
