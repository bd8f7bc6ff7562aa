#include "rt/dynamics/symmetric_kernels.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <vector>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/aligned_vector.h"
#include "tests/rt/dynamics/simd_targets.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// A symmetric matrix as the kernels want it, and their working memory.
struct Kernel {
  Kernel(const Eigen::MatrixXd& matrix, SimdTarget target)
      : kernels(symmetric_kernels(target)),
        rows(static_cast<std::size_t>(matrix.rows())),
        stride((rows + 7) / 8 * 8),
        values(rows * stride, 0.0),
        // Nothing may be taken from working memory.
        work(solve_work(stride), std::numeric_limits<double>::quiet_NaN()) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        values[i * stride + j] = (i == j ? 0.5 : 1.0) *
                                 matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      }
    }
  }
  HalvedTriangle triangle() const { return {values.data(), rows, stride}; }
  AlignedVector<double> padded(const Eigen::VectorXd& x) const {
    AlignedVector<double> to(stride, 0.0);
    std::copy(x.begin(), x.end(), to.begin());
    return to;
  }
  Eigen::VectorXd unpadded(const AlignedVector<double>& x) const {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(rows));
  }

  const SymmetricKernels& kernels;
  std::size_t rows, stride;
  AlignedVector<double> values, work;
};

Eigen::MatrixXd random_symmetric(Eigen::Index r) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
  return half + half.transpose();
}

class SymmetricKernelsOn : public testing::TestWithParam<SimdTarget> {};

TEST_P(SymmetricKernelsOn, product_is_the_full_matrix_times_the_vector) {
  for (Eigen::Index r = 1; r <= 65; ++r) {
    const Eigen::MatrixXd H = random_symmetric(r);
    Kernel kernel(H, GetParam());
    const Eigen::VectorXd x = random_state(static_cast<std::uint32_t>(r), 3);
    const AlignedVector<double> from = kernel.padded(x);
    AlignedVector<double> y(kernel.stride, 1.0);
    {
      NoAllocation guard;
      kernel.kernels.product(kernel.triangle(), from.data(), y.data(), kernel.work.data());
    }
    EXPECT_LE((kernel.unpadded(y) - H * x).norm(), 1e-14 * static_cast<double>(r)) << "r = " << r;
  }
}

// Leading parts too, as K is one of the Hessian; nothing behind the last row is written.
TEST_P(SymmetricKernelsOn, unpack_is_the_full_matrix) {
  for (Eigen::Index r = 1; r <= 34; ++r) {
    const Eigen::MatrixXd H = random_symmetric(r);
    Kernel kernel(H, GetParam());
    for (Eigen::Index count : {r, r - 1}) {
      const auto size = static_cast<std::size_t>(count * count);
      std::vector<double> full(size + 1, 7.0);
      {
        NoAllocation guard;
        kernel.kernels.unpack(kernel.triangle(), static_cast<std::size_t>(count), full.data());
      }
      const Eigen::Map<const Eigen::MatrixXd> unpacked(full.data(), count, count);
      EXPECT_EQ(unpacked, H.topLeftCorner(count, count)) << r << " " << count;
      EXPECT_EQ(full.back(), 7.0) << r << " " << count;
    }
  }
}

TEST_P(SymmetricKernelsOn, solve_is_backward_stable) {
  for (Eigen::Index r = 1; r <= 64; ++r) {
    const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
    const Eigen::MatrixXd H = half * half.transpose();
    Kernel kernel(H, GetParam());
    const double scale = 1.7, shift = 0.01;
    const Eigen::MatrixXd A = scale * H + shift * Eigen::MatrixXd::Identity(r, r);
    const Eigen::VectorXd b = random_state(static_cast<std::uint32_t>(r), 4);
    AlignedVector<double> x = kernel.padded(b);
    bool solved = false;
    {
      NoAllocation guard;
      solved = kernel.kernels.solve(kernel.triangle(), scale, shift, x.data(), kernel.work.data());
    }
    ASSERT_TRUE(solved) << "r = " << r;
    // Cholesky's bound: a small multiple of r eps |A| |x|.
    const Eigen::VectorXd z = kernel.unpadded(x);
    EXPECT_LE((A * z - b).norm(), 1e-15 * static_cast<double>(r) * A.norm() * z.norm());
  }
}

TEST_P(SymmetricKernelsOn, indefinite_singular_and_not_finite_are_refused) {
  for (Eigen::Index r : {2, 7, 8, 9, 30}) {
    for (Eigen::Index bad = 0; bad < r; ++bad) {
      for (double pivot : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
        Eigen::MatrixXd H = Eigen::MatrixXd::Identity(r, r);
        H(bad, bad) = pivot;
        Kernel kernel(H, GetParam());
        AlignedVector<double> x = kernel.padded(Eigen::VectorXd::Ones(r));
        EXPECT_FALSE(
            kernel.kernels.solve(kernel.triangle(), 1.0, 0.0, x.data(), kernel.work.data()))
            << "r = " << r << ", pivot " << bad << " = " << pivot;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SymmetricKernelsOn, testing::ValuesIn(supported_simd_targets()),
                         [](const auto& target) { return std::string(name_of(target.param)); });

}  // namespace
}  // namespace haptic
