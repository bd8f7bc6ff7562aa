#include "host/reduction/lobpcg.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "host/parallel/parallel_ranges.h"
#include "host/reduction/fixed_block.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using MatrixView = Eigen::Ref<const MatrixXd>;
using BlockMap = std::function<MatrixXd(const MatrixXd&)>;

constexpr Index kChunk = 4096;  // rows

/// body(chunk, first row, rows)
template <typename Body>
void for_each_chunk(Index rows, const Body& body) {
  const auto chunks = static_cast<std::size_t>((rows + kChunk - 1) / kChunk);
  parallel_ranges(chunks, 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t c = from; c != to; ++c) {
      const Index first = static_cast<Index>(c) * kChunk;
      body(c, first, std::min(kChunk, rows - first));
    }
  });
}

/// A^T B, the same bits for any number of threads.
MatrixXd gram(const MatrixView& A, const MatrixView& B) {
  std::vector<MatrixXd> parts(static_cast<std::size_t>((A.rows() + kChunk - 1) / kChunk));
  for_each_chunk(A.rows(), [&](std::size_t c, Index first, Index rows) {
    parts[c].noalias() = A.middleRows(first, rows).transpose() * B.middleRows(first, rows);
  });
  MatrixXd sum = MatrixXd::Zero(A.cols(), B.cols());
  for (const MatrixXd& part : parts) sum += part;
  return sum;
}

/// The first columns of A become A X.
void combine(const MatrixXd& X, Index used, MatrixXd& A) {
  for_each_chunk(A.rows(), [&](std::size_t, Index first, Index rows) {
    const MatrixXd old = A.block(first, 0, rows, used);
    A.block(first, 0, rows, X.cols()).noalias() = old * X;
  });
}

/// Columns and their products with M.
struct Block {
  MatrixXd v, mass_v;
};

/// Both -= those of a view times X
void subtract(const MatrixView& v, const MatrixView& mass_v, Block& from) {
  if (v.cols() == 0) return;
  const MatrixXd parts = gram(v, from.mass_v);
  for_each_chunk(v.rows(), [&](std::size_t, Index first, Index rows) {
    from.v.middleRows(first, rows).noalias() -= v.middleRows(first, rows) * parts;
    from.mass_v.middleRows(first, rows).noalias() -= mass_v.middleRows(first, rows) * parts;
  });
}

/// Combines the columns to M-orthonormal ones; directions that vanish beside the others are
/// dropped.
void make_orthonormal(Block& W) {
  constexpr double kDropped = 1e-13;
  const MatrixXd G = gram(W.v, W.mass_v);
  const VectorXd size = G.diagonal().cwiseMax(0.0).cwiseSqrt();
  const VectorXd inverse = (size.array() > 0.0).select(size.cwiseInverse(), 0.0);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> values(inverse.asDiagonal() * G *
                                                       inverse.asDiagonal());
  const VectorXd& squares = values.eigenvalues();
  const Index kept = (squares.array() > kDropped * squares[squares.size() - 1]).count();
  const MatrixXd T = inverse.asDiagonal() * values.eigenvectors().rightCols(kept) *
                     squares.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  for (MatrixXd* of : {&W.v, &W.mass_v}) {
    combine(T, of->cols(), *of);
    of->conservativeResize(Eigen::NoChange, kept);
  }
}

/// Columns without their parts in two M-orthonormal blocks, M-orthonormal.
Block orthonormalised(MatrixXd v, const Block& known, const MatrixView& space,
                      const MatrixView& mass_space, const BlockMap& multiply_mass) {
  Block W{std::move(v), {}};
  // Each pass takes away what rounding of the one before left; products with M that were combined
  // with the columns are exact enough for one pass.
  for (int pass = 0; pass < 3 && W.v.cols() > 0; ++pass) {
    if (pass < 2) W.mass_v = multiply_mass(W.v);
    subtract(known.v, known.mass_v, W);
    subtract(space, mass_space, W);
    make_orthonormal(W);
  }
  return W;
}

/// Coefficients of the next directions: what C has beyond the first `m` rows, orthonormal and
/// orthogonal to C.
MatrixXd next_directions(const MatrixXd& C, Index m) {
  MatrixXd D = C;
  D.topRows(m).setZero();
  D -= C * (C.transpose() * D).eval();
  D -= C * (C.transpose() * D).eval();
  Eigen::ColPivHouseholderQR<MatrixXd> qr(D);
  qr.setThreshold(1e-12);
  const Index rank = qr.rank();
  return MatrixXd(qr.householderQ() * MatrixXd::Identity(D.rows(), rank));
}

[[noreturn]] void fail(const std::string& what) {
  throw OperationError(fmt::format(
      "linear modes: {}: is there a part of the mesh that can move without strain?", what));
}

}  // namespace

SystemModes lobpcg(const PreconditionedOperator& A, const BlockMap& multiply_mass,
                   const MatrixXd& known_columns, int k, const Progress& progress) {
  constexpr int kMaxIterations = 300, kPatience = 15;
  constexpr std::uint64_t kMaxTrials = 8, kSeed = 20050731;
  constexpr double kTolerance = 1e-9, kFloor = 1e-7;
  constexpr Index kGuard = 4;  // columns beyond k
  constexpr Index kGroup = 8;  // columns that are preconditioned at once
  const Index n = A.size();
  const Block known{known_columns, multiply_mass(known_columns)};
  const Index m = std::min((k + kGuard + kGroup - 1) / kGroup * kGroup, n - known.v.cols());
  SystemModes result;
  // [X, P, W] and its images
  MatrixXd S(n, 3 * m), AS(n, 3 * m), MS(n, 3 * m);
  Index started = 0;
  // A mode that is far softer than the others hides them: what is left is found beside it.
  for (std::uint64_t trial = 0; started < m && trial < kMaxTrials; ++trial) {
    const MatrixXd some =
        fixed_block(static_cast<int>(n), static_cast<int>(m - started), kSeed + trial);
    result.solves += static_cast<int>(some.cols());
    const Block more = orthonormalised(A.precondition(multiply_mass(some)), known,
                                       S.leftCols(started), MS.leftCols(started), multiply_mass);
    S.middleCols(started, more.v.cols()) = more.v;
    MS.middleCols(started, more.v.cols()) = more.mass_v;
    started += more.v.cols();
  }
  if (started < m) fail("no start vectors");
  AS.leftCols(m) = A.multiply(S.leftCols(m));
  Index directions = 0;  // columns of P
  VectorXd lambda(m);
  double best = std::numeric_limits<double>::infinity(), first_error = 0.0;
  int last_improved = 0;
  {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(gram(S.leftCols(m), AS.leftCols(m)));
    lambda = ritz.eigenvalues();
    for (MatrixXd* of : {&S, &AS, &MS}) combine(ritz.eigenvectors(), m, *of);
  }
  for (int iteration = 1; iteration <= kMaxIterations; ++iteration) {
    const MatrixXd R = AS.leftCols(m) - MS.leftCols(m) * lambda.asDiagonal();
    MatrixXd W = A.precondition(R);
    result.solves += static_cast<int>(m);
    const VectorXd errors =
        (R.cwiseProduct(W).colwise().sum().transpose().cwiseAbs().cwiseQuotient(lambda.cwiseAbs()))
            .cwiseSqrt();
    const double error = errors.head(k).maxCoeff();
    if (error < 0.5 * best) {
      best = error;
      last_improved = iteration;
    }
    if (iteration == 1) first_error = std::max(error, 2.0 * kTolerance);
    if (progress) {
      progress(
          std::clamp(std::log(first_error / best) / std::log(first_error / kTolerance), 0.0, 1.0));
    }
    const bool at_floor = best <= kFloor && iteration - last_improved >= kPatience;
    if (error <= kTolerance || at_floor) {
      result.eigenvalues = lambda.head(k);
      result.shapes = S.leftCols(k);
      return result;
    }
    const Index old = m + directions;
    const Block added =
        orthonormalised(std::move(W), known, S.leftCols(old), MS.leftCols(old), multiply_mass);
    const Index used = old + added.v.cols();
    S.middleCols(old, added.v.cols()) = added.v;
    AS.middleCols(old, added.v.cols()) = A.multiply(added.v);
    MS.middleCols(old, added.v.cols()) = added.mass_v;
    MatrixXd H = gram(S.leftCols(used), AS.leftCols(used));
    H = 0.5 * (H + H.transpose()).eval();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(H);
    lambda = ritz.eigenvalues().head(m);
    const MatrixXd C = ritz.eigenvectors().leftCols(m);
    const MatrixXd D = next_directions(C, m);
    MatrixXd both(used, m + D.cols());
    both << C, D;
    for (MatrixXd* of : {&S, &AS, &MS}) combine(both, used, *of);
    directions = D.cols();
  }
  fail(fmt::format("{} modes not converged after {} iterations, relative error {:.1e}", k,
                   kMaxIterations, best));
}

}  // namespace haptic
