#include "host/fem/sparse_factorization.h"

#include <cholmod.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "shared/error.h"

namespace haptic {
namespace {

// View on an Eigen matrix; CHOLMOD reads the upper triangle of a symmetric matrix.
cholmod_sparse view_of(const SparseMatrix& A) {
  cholmod_sparse view{};
  view.nrow = static_cast<std::size_t>(A.rows());
  view.ncol = static_cast<std::size_t>(A.cols());
  view.nzmax = static_cast<std::size_t>(A.nonZeros());
  view.p = const_cast<int*>(A.outerIndexPtr());
  view.i = const_cast<int*>(A.innerIndexPtr());
  view.x = const_cast<double*>(A.valuePtr());
  view.stype = 1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

cholmod_dense view_of(const Eigen::Ref<const Eigen::MatrixXd>& B) {
  cholmod_dense view{};
  view.nrow = static_cast<std::size_t>(B.rows());
  view.ncol = static_cast<std::size_t>(B.cols());
  view.d = static_cast<std::size_t>(B.outerStride());
  view.nzmax = view.d * view.ncol;
  view.x = const_cast<double*>(B.data());
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  return view;
}

// Pattern of the graph of vertices, one entry per block x block entries of A.
SparseMatrix block_pattern(const SparseMatrix& A, int block) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < A.cols(); c += block) {
    int last = -1;
    for (SparseMatrix::InnerIterator it(A, c); it; ++it) {
      const int row = static_cast<int>(it.row()) / block;
      if (row != last) entries.emplace_back(row, c / block, 1.0);
      last = row;
    }
  }
  SparseMatrix pattern(A.rows() / block, A.cols() / block);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return pattern;
}

}  // namespace

struct SparseFactorization::Impl {
  explicit Impl(Options wanted) : options(std::move(wanted)) {
    cholmod_start(&common);
    common.print = 0;  // failures are exceptions here
    common.try_catch = 1;
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw OperationError(fmt::format("{}: {}", options.name, what));
  }

  void analyze(const SparseMatrix& A);
  void factorize(const SparseMatrix& A);
  Eigen::MatrixXd solve(int system, const Eigen::Ref<const Eigen::MatrixXd>& B);

  Options options;
  cholmod_common common{};
  cholmod_factor* factor = nullptr;
  int size = 0;
  int negative_pivots = 0;
};

void SparseFactorization::Impl::analyze(const SparseMatrix& A) {
  size = static_cast<int>(A.rows());
  const bool is_cholesky = options.kind == Kind::kCholesky;
  common.supernodal = is_cholesky ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
  common.final_ll = is_cholesky ? 1 : 0;
  cholmod_sparse view = view_of(A);
  if (options.block > 1 && A.rows() % options.block == 0) {
    const SparseMatrix pattern = block_pattern(A, options.block);
    cholmod_sparse pattern_view = view_of(pattern);
    std::vector<int> vertex_order(static_cast<std::size_t>(pattern.rows()));
    if (!cholmod_metis(&pattern_view, nullptr, 0, 1, vertex_order.data(), &common)) {
      fail("the ordering failed (out of memory)");
    }
    std::vector<int> order;
    order.reserve(static_cast<std::size_t>(A.rows()));
    for (const int v : vertex_order) {
      for (int d = 0; d < options.block; ++d) order.push_back(v * options.block + d);
    }
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    factor = cholmod_analyze_p(&view, order.data(), nullptr, 0, &common);
  } else {
    factor = cholmod_analyze(&view, &common);
  }
  if (factor == nullptr) fail("the factor does not fit (out of memory or beyond 2^31 entries)");
}

void SparseFactorization::Impl::factorize(const SparseMatrix& A) {
  cholmod_sparse view = view_of(A);
  const int done = cholmod_factorize(&view, factor, &common);
  if (common.status == CHOLMOD_NOT_POSDEF || (done && factor->minor < factor->n)) {
    fail(fmt::format("{} (column {} of {})",
                     options.kind == Kind::kCholesky ? "not positive definite" : "singular",
                     factor->minor, factor->n));
  }
  if (!done || common.status < CHOLMOD_OK) fail("the factorisation failed (out of memory)");
  negative_pivots = 0;
  if (options.kind == Kind::kLdlt) {
    const int* column = static_cast<const int*>(factor->p);
    const double* values = static_cast<const double*>(factor->x);
    for (std::size_t j = 0; j < factor->n; ++j) {
      const double pivot = values[column[j]];
      if (!std::isfinite(pivot) || pivot == 0.0) fail("singular");
      if (pivot < 0.0) ++negative_pivots;
    }
  }
}

Eigen::MatrixXd SparseFactorization::Impl::solve(int system,
                                                 const Eigen::Ref<const Eigen::MatrixXd>& B) {
  cholmod_dense view = view_of(B);
  // A solve reads the factor; what it writes is here, so that several may run at once.
  cholmod_common local;
  cholmod_start(&local);
  local.print = 0;
  local.try_catch = 1;
  cholmod_dense* x = cholmod_solve(system, factor, &view, &local);
  if (x == nullptr) {
    cholmod_finish(&local);
    fail("the solve failed (out of memory)");
  }
  Eigen::MatrixXd result = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
      static_cast<const double*>(x->x), B.rows(), B.cols(),
      Eigen::OuterStride<>(static_cast<Eigen::Index>(x->d)));
  cholmod_free_dense(&x, &local);
  cholmod_finish(&local);
  return result;
}

SparseFactorization::SparseFactorization(const SparseMatrix& A, Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {
  if (A.rows() != A.cols() || A.rows() == 0 || !A.isCompressed()) {
    impl_->fail("not a compressed square matrix");
  }
  impl_->analyze(A);
  impl_->factorize(A);
}

SparseFactorization::SparseFactorization(SparseFactorization&&) noexcept = default;
SparseFactorization& SparseFactorization::operator=(SparseFactorization&&) noexcept = default;
SparseFactorization::~SparseFactorization() = default;

void SparseFactorization::refactorize(const SparseMatrix& A) {
  if (A.rows() != impl_->size || !A.isCompressed()) impl_->fail("the size has changed");
  impl_->factorize(A);
}

int SparseFactorization::size() const {
  return impl_->size;
}

double SparseFactorization::factor_entries() const {
  return impl_->common.lnz;
}

int SparseFactorization::negative_pivots() const {
  return impl_->negative_pivots;
}

double SparseFactorization::reciprocal_condition() const {
  return cholmod_rcond(impl_->factor, &impl_->common);
}

Eigen::MatrixXd SparseFactorization::solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const {
  if (B.rows() != impl_->size) impl_->fail("the right-hand side has another size");
  return impl_->solve(CHOLMOD_A, B);
}

}  // namespace haptic
