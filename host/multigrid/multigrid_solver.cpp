#include "host/multigrid/multigrid_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/parallel/parallel_ranges.h"
#include "shared/error.h"

namespace haptic {
namespace {

using LaneValues = LaneVector<double>;
template <typename T>
using Row = Eigen::Map<LaneVector<T>>;
template <typename T>
using ConstRow = Eigen::Map<const LaneVector<T>>;

/// body(from, to, sums) over ranges of the scalar rows, with sums of each lane that do not depend
/// on the number of threads.
template <std::size_t kSums, typename Body>
std::array<LaneValues, kSums> over_rows(Eigen::Index rows, const Body& body) {
  constexpr Eigen::Index kChunk = 4096;
  const auto chunks = static_cast<std::size_t>((rows + kChunk - 1) / kChunk);
  std::array<LaneValues, kSums> zero;
  zero.fill(LaneValues::Zero());
  std::vector<std::array<LaneValues, kSums>> parts(chunks, zero);
  parallel_ranges(chunks, 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t c = from; c != to; ++c) {
      const Eigen::Index first = static_cast<Eigen::Index>(c) * kChunk;
      for (Eigen::Index row = first; row < std::min(first + kChunk, rows); ++row) {
        body(row * kLanes, parts[c]);
      }
    }
  });
  for (const auto& part : parts) {
    for (std::size_t s = 0; s < kSums; ++s) zero[s] += part[s];
  }
  return zero;
}

/// R over `scale`.
void to_single(const Lanes<double>& R, const LaneValues& scale, Lanes<float>& single) {
  const LaneValues inverse = scale.inverse();
  over_rows<0>(R.rows(), [&](Eigen::Index at, auto&) {
    const LaneValues r = ConstRow<double>(R.data() + at) * inverse;
    Row<float>(single.data() + at) = r.cast<float>();
  });
}

/// Columns in groups of kLanes: map(group, image of the group).
template <typename Map>
Eigen::MatrixXd by_lanes(const Eigen::Ref<const Eigen::MatrixXd>& columns, const Map& map) {
  Eigen::MatrixXd result(columns.rows(), columns.cols());
  Lanes<double> group(columns.rows(), kLanes), image(columns.rows(), kLanes);
  for (Eigen::Index c = 0; c < columns.cols(); c += kLanes) {
    const Eigen::Index count = std::min<Eigen::Index>(kLanes, columns.cols() - c);
    group.setZero();
    group.leftCols(count) = columns.middleCols(c, count);
    map(group, image);
    result.middleCols(c, count) = image.leftCols(count);
  }
  return result;
}

}  // namespace

MultigridSolver::MultigridSolver(BlockRows<double> A, GridCells cells,
                                 std::span<const int> row_of_node)
    : A_(std::move(A)), cycle_(A_, std::move(cells), row_of_node) {}

Eigen::MatrixXd MultigridSolver::solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const {
  return by_lanes(B, [&](const Lanes<double>& right, Lanes<double>& X) { solve(right, X); });
}

Eigen::MatrixXd MultigridSolver::multiply(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  return by_lanes(X, [&](const Lanes<double>& x, Lanes<double>& image) { A_.multiply(x, image); });
}

Eigen::MatrixXd MultigridSolver::precondition(const Eigen::Ref<const Eigen::MatrixXd>& R) const {
  MultigridCycle::Workspace workspace = cycle_.workspace();
  Lanes<float> single(R.rows(), kLanes), change(R.rows(), kLanes);
  return by_lanes(R, [&](const Lanes<double>& right, Lanes<double>& Z) {
    const LaneValues size = right.cwiseAbs().colwise().maxCoeff().transpose().array();
    const LaneValues scale = (size > 0.0).select(size, 1.0);
    to_single(right, scale, single);
    cycle_.apply(single, change, workspace);
    over_rows<0>(R.rows(), [&](Eigen::Index at, auto&) {
      Row<double>(Z.data() + at) = scale * ConstRow<float>(change.data() + at).cast<double>();
    });
  });
}

void MultigridSolver::solve(const Lanes<double>& B, Lanes<double>& X) const {
  constexpr int kMaxIterations = 1000;
  X.setZero();
  Lanes<double> R = B, P = Lanes<double>::Zero(B.rows(), kLanes), image = P;
  Lanes<float> single(B.rows(), kLanes), change(B.rows(), kLanes);
  MultigridCycle::Workspace workspace = cycle_.workspace();
  const LaneValues size = R.cwiseAbs().colwise().maxCoeff().transpose().array();
  if (!R.allFinite()) throw OperationError("stiffness: a load is not finite");
  // Single precision has too short a range of exponents for a residual that vanishes: the residual
  // is divided by its size, or by an estimate of it from the last iteration.
  LaneValues scale = (size > 0.0).select(size, 1.0);
  LaneValues rho = LaneValues::Zero(), first = rho, alpha = rho;
  for (int iteration = 0; iteration <= kMaxIterations; ++iteration) {
    to_single(R, scale, single);
    cycle_.apply(single, change, workspace);
    // The change of the residual, -alpha A P, takes the part that single precision makes
    // unsymmetric out of the next direction (flexible conjugate gradients).
    auto [next, along] = over_rows<2>(B.rows(), [&](Eigen::Index at, auto& sums) {
      const LaneValues z = ConstRow<float>(change.data() + at).cast<double>();
      sums[0] += z * ConstRow<double>(R.data() + at);
      sums[1] += z * ConstRow<double>(image.data() + at);
    });
    next *= scale;
    along *= -scale * alpha;
    if (iteration == 0) first = next;
    const LaneValues beta = (rho > 0.0).select(along / rho, 0.0);
    rho = next;
    const Eigen::Array<bool, kLanes, 1> open = rho > kTolerance * kTolerance * first;
    if (!open.any()) return;
    over_rows<0>(B.rows(), [&](Eigen::Index at, auto&) {
      Row<double> p(P.data() + at);
      p = p * beta + scale * ConstRow<float>(change.data() + at).cast<double>();
    });
    A_.multiply(P, image);
    const auto [curvature] = over_rows<1>(B.rows(), [&](Eigen::Index at, auto& sums) {
      sums[0] += ConstRow<double>(P.data() + at) * ConstRow<double>(image.data() + at);
    });
    if ((open && !(curvature > 0.0)).any())
      throw OperationError("stiffness: not positive definite");
    alpha = open.select(rho / curvature, 0.0);
    const auto [squares] = over_rows<1>(B.rows(), [&](Eigen::Index at, auto& sums) {
      Row<double> r(R.data() + at);
      Row<double>(X.data() + at) += alpha * ConstRow<double>(P.data() + at);
      r -= alpha * ConstRow<double>(image.data() + at);
      sums[0] += r * r;
    });
    const LaneValues root = squares.sqrt();
    scale = (root > 0.0).select(root, 1.0);
  }
  const double error = std::sqrt((first > 0.0).select(rho / first, 0.0).maxCoeff());
  throw OperationError(fmt::format(
      "stiffness: conjugate gradients stopped after {} iterations at a relative error of {:.1e}",
      kMaxIterations, error));
}

}  // namespace haptic
