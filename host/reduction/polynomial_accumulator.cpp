#include "host/reduction/polynomial_accumulator.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "host/reduction/strain_samples.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Eigen::Index;
using RowMatrix = StrainSampler::RowMatrix;

/// Samples in one rank update: enough that reading and writing the Gram matrix is a small part of
/// the cost.
constexpr Index kBlockRows = 1024;
/// Number of element chunks, each with its Gram matrices. It does not depend on the number of
/// threads, so neither does the order of summation; it is lower if they would take more than
/// kChunkBytes.
constexpr std::size_t kChunks = 16;
constexpr std::size_t kChunkBytes = std::size_t{512} << 20;

[[noreturn]] void refuse(std::string_view key, const std::string& found,
                         std::string_view expected) {
  throw InputError("reduced polynomials", key, found, expected);
}

void require_viscosity(const LameParameters& viscosity) {
  const auto& [phi, psi] = viscosity;
  if (!(phi >= 0.0 && psi >= 0.0 && std::isfinite(phi) && std::isfinite(psi))) {
    refuse("viscosity", fmt::format("found phi = {}, psi = {} Pa s", phi, psi), "numbers >= 0");
  }
}

/// Column of the pair i <= j among the strain samples.
Index pair_column(Index r, Index i, Index j) {
  return r + i * r - i * (i - 1) / 2 + (j - i);
}

/// Reads a packed upper triangle.
class PackedGram {
 public:
  PackedGram(const std::vector<double>& values, std::uint32_t dimension)
      : values_(values), columns_(dimension + Index{dimension} * (dimension + 1) / 2) {}
  double operator()(Index a, Index b) const {
    if (a > b) std::swap(a, b);
    return values_[static_cast<std::size_t>(a * columns_ - a * (a - 1) / 2 + (b - a))];
  }

 private:
  const std::vector<double>& values_;
  Index columns_;
};

/// Distinct symmetric coefficients from G1 | G2 | G3.
ReducedPolynomials symmetrise(const std::vector<double>& gram, std::uint32_t dimension) {
  const auto r = static_cast<Index>(dimension);
  const PackedGram G(gram, dimension);
  const auto pair = [r](Index i, Index j) { return pair_column(r, i, j); };
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

void require_basis(const SolidMesh& mesh, const BasisView& basis) {
  const std::size_t r = basis.dimension;
  if (r < 1 || r > kMaxReducedDimension) {
    refuse("dimension", fmt::format("found r = {}", r), fmt::format("1..{}", kMaxReducedDimension));
  }
  if (basis.values.size() != mesh.vertices().size() * r) {
    refuse("basis", fmt::format("found {} numbers", basis.values.size()),
           fmt::format("3n x r = {}", mesh.vertices().size() * r));
  }
  if (!std::all_of(basis.values.begin(), basis.values.end(),
                   [](double x) { return std::isfinite(x); })) {
    refuse("basis", "a value is not finite", "finite numbers");
  }
}

PolynomialAccumulator::PolynomialAccumulator(const SolidMesh& mesh, BasisView basis,
                                             PolynomialContents contents,
                                             PolynomialSettings settings)
    : mesh_(mesh), basis_(basis), contents_(std::move(contents)), settings_(std::move(settings)) {
  require_basis(mesh_, basis_);
  const std::size_t given = contents_.viscosity.size();
  if (given > 1 && given != static_cast<std::size_t>(mesh_.group_count())) {
    refuse("viscosity", fmt::format("found {} pairs", given),
           fmt::format("one, or {}, the material groups", mesh_.group_count()));
  }
  for (const LameParameters& viscosity : contents_.viscosity) require_viscosity(viscosity);
  if (settings_.recognise_voxels) {
    box_edges_ = common_box_edges(mesh_);
  } else {
    box_edges_ = {};
  }
  // Trace and shear parts of isotropic groups hold the viscous Gram too.
  is_split_ = contents_.groups || given > 0;
  has_viscous_gram_ = given > 0 && !mesh_.is_isotropic();
  grams_ = (is_split_ ? 2 * static_cast<std::size_t>(mesh_.group_count()) : 1) +
           (has_viscous_gram_ ? 1 : 0);
  const std::size_t columns = basis_.dimension + distinct_count(basis_.dimension, 2);
  gram_size_ = columns * (columns + 1) / 2;
  raw_.assign(grams_ * gram_size_, 0.0);
}

void PolynomialAccumulator::add(int begin, int end) {
  HAPTIC_DEMAND(begin >= 0 && begin <= end && end <= mesh_.element_count());
  using Part = Target::Part;
  done_ = 0;
  range_ = static_cast<std::size_t>(end - begin);
  const Target viscous{Part::kViscous, grams_ - 1};
  const auto work = [&] {
    if (!is_split_) {
      std::vector<int> elements(range_);
      std::iota(elements.begin(), elements.end(), begin);
      add_elements(elements, std::vector<Target>{{Part::kMaterial, 0}});
      return;
    }
    std::vector<std::vector<int>> of_group(static_cast<std::size_t>(mesh_.group_count()));
    for (int e = begin; e < end; ++e)
      of_group[static_cast<std::size_t>(mesh_.group(e))].push_back(e);
    for (std::size_t g = 0; g < of_group.size(); ++g) {
      std::vector<Target> targets;
      if (mesh_.groups().materials[g].is_isotropic()) {
        targets = {{Part::kTrace, 2 * g}, {Part::kShear, 2 * g + 1}};
      } else {
        targets = {{Part::kMaterial, 2 * g}};
      }
      if (has_viscous_gram_) targets.push_back(viscous);
      add_elements(of_group[g], targets);
    }
  };
  if (settings_.threads == 0) {
    work();
  } else {
    tbb::task_arena(static_cast<int>(settings_.threads)).execute(work);
  }
}

void PolynomialAccumulator::add_elements(std::span<const int> elements,
                                         std::span<const Target> targets) {
  using Part = Target::Part;
  if (elements.empty()) return;
  const auto group = static_cast<std::size_t>(mesh_.group(elements.front()));
  const auto r = static_cast<Index>(basis_.dimension);
  const Index columns = r + r * (r + 1) / 2;
  const std::size_t bytes =
      sizeof(double) * static_cast<std::size_t>(columns * columns) * targets.size();
  const std::size_t chunks =
      std::min({kChunks, std::max<std::size_t>(2, kChunkBytes / bytes), elements.size()});
  std::vector<std::vector<Eigen::MatrixXd>> grams(chunks);
  std::mutex reporting;

  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    const std::size_t begin = c * elements.size() / chunks,
                      end = (c + 1) * elements.size() / chunks;
    const auto sampler = make_strain_sampler(mesh_, r, box_edges_);
    const Index rows = sampler->rows(), unit = sampler->unit_rows();
    const auto per_block = static_cast<std::size_t>(std::max<Index>(1, kBlockRows / rows));
    RowMatrix samples(static_cast<Index>(per_block) * rows, columns);
    RowMatrix formed(samples.rows(), columns);
    RowMatrix displacement(3 * mesh_.corners_per_element(), r);
    grams[c].assign(targets.size(), Eigen::MatrixXd::Zero(columns, columns));

    StrainForm material_form;
    int form_group = -1;
    const StrainForm trace_form = sampler->trace_form();
    std::optional<StrainForm> viscous_form;
    // Row by row of the samples: `formed` holds the same elements in fewer or as many rows.
    const auto add_formed = [&](Eigen::MatrixXd& gram, Index formed_rows, double factor,
                                const RowMatrix& from) {
      gram.selfadjointView<Eigen::Lower>().rankUpdate(from.topRows(formed_rows).transpose(),
                                                      factor);
    };
    for (std::size_t first = begin; first < end; first += per_block) {
      const std::size_t count = std::min(per_block, end - first);
      for (std::size_t i = 0; i < count; ++i) {
        const int e = elements[first + i];
        const auto ids = mesh_.element(e);
        for (std::size_t a = 0; a < ids.size(); ++a) {
          displacement.middleRows(3 * static_cast<Index>(a), 3) = Eigen::Map<const RowMatrix>(
              &basis_.values[3 * std::size_t{ids[a]} * basis_.dimension], 3, r);
        }
        sampler->sample(e, displacement, samples.middleRows(static_cast<Index>(i) * rows, rows));
      }
      const auto block_rows = static_cast<Index>(count) * rows;
      for (std::size_t t = 0; t < targets.size(); ++t) {
        Eigen::MatrixXd& gram = grams[c][t];
        switch (targets[t].part) {
          case Part::kShear:  // 2 mu E:E with mu = 1
            add_formed(gram, block_rows, 2.0, samples);
            break;
          case Part::kTrace: {
            const Index formed_rows = block_rows / unit * trace_form.rows();
            trace_form.apply(samples.topRows(block_rows), unit, formed.topRows(formed_rows));
            add_formed(gram, formed_rows, 1.0, formed);
            break;
          }
          case Part::kViscous:
            // Two Grams, for a factor of a form with phi or psi = 0 need not exist.
            add_formed(gram, block_rows, 2.0 * viscosity_of(group).mu, samples);
            {
              const Index formed_rows = block_rows / unit * trace_form.rows();
              trace_form.apply(samples.topRows(block_rows), unit, formed.topRows(formed_rows));
              add_formed(gram, formed_rows, viscosity_of(group).lambda, formed);
            }
            break;
          case Part::kMaterial:
            for (std::size_t i = 0; i < count; ++i) {
              const int e = elements[first + i];
              if (mesh_.group(e) != form_group) {
                form_group = mesh_.group(e);
                material_form = sampler->form_of(mesh_.material(e));
              }
              const auto at = static_cast<Index>(i) * rows;
              material_form.apply(samples.middleRows(at, rows), unit, formed.middleRows(at, rows));
            }
            add_formed(gram, block_rows, 1.0, formed);
            break;
        }
      }
      if (settings_.progress) {
        const std::scoped_lock lock(reporting);
        done_ += count;
        settings_.progress(static_cast<double>(done_) / static_cast<double>(range_));
      }
    }
  });

  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (std::size_t c = 1; c < chunks; ++c) grams[0][t] += grams[c][t];
    double* to = &raw_[targets[t].gram * gram_size_];
    for (Index b = 0; b < columns; ++b) {
      for (Index a = b; a < columns; ++a) *to++ += grams[0][t](a, b);
    }
  }
}

const LameParameters& PolynomialAccumulator::viscosity_of(std::size_t group) const {
  return contents_.viscosity[contents_.viscosity.size() == 1 ? 0 : group];
}

std::vector<double> PolynomialAccumulator::combined(
    const std::function<double(std::size_t)>& factor) const {
  std::vector<double> sum(gram_size_, 0.0);
  for (std::size_t g = 0; g < grams_; ++g) {
    const double f = factor(g);
    if (f == 0.0) continue;
    const double* from = &raw_[g * gram_size_];
    for (std::size_t i = 0; i < gram_size_; ++i) sum[i] += f * from[i];
  }
  return sum;
}

ReducedPolynomials PolynomialAccumulator::whole() const {
  const auto factor = [&](std::size_t gram) {
    if (has_viscous_gram_ && gram + 1 == grams_) return 0.0;
    if (!is_split_) return 1.0;
    const SolidMaterial& material = mesh_.groups().materials[gram / 2];
    if (!material.is_isotropic()) return gram % 2 == 0 ? 1.0 : 0.0;
    return gram % 2 == 0 ? material.lame().lambda : material.lame().mu;
  };
  return symmetrise(combined(factor), basis_.dimension);
}

std::vector<ReducedPolynomials> PolynomialAccumulator::groups() const {
  HAPTIC_DEMAND(contents_.groups);
  std::vector<ReducedPolynomials> rows;
  for (std::size_t row = 0; row < 2 * static_cast<std::size_t>(mesh_.group_count()); ++row) {
    rows.push_back(symmetrise(combined([row](std::size_t gram) { return gram == row ? 1.0 : 0.0; }),
                              basis_.dimension));
  }
  return rows;
}

ViscousGram PolynomialAccumulator::viscous() const {
  HAPTIC_DEMAND(!contents_.viscosity.empty());
  const std::vector<double> gram = combined([&](std::size_t g) {
    if (has_viscous_gram_) return g + 1 == grams_ ? 1.0 : 0.0;
    return g % 2 == 0 ? viscosity_of(g / 2).lambda : viscosity_of(g / 2).mu;
  });
  const PackedGram G(gram, basis_.dimension);
  const auto r = static_cast<Index>(basis_.dimension);
  const Index columns = r + r * (r + 1) / 2;
  ViscousGram out;
  out.dimension = basis_.dimension;
  for (Index i = 0; i < r; ++i) {
    for (Index j = i; j < r; ++j) out.linear.push_back(G(i, j));
    for (Index p = r; p < columns; ++p) out.mixed.push_back(G(i, p));
  }
  for (Index p = r; p < columns; ++p) {
    for (Index q = p; q < columns; ++q) out.quadratic.push_back(G(p, q));
  }
  return out;
}

}  // namespace haptic
