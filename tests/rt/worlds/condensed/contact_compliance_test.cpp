#include "rt/worlds/condensed/contact_compliance.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <random>
#include <vector>

#include "shared/error.h"
#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

Eigen::MatrixXd dense(const SymmetricView& S) {
  const auto n = static_cast<Eigen::Index>(S.rows);
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) matrix(i, j) = S(std::size_t(i), std::size_t(j));
  }
  return matrix;
}

/// Points all over the surface, not at the support.
std::vector<ContactRow> some_rows(const CondensedModel& model, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> triangle(0, model.triangle_count() - 1);
  std::vector<ContactRow> rows;
  while (rows.size() < count) {
    const ContactRow row = row_in_triangle(model, triangle(random), std::array{0.3, 0.45, 0.25});
    if (row.free_share() > 0.99) rows.push_back(row);
  }
  return rows;
}

void expect_same_bits(const ContactCompliance& a, const ContactCompliance& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(dense(a.matrix()), dense(b.matrix()));
  EXPECT_EQ(a.scale(), b.scale());
  for (std::size_t mode = 0; mode < a.modes(); ++mode) {
    const auto of_a = a.contact_mode(mode), of_b = b.contact_mode(mode);
    EXPECT_TRUE(std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end()));
  }
  for (std::size_t i = 0; i < 3 * a.size(); ++i) {
    const auto of_a = a.response(i / 3, i % 3), of_b = b.response(i / 3, i % 3);
    EXPECT_TRUE(std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end()));
  }
}

class CompliancePrecision : public testing::TestWithParam<bool> {};

/// 1e-13 of the largest entry: sums of 24 x 24 products of double numbers, whichever precision C
/// is stored in.
TEST_P(CompliancePrecision, matrix_is_that_of_dense_products) {
  const CondensedBlock block({.single_precision = GetParam()});
  const CondensedModel model = block.model();
  for (const int m : {0, 1, 12, 30}) {
    ContactCompliance contacts(model, std::size_t(m), 6);
    const std::vector<ContactRow> rows = some_rows(model, 6, 3);
    for (const ContactRow& row : rows) ASSERT_TRUE(contacts.add(row));
    const Eigen::MatrixXd H = block.H(rows), expected = H * block.C2(m) * H.transpose();
    const Eigen::MatrixXd S = dense(contacts.matrix());
    EXPECT_LT((S - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff()) << m;
    EXPECT_EQ(S, Eigen::MatrixXd(S.transpose()));
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(S).eigenvalues()[0], 0.0);
    EXPECT_NEAR(contacts.scale(), (H * block.C * H.transpose()).diagonal().maxCoeff(),
                1e-13 * contacts.scale());
  }
}

/// The displacement of all nodes is that of the dense product, 1e-12, and one node has the bits of
/// the whole. The cost is 3c + m rows of s values: no other element of C is read.
TEST_P(CompliancePrecision, selective_product_equals_the_dense_one) {
  const CondensedBlock block({.single_precision = GetParam()});
  const CondensedModel model = block.model();
  constexpr int kModes = 7;
  ContactCompliance contacts(model, kModes, 5);
  const std::vector<ContactRow> rows = some_rows(model, 5, 4);
  for (const ContactRow& row : rows) ASSERT_TRUE(contacts.add(row));
  const Eigen::MatrixXd H = block.H(rows);
  const Eigen::VectorXd q = Eigen::VectorXd::Random(kModes), f = Eigen::VectorXd::Random(15);
  const Eigen::VectorXd expected = block.U.leftCols(kModes) * q + block.C * (H.transpose() * f);
  std::vector<double> u(model.dof());
  const std::span<const double> of_q(q.data(), kModes), of_f(f.data(), 15);
  contacts.displacement(of_q, of_f, u);
  const Eigen::Map<const Eigen::VectorXd> found(u.data(), block.dof());
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  for (std::uint32_t node = 0; node < model.dof() / 3; ++node) {
    const auto one = contacts.displacement_of_node(of_q, of_f, node);
    for (std::size_t axis = 0; axis < 3; ++axis) ASSERT_EQ(one[axis], u[3 * node + axis]);
  }
  std::vector<double> at_contacts(15), forces(kModes);
  contacts.modal_displacement(of_q, at_contacts);
  contacts.modal_force(of_f, forces);
  const Eigen::MatrixXd HU = H * block.U.leftCols(kModes);
  EXPECT_LT((Eigen::Map<Eigen::VectorXd>(at_contacts.data(), 15) - HU * q).norm(),
            1e-13 * (HU * q).norm());
  EXPECT_LT((Eigen::Map<Eigen::VectorXd>(forces.data(), kModes) - HU.transpose() * f).norm(),
            1e-13 * (HU.transpose() * f).norm());
}

INSTANTIATE_TEST_SUITE_P(Precision, CompliancePrecision, testing::Bool());

/// Contacts come, move and go in a random order; after each change the state has the bits of one
/// that was filled with the same list at once.
TEST(ContactCompliance, the_matrix_depends_on_the_list_of_contacts_alone) {
  const CondensedBlock block({.edge_count = 3, .single_precision = true});
  const CondensedModel model = block.model();
  const std::vector<ContactRow> rows = some_rows(model, 40, 9);
  constexpr std::size_t kCapacity = 7;
  ContactCompliance contacts(model, 11, kCapacity), fresh(model, 11, kCapacity);
  std::vector<ContactRow> list;
  std::mt19937 random(2);
  for (int change = 0; change < 200; ++change) {
    const ContactRow& row = rows[random() % rows.size()];
    const std::size_t i = list.empty() ? 0 : random() % list.size();
    switch (list.empty() ? 0 : random() % 3) {
      case 0:
        ASSERT_EQ(contacts.add(row), list.size() < kCapacity);
        if (list.size() < kCapacity) list.push_back(row);
        break;
      case 1:
        contacts.replace(i, row);
        list[i] = row;
        break;
      default:
        contacts.remove(i);
        list.erase(list.begin() + std::ptrdiff_t(i));
    }
    fresh.clear();
    for (const ContactRow& each : list) ASSERT_TRUE(fresh.add(each));
    for (std::size_t k = 0; k < list.size(); ++k) ASSERT_TRUE(contacts.row(k) == list[k]);
    ASSERT_NO_FATAL_FAILURE(expect_same_bits(contacts, fresh)) << change;
  }
}

TEST(ContactCompliance, refuses_contacts_beyond_its_capacity) {
  const CondensedBlock block({.edge_count = 2});
  const CondensedModel model = block.model();
  ContactCompliance contacts(model, 0, 1);
  const ContactRow row = row_of_vertex(model, block.vertex_at(0.05, 0.05, 0.1));
  EXPECT_TRUE(contacts.add(row));
  EXPECT_FALSE(contacts.add(row));
  EXPECT_EQ(contacts.size(), 1u);
}

/// C (U2 U2^T), with U2 the Euclidean complement of U1, is C2 only for a uniform mass and without
/// condensation. Otherwise it is not symmetric and differs by percents.
TEST(ContactCompliance, the_euclidean_complement_is_another_matrix) {
  const auto error_and_asymmetry = [](const BlockSettings& settings) {
    const CondensedBlock block(settings);
    constexpr int kModes = 10;
    const Eigen::MatrixXd U1 = block.U.leftCols(kModes);
    const Eigen::MatrixXd gram = U1.transpose() * U1;
    const Eigen::MatrixXd projector =
        Eigen::MatrixXd::Identity(block.dof(), block.dof()) - U1 * gram.inverse() * U1.transpose();
    const Eigen::MatrixXd published = block.C * projector, C2 = block.C2(kModes);
    return std::pair{(published - C2).norm() / C2.norm(),
                     (published - published.transpose()).norm() / published.norm()};
  };
  const auto [exact, symmetric] =
      error_and_asymmetry({.keep_interior = true, .uniform_mass = true});
  EXPECT_LT(exact, 1e-9);
  EXPECT_LT(symmetric, 1e-9);
  for (const BlockSettings& settings : {BlockSettings{.keep_interior = true}, BlockSettings{},
                                        BlockSettings{.uniform_mass = true}}) {
    const auto [error, asymmetry] = error_and_asymmetry(settings);
    EXPECT_GT(error, 0.002);
    EXPECT_GT(asymmetry, 0.002);
  }
}

TEST(ContactCompliance, changes_do_not_allocate) {
  const CondensedBlock block({.edge_count = 3});
  const CondensedModel model = block.model();
  const std::vector<ContactRow> rows = some_rows(model, 5, 9);
  ContactCompliance contacts(model, 11, 3);
  std::vector<double> u(model.dof()), q(11, 1.0), f(9, 1.0);
  const NoAllocation guard;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(contacts.add(rows[std::size_t(i)]));
  contacts.replace(1, rows[3]);
  contacts.displacement(q, f, u);
  contacts.remove(0);
  EXPECT_TRUE(contacts.add(rows[4]));
  contacts.clear();
}

TEST(ContactCompliance, what_does_not_fit_is_refused_by_name) {
  const CondensedBlock block({.edge_count = 2});
  const CondensedModel good = block.model();
  const auto message = [](const CondensedModel& model, std::size_t modes, std::size_t capacity) {
    try {
      const ContactCompliance contacts(model, modes, capacity);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message(good, 54, 1), "none");
  EXPECT_EQ(message(good, 55, 1),
            "condensed body: modes: found 55, expected 0 to 54, the modes of the model");
  EXPECT_EQ(message(good, 1, 0),
            "condensed body: contacts: found 0, expected room for at least 1 contact");
  CondensedModel bad = good;
  bad.compliance.full = bad.compliance.full.first(100);
  EXPECT_EQ(message(bad, 1, 1), "condensed model: compliance: found 100 values, expected 2916");
  bad = good;
  bad.modes = bad.modes.first(100);
  EXPECT_EQ(message(bad, 1, 1), "condensed model: modes: found 100 values, expected 2916");
  bad = good;
  bad.embedding_weights = bad.embedding_weights.first(8);
  EXPECT_NE(message(bad, 1, 1).find("embedding/weights: found 8 values"), std::string::npos);
  std::vector<double> eigenvalues(good.eigenvalues.begin(), good.eigenvalues.end());
  eigenvalues[0] = 0.0;
  bad = good;
  bad.eigenvalues = eigenvalues;
  EXPECT_EQ(message(bad, 1, 1),
            "condensed model: eigenvalues: found 0 for mode 0, expected a number > 0 [1/s^2]");
}

}  // namespace
}  // namespace haptic::condensed
