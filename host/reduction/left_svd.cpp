#include "host/reduction/left_svd.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <vector>

#include "shared/error.h"

// LAPACK's singular value decomposition by divide and conquer. That of Eigen takes half a minute to
// compile.
extern "C" void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda,
                        double* s, double* u, const int* ldu, double* vt, const int* ldvt,
                        double* work, const int* lwork, int* iwork, int* info,
                        std::size_t job_length);

namespace haptic {
namespace {

struct Decomposed {
  Eigen::MatrixXd left;
  Eigen::VectorXd values;
};

Decomposed decompose(Eigen::MatrixXd A) {
  const auto m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
  const int least = std::min(m, n);
  Decomposed result{Eigen::MatrixXd(m, least), Eigen::VectorXd(least)};
  Eigen::MatrixXd right(least, n);
  std::vector<int> integers(8 * static_cast<std::size_t>(least));
  std::vector<double> work(1);
  int size = -1, info = 0;
  const auto call = [&] {
    dgesdd_("S", &m, &n, A.data(), &m, result.values.data(), result.left.data(), &m, right.data(),
            &least, work.data(), &size, integers.data(), &info, 1);
  };
  call();  // only asks for the size of `work`
  if (!(work[0] <= std::numeric_limits<int>::max())) {
    throw OperationError(fmt::format("{} x {} values are too many for LAPACK", m, n));
  }
  size = static_cast<int>(work[0]);
  work.resize(static_cast<std::size_t>(size));
  call();
  if (info != 0) {
    throw OperationError(
        fmt::format("the singular value decomposition of {} x {} values did not converge", m, n));
  }
  return result;
}

}  // namespace

LeftSvd left_svd(const Eigen::MatrixXd& Z, int wanted, double threshold) {
  // LAPACK would begin so, too; the time of Eigen's QR does not depend on the installed BLAS.
  const bool is_tall = Z.rows() > Z.cols();
  Eigen::HouseholderQR<Eigen::MatrixXd> qr;
  Eigen::MatrixXd small = Z;
  if (is_tall) {
    qr.compute(Z);
    small = qr.matrixQR().topRows(Z.cols()).triangularView<Eigen::Upper>();
  }
  const Decomposed svd = decompose(std::move(small));
  const auto rank = (svd.values.array() > threshold * svd.values[0]).count();
  const Eigen::Index kept = std::min<Eigen::Index>(wanted, rank);
  LeftSvd result{Eigen::MatrixXd(svd.left.leftCols(kept)), svd.values};
  if (is_tall) {
    result.vectors = Eigen::MatrixXd::Zero(Z.rows(), kept);
    result.vectors.topRows(Z.cols()) = svd.left.leftCols(kept);
    result.vectors.applyOnTheLeft(qr.householderQ());
  }
  return result;
}

}  // namespace haptic
