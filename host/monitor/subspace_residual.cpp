#include "host/monitor/subspace_residual.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "host/unreduced/baked_body.h"
#include "rt/dynamics/truncation.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kUnused = -1;

/// Displacements below this fraction of the body size count as rest: only the decayed remains of
/// earlier motion, whose shape is meaningless.
constexpr double kRest = 1e-9;

/// Free vertices spread evenly over the mesh's order, which follows its grid.
std::vector<std::uint32_t> sampled_vertices(std::uint32_t vertex_count,
                                            std::span<const std::uint32_t> fixed) {
  std::vector<bool> is_fixed(vertex_count, false);
  for (const std::uint32_t v : fixed) is_fixed[v] = true;
  std::vector<std::uint32_t> free;
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (!is_fixed[v]) free.push_back(v);
  }
  const std::size_t count = std::min<std::size_t>(free.size(), SubspaceResidual::kSamples);
  std::vector<std::uint32_t> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(free[(2 * i + 1) * free.size() / (2 * count)]);
  return samples;
}

MaterialGroups materials_of(const ModelFile& model, std::span<const MaterialRows::Group> now) {
  MaterialGroups groups = read_baked_materials(model);
  for (std::size_t g = 0; g < now.size() && g < groups.materials.size(); ++g) {
    const SolidMaterial& baked = groups.materials[g];
    groups.materials[g] =
        baked.is_isotropic()
            ? SolidMaterial(LameParameters{now[g].lambda, now[g].mu}, now[g].density)
            : SolidMaterial(ElasticityMatrix(now[g].lambda * baked.elasticity()), now[g].density);
  }
  return groups;
}

/// Sum of the groups with the present materials, or the whole as baked.
ReducedEnergy energy_of(const ModelFile& model, std::uint32_t kept,
                        std::span<const MaterialRows::Group> now, Eigen::MatrixXd& mass) {
  const std::uint32_t r = model.reduced_dimension();
  ReducedEnergy energy(kept, leading_entries(model.doubles("/reduced/quadratic"), r, 2, kept),
                       leading_entries(model.doubles("/reduced/cubic"), r, 3, kept),
                       leading_entries(model.doubles("/reduced/quartic"), r, 4, kept));
  mass = Eigen::MatrixXd::Identity(kept, kept);
  if (now.empty()) return energy;
  const MaterialRows rows = MaterialRows::of_model(model, kept);
  std::vector<const double*> pointers;
  for (const auto& row : rows.energy) pointers.push_back(row.data());
  std::vector<double> weights;
  mass.setZero();
  for (std::size_t g = 0; g < now.size(); ++g) {
    weights.push_back(now[g].lambda);
    weights.push_back(rows.groups[g].anisotropic() ? 0.0 : now[g].mu);
    mass += now[g].density * Eigen::Map<const Eigen::MatrixXd>(rows.mass[g].data(), kept, kept);
  }
  energy.blend(pointers, weights);
  return energy;
}

}  // namespace

struct SubspaceResidual::Patch {
  Patch(const ModelFile& model, std::span<const MaterialRows::Group> now) {
    const bool tetrahedra = model.has("/mesh/tetrahedra");
    const std::size_t corners = tetrahedra ? 4 : 8;
    const auto vertices = model.doubles("/mesh/vertices");
    const auto elements = model.indices(tetrahedra ? "/mesh/tetrahedra" : "/mesh/elements");
    const auto count = static_cast<std::uint32_t>(vertices.size() / 3);
    for (const std::uint32_t v : elements) {
      if (v < count) continue;
      throw InputError(model.path().string(), "/mesh", fmt::format("found vertex {}", v),
                       fmt::format("below {}", count));
    }
    std::span<const std::uint32_t> fixed;
    if (model.has("/mesh/fixed")) fixed = model.indices("/mesh/fixed");
    for (const std::uint32_t v : fixed) {
      if (v >= count)
        throw InputError(model.path().string(), "/mesh/fixed", "found a vertex beyond the mesh",
                         "vertices of the mesh");
    }
    const auto sampled = sampled_vertices(count, fixed);
    std::vector<bool> is_sample(count, false);
    for (const std::uint32_t v : sampled) is_sample[v] = true;

    MaterialGroups groups = materials_of(model, now);
    CellSettings cells = read_baked_cells(model), own_cells{cells.sampling, {}, {}};
    std::vector<std::uint32_t> of_element;
    std::vector<int> own(count, kUnused);
    for (std::size_t e = 0; e < elements.size() / corners; ++e) {
      const auto ids = elements.subspan(corners * e, corners);
      if (std::none_of(ids.begin(), ids.end(), [&](std::uint32_t v) { return is_sample[v]; })) {
        continue;
      }
      for (const std::uint32_t v : ids) {
        if (own[v] == kUnused) {
          own[v] = static_cast<int>(original.size());
          original.push_back(v);
        }
        own_elements.push_back(static_cast<std::uint32_t>(own[v]));
      }
      if (!groups.of_element.empty()) of_element.push_back(groups.of_element[e]);
      if (!cells.parts.empty()) own_cells.parts.push_back(cells.parts[e]);
      if (!cells.held.empty()) own_cells.held.push_back(cells.held[e]);
    }
    groups.of_element = std::move(of_element);
    for (const std::uint32_t v : sampled) samples.push_back(own[v]);
    std::vector<double> positions;
    for (const std::uint32_t v : original) {
      positions.insert(positions.end(), vertices.begin() + 3 * std::ptrdiff_t{v},
                       vertices.begin() + 3 * std::ptrdiff_t{v} + 3);
    }
    body.emplace(
        tetrahedra
            ? SolidMesh(ElementKind::kTetrahedron, positions, own_elements, std::move(groups))
            : SolidMesh(positions, own_elements, std::move(groups), std::move(own_cells)),
        std::span<const std::uint32_t>(), BodySettings{.mass = read_baked_mass(model)});
  }

  std::vector<std::uint32_t> original;  // vertex of the model that each of the patch is
  std::vector<std::uint32_t> own_elements;
  std::vector<int> samples;
  std::optional<StvkModel> body;
};

SubspaceResidual::SubspaceResidual(const ModelFile& model, std::uint32_t dimension,
                                   std::span<const MaterialRows::Group> groups)
    : SubspaceResidual(model, dimension, groups, Patch(model, groups)) {}

SubspaceResidual::SubspaceResidual(const ModelFile& model, std::uint32_t dimension,
                                   std::span<const MaterialRows::Group> groups, Patch patch)
    : patch_(std::move(*patch.body)),
      samples_(std::move(patch.samples)),
      basis_(patch_.dof_count(), dimension),
      energy_(energy_of(model, dimension, groups, mass_)),
      workspace_(dimension) {
  const std::uint32_t r = model.reduced_dimension();
  const auto U = model.doubles("/reduced/basis");
  for (std::size_t v = 0; v < patch.original.size(); ++v) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double* row = &U[(3 * std::size_t{patch.original[v]} + d) * r];
      for (std::uint32_t j = 0; j < dimension; ++j) {
        basis_(static_cast<Eigen::Index>(3 * v + d), j) = row[j];
      }
    }
  }
  const SparseMatrix M = patch_.scalar_mass();  // every vertex of the patch is free
  image_.setZero(3 * sample_count(), dimension);
  weight_.setZero(sample_count());
  for (int s = 0; s < sample_count(); ++s) {
    double row_sum = 0.0;
    for (SparseMatrix::InnerIterator it(M, samples_[static_cast<std::size_t>(s)]); it; ++it) {
      image_.middleRows(3 * s, 3) += it.value() * basis_.middleRows(3 * it.row(), 3);
      row_sum += it.value();
    }
    weight_(s) = 1.0 / row_sum;
  }
}

double SubspaceResidual::at(std::span<const double> q) {
  const Eigen::Map<const Eigen::VectorXd> state(q.data(), basis_.cols());
  const Eigen::VectorXd u = basis_ * state;
  const double size = (patch_.mesh().upper() - patch_.mesh().lower()).norm();
  if (u.lpNorm<Eigen::Infinity>() < kRest * size) return 0.0;
  const Eigen::VectorXd force = patch_.force(u);
  Eigen::VectorXd reduced(basis_.cols());
  Eigen::MatrixXd unused(basis_.cols(), basis_.cols());
  energy_.force_and_stiffness(q, {reduced.data(), q.size()}, {unused.data(), q.size() * q.size()},
                              workspace_);
  const Eigen::VectorXd held = image_ * mass_.llt().solve(reduced);
  double outside = 0.0, whole = 0.0;
  for (int s = 0; s < sample_count(); ++s) {
    const Vector3 own = force.segment<3>(3 * samples_[static_cast<std::size_t>(s)]);
    outside += weight_(s) * (own - held.segment<3>(3 * s)).squaredNorm();
    whole += weight_(s) * own.squaredNorm();
  }
  return whole > 0.0 ? std::sqrt(outside / whole) : 0.0;
}

}  // namespace haptic
