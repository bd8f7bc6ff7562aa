#include "host/unreduced/baked_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/artifact/model_attributes.h"
#include "shared/error.h"

namespace haptic {
namespace {

template <typename Matrix>
Eigen::Map<const Matrix> row_major(const Section& section, std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(section.shape[0]),
          static_cast<Eigen::Index>(section.shape[1])};
}

}  // namespace

MaterialGroups read_baked_materials(const ModelFile& model) {
  if (!model.has("/material/density")) {
    const ModelAttributes attributes = read_model_attributes(model.path());
    const Material material{number_attribute(attributes, model.path(), "/mesh.youngs_modulus_Pa"),
                            number_attribute(attributes, model.path(), "/mesh.poisson_ratio"),
                            number_attribute(attributes, model.path(), "/mesh.density_kg_m3")};
    return {{material}, {}};
  }
  MaterialGroups groups;
  const auto density = model.doubles("/material/density"), lame = model.doubles("/material/lame");
  for (std::size_t g = 0; g < density.size(); ++g) {
    const LameParameters own{lame[2 * g], lame[2 * g + 1]};
    if (own.mu > 0.0) {
      groups.materials.emplace_back(own, density[g]);
      continue;
    }
    // Zeros mark a general material.
    const auto elasticity = model.doubles("/material/elasticity");
    groups.materials.emplace_back(
        ElasticityMatrix(Eigen::Map<const ElasticityMatrix>(elasticity.data() + 36 * g)),
        density[g]);
  }
  if (model.has("/material/group")) {
    const auto of_element = model.indices("/material/group");
    groups.of_element.assign(of_element.begin(), of_element.end());
  }
  return groups;
}

MassKind read_baked_mass(const ModelFile& model) {
  return read_model_attributes(model.path()).contains("/mesh.lumped_mass") ? MassKind::kLumped
                                                                           : MassKind::kConsistent;
}

CellSettings read_baked_cells(const ModelFile& model) {
  CellSettings cells;
  if (read_model_attributes(model.path()).contains("/mesh.assumed_strain")) {
    cells.sampling = StrainSampling::kAssumed;
  }
  if (model.has("/mesh/moments")) {
    const auto moments = model.doubles("/mesh/moments");
    cells.parts.resize(moments.size() / 10);
    for (std::size_t e = 0; e < cells.parts.size(); ++e) {
      std::copy_n(moments.begin() + static_cast<std::ptrdiff_t>(10 * e), 10,
                  cells.parts[e].begin());
    }
  }
  if (model.has("/mesh/held")) {
    const auto held = model.doubles("/mesh/held");
    cells.held.assign(held.begin(), held.end());
  }
  return cells;
}

SolidMesh read_baked_mesh(const ModelFile& model) {
  const bool tetrahedra = model.has("/mesh/tetrahedra");
  if (!model.has("/mesh/vertices") || !(tetrahedra || model.has("/mesh/elements"))) {
    throw InputError(model.path().string(), "/mesh", "missing",
                     "the model of a deformable body (a recipe with [reduction])");
  }
  const auto vertices = model.doubles("/mesh/vertices");
  if (tetrahedra) {
    return {ElementKind::kTetrahedron, vertices, model.indices("/mesh/tetrahedra"),
            read_baked_materials(model)};
  }
  return {vertices, model.indices("/mesh/elements"), read_baked_materials(model),
          read_baked_cells(model)};
}

StvkModel read_baked_body(const ModelFile& model, ElasticModel elastic,
                          std::optional<MassKind> mass) {
  SolidMesh mesh = read_baked_mesh(model);
  std::span<const std::uint32_t> fixed;
  if (model.has("/mesh/fixed")) fixed = model.indices("/mesh/fixed");
  return {
      std::move(mesh), fixed, {.elastic = elastic, .mass = mass ? *mass : read_baked_mass(model)}};
}

std::vector<LameParameters> read_baked_viscosity(const ModelFile& model) {
  if (!model.has("/reduced/viscous/linear")) return {};
  if (model.has("/material/viscosity")) {
    const auto values = model.doubles("/material/viscosity");
    std::vector<LameParameters> of_group;
    for (std::size_t g = 0; 2 * g < values.size(); ++g) {
      of_group.push_back({values[2 * g], values[2 * g + 1]});
    }
    return of_group;
  }
  const ModelAttributes attributes = read_model_attributes(model.path());
  return {{number_attribute(attributes, model.path(), "/reduced.viscosity_phi_Pa_s"),
           number_attribute(attributes, model.path(), "/reduced.viscosity_psi_Pa_s")}};
}

Eigen::MatrixXd read_baked_basis(const ModelFile& model) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return row_major<RowMajor>(model.section("/reduced/basis"), model.doubles("/reduced/basis"));
}

}  // namespace haptic
