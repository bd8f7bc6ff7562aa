#include "host/reduction/reduced_polynomials.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "host/reduction/strain_samples.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Eigen::Index;
using RowMatrix = StrainSampler::RowMatrix;

/// Samples in one rank update: deep enough that reading and writing the Gram matrix is a small
/// part.
constexpr Index kBlockRows = 1024;
/// Chunks of elements with a Gram matrix of their own: a number that does not know the threads, so
/// that neither does the order of summation; fewer when they would take more than kChunkBytes.
constexpr std::size_t kChunks = 16;
constexpr std::size_t kChunkBytes = std::size_t{512} << 20;

[[noreturn]] void refuse(std::string_view key, const std::string& found,
                         std::string_view expected) {
  throw InputError("reduced polynomials", key, found, expected);
}

void require_valid(const PolynomialInput& input) {
  const std::size_t r = input.dimension;
  if (r < 1 || r > kMaxReducedDimension) {
    refuse("dimension", fmt::format("found r = {}", r), fmt::format("1..{}", kMaxReducedDimension));
  }
  if (input.vertices.empty() || input.vertices.size() % 3 != 0) {
    refuse("vertices", fmt::format("found {} numbers", input.vertices.size()), "3 a vertex");
  }
  if (input.elements.empty() || input.elements.size() % 8 != 0) {
    refuse("elements", fmt::format("found {} indices", input.elements.size()), "8 an element");
  }
  if (input.basis.size() != input.vertices.size() * r) {
    refuse("basis", fmt::format("found {} numbers", input.basis.size()),
           fmt::format("3n x r = {}", input.vertices.size() * r));
  }
  const std::size_t n = input.vertices.size() / 3;
  for (std::uint32_t vertex : input.elements) {
    if (vertex >= n)
      refuse("elements", fmt::format("found vertex {}", vertex), fmt::format("below {}", n));
  }
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(input.vertices.begin(), input.vertices.end(), finite)) {
    refuse("vertices", "a value is not finite", "finite numbers");
  }
  if (!std::all_of(input.basis.begin(), input.basis.end(), finite)) {
    refuse("basis", "a value is not finite", "finite numbers");
  }
  const LameParameters& m = input.material;
  if (!(m.mu > 0.0 && 3.0 * m.lambda + 2.0 * m.mu > 0.0 && std::isfinite(m.mu) &&
        std::isfinite(m.lambda))) {
    refuse("material", fmt::format("found lambda = {}, mu = {} Pa", m.lambda, m.mu),
           "mu > 0 and 3 lambda + 2 mu > 0");
  }
}

/// Counts finished elements from all threads and reports one at a time.
class Progress {
 public:
  Progress(const std::function<void(double)>& report, std::size_t total)
      : report_(report), total_(total) {}
  void add(std::size_t elements) {
    if (!report_) return;
    const std::scoped_lock lock(mutex_);
    done_ += elements;
    report_(static_cast<double>(done_) / static_cast<double>(total_));
  }

 private:
  const std::function<void(double)>& report_;
  std::size_t total_, done_ = 0;
  std::mutex mutex_;
};

/// Lower triangle of B^T B over the elements [begin, end).
Eigen::MatrixXd gram_of_elements(const PolynomialInput& input, StrainSampler& sampler,
                                 std::size_t begin, std::size_t end, Progress& progress) {
  const auto r = static_cast<Index>(input.dimension);
  const Index columns = r + r * (r + 1) / 2;
  const std::size_t per_block =
      static_cast<std::size_t>(std::max<Index>(1, kBlockRows / sampler.rows()));
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns, columns);
  RowMatrix block(static_cast<Index>(per_block) * sampler.rows(), columns);
  RowMatrix displacement(24, r);
  Eigen::Matrix<double, 8, 3, Eigen::RowMajor> corners;
  for (std::size_t first = begin; first < end; first += per_block) {
    const std::size_t count = std::min(per_block, end - first);
    for (std::size_t e = first; e < first + count; ++e) {
      for (std::size_t a = 0; a < 8; ++a) {
        const std::size_t vertex = input.elements[8 * e + a];
        const auto row = static_cast<Index>(a);
        corners.row(row) = Eigen::Map<const Eigen::RowVector3d>(&input.vertices[3 * vertex]);
        displacement.middleRows(3 * row, 3) =
            Eigen::Map<const RowMatrix>(&input.basis[3 * vertex * input.dimension], 3, r);
      }
      try {
        sampler.sample(
            corners, displacement,
            block.middleRows(static_cast<Index>(e - first) * sampler.rows(), sampler.rows()));
      } catch (const OperationError& error) {
        refuse("elements", fmt::format("element {}: {}", e, error.what()), "a positive Jacobian");
      }
    }
    gram.selfadjointView<Eigen::Lower>().rankUpdate(
        block.topRows(static_cast<Index>(count) * sampler.rows()).transpose());
    progress.add(count);
  }
  return gram;
}

Eigen::MatrixXd gram_of_mesh(const PolynomialInput& input, const PolynomialSettings& settings) {
  const auto r = static_cast<Index>(input.dimension);
  const std::size_t elements = input.elements.size() / 8;
  const std::array<double, 3> edges = common_box_edges(input.vertices, input.elements);
  const bool boxes = settings.recognise_voxels && edges[0] > 0.0;
  const auto make_sampler = [&]() -> std::unique_ptr<StrainSampler> {
    if (boxes) return std::make_unique<BoxStrainSampler>(r, input.material, edges);
    return std::make_unique<GaussStrainSampler>(r, input.material);
  };

  const Index columns = r + r * (r + 1) / 2;
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(columns * columns);
  const std::size_t chunks =
      std::min({kChunks, std::max<std::size_t>(2, kChunkBytes / bytes), elements});
  std::vector<Eigen::MatrixXd> grams(chunks);
  Progress progress(settings.progress, elements);
  const auto work = [&] {
    tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
      const auto sampler = make_sampler();
      grams[c] = gram_of_elements(input, *sampler, c * elements / chunks,
                                  (c + 1) * elements / chunks, progress);
    });
  };
  if (settings.threads == 0) {
    work();
  } else {
    tbb::task_arena(static_cast<int>(settings.threads)).execute(work);
  }
  for (std::size_t c = 1; c < chunks; ++c) grams[0] += grams[c];
  return std::move(grams[0]);
}

/// Distinct symmetric coefficients from G1 | G2 | G3 (spec 2.7); a B2 column of a pair i < j stands
/// for both N_ij and N_ji, which are equal.
ReducedPolynomials symmetrise(const Eigen::MatrixXd& gram, std::uint32_t dimension) {
  const auto r = static_cast<Index>(dimension);
  const auto pair = [r](Index i, Index j) {  // i <= j
    return r + i * r - i * (i - 1) / 2 + (j - i);
  };
  const auto G = [&](Index a, Index b) { return a >= b ? gram(a, b) : gram(b, a); };

  ReducedPolynomials out;
  out.dimension = dimension;
  out.quadratic.reserve(distinct_count(dimension, 2));
  out.cubic.reserve(distinct_count(dimension, 3));
  out.quartic.reserve(distinct_count(dimension, 4));
  for (Index i = 0; i < r; ++i) {
    for (Index j = i; j < r; ++j) {
      out.quadratic.push_back(G(i, j));
      for (Index k = j; k < r; ++k) {
        out.cubic.push_back(G(i, pair(j, k)) + G(j, pair(i, k)) + G(k, pair(i, j)));
        for (Index l = k; l < r; ++l) {
          out.quartic.push_back(
              2.0 / 3.0 *
              (G(pair(i, j), pair(k, l)) + G(pair(i, k), pair(j, l)) + G(pair(i, l), pair(j, k))));
        }
      }
    }
  }
  return out;
}

}  // namespace

ReducedPolynomials reduced_polynomials(const PolynomialInput& input,
                                       const PolynomialSettings& settings) {
  require_valid(input);
  return symmetrise(gram_of_mesh(input, settings), input.dimension);
}

}  // namespace haptic
