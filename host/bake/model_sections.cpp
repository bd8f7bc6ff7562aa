#include "host/bake/model_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/bake/group_mass.h"
#include "host/bake/inertia_tensors.h"

namespace haptic {
namespace {

template <typename T>
std::span<const T> view(const std::vector<T>& values) {
  return values;
}

template <typename Scalar>
std::vector<Scalar> flat(const std::vector<Vector3>& vectors) {
  std::vector<Scalar> values;
  values.reserve(3 * vectors.size());
  for (const Vector3& v : vectors) {
    for (int i = 0; i < 3; ++i) values.push_back(static_cast<Scalar>(v[i]));
  }
  return values;
}

void write_materials(ModelWriter& writer, const Recipe& recipe, const BodyMesh& body) {
  const std::vector<MaterialGroupRecipe>& groups = recipe.groups;
  const std::uint64_t count = groups.size();
  const bool isotropic = std::all_of(groups.begin(), groups.end(),
                                     [](const auto& g) { return g.material.is_isotropic(); });
  if (count == 1 && isotropic) {
    writer.set_attribute("/mesh", "youngs_modulus_Pa", recipe.material.youngs_modulus);
    writer.set_attribute("/mesh", "poisson_ratio", recipe.material.poisson_ratio);
    writer.set_attribute("/mesh", "density_kg_m3", recipe.material.density);
    if (!recipe.editable) return;
  }
  std::vector<std::uint8_t> names((kMaxGroupName + 1) * count, 0);
  std::vector<double> lame, elasticity, density;
  for (std::size_t g = 0; g < count; ++g) {
    const SolidMaterial& material = groups[g].material;
    std::copy(groups[g].name.begin(), groups[g].name.end(),
              names.begin() + static_cast<std::ptrdiff_t>(g * (kMaxGroupName + 1)));
    const LameParameters own = material.is_isotropic() ? material.lame() : LameParameters{0.0, 0.0};
    lame.insert(lame.end(), {own.lambda, own.mu});
    const ElasticityMatrix C = material.elasticity();  // symmetric: column-major is row-major
    elasticity.insert(elasticity.end(), C.data(), C.data() + C.size());
    density.push_back(material.density());
  }
  if (count > 1) writer.add("/material/group", view(body.groups), {body.groups.size()});
  writer.add("/material/names", view(names), {count, kMaxGroupName + 1});
  writer.add("/material/lame", view(lame), {count, 2});
  if (!isotropic) writer.add("/material/elasticity", view(elasticity), {count, 6, 6});
  writer.add("/material/density", view(density), {count});
  std::vector<double> viscosity;
  for (const auto& [phi, psi] : viscosities_of(recipe))
    viscosity.insert(viscosity.end(), {phi, psi});
  if (viscosity.size() > 2) writer.add("/material/viscosity", view(viscosity), {count, 2});
}

void write_groups(ModelWriter& writer, const BodyPolynomials& polynomials, std::uint64_t groups) {
  if (!polynomials.groups.empty()) {
    std::vector<double> quadratic, cubic, quartic;
    for (const ReducedPolynomials& row : polynomials.groups) {
      quadratic.insert(quadratic.end(), row.quadratic.begin(), row.quadratic.end());
      cubic.insert(cubic.end(), row.cubic.begin(), row.cubic.end());
      quartic.insert(quartic.end(), row.quartic.begin(), row.quartic.end());
    }
    const std::uint64_t rows = polynomials.groups.size();
    writer.add("/reduced/groups/quadratic", view(quadratic), {rows, quadratic.size() / rows});
    writer.add("/reduced/groups/cubic", view(cubic), {rows, cubic.size() / rows});
    writer.add("/reduced/groups/quartic", view(quartic), {rows, quartic.size() / rows});
    writer.add("/reduced/groups/mass", view(polynomials.group_mass),
               {groups, polynomials.group_mass.size() / groups});
  }
  if (const auto& viscous = polynomials.viscous) {
    writer.add("/reduced/viscous/linear", view(viscous->linear), {viscous->linear.size()});
    writer.add("/reduced/viscous/mixed", view(viscous->mixed),
               {viscous->dimension, viscous->mixed.size() / viscous->dimension});
    writer.add("/reduced/viscous/quadratic", view(viscous->quadratic), {viscous->quadratic.size()});
  }
}

void write_inertia(ModelWriter& writer, const Recipe& recipe, const ElasticBody& body) {
  const Eigen::Index r = body.dimension;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd basis = Eigen::Map<const RowMajor>(
      body.basis.data(), static_cast<Eigen::Index>(body.basis.size()) / r, r);
  const StvkModel model(solid_mesh_of(recipe, body.solid, body.groups), {}, {.mass = recipe.mass});
  const InertiaTensors tensors = inertia_tensors(model, basis);
  writer.add("/reduced/inertia/linear", view(tensors.linear), {tensors.linear.size() / 6, 6});
  writer.add("/reduced/inertia/quadratic", view(tensors.quadratic),
             {tensors.quadratic.size() / 6, 6});
  writer.add("/reduced/inertia/spin", view(tensors.spin), {tensors.spin.size() / 3, 3});
}

void write_reduced(ModelWriter& writer, const Recipe& recipe, const ElasticBody& body) {
  const std::uint64_t r = body.dimension;
  writer.add("/reduced/basis", view(body.basis), {body.basis.size() / r, r});
  writer.add("/reduced/eigenvalues", view(body.eigenvalues), {body.eigenvalues.size()});
  const ReducedPolynomials& polynomials = body.polynomials.whole;
  writer.add("/reduced/quadratic", view(polynomials.quadratic), {polynomials.quadratic.size()});
  writer.add("/reduced/cubic", view(polynomials.cubic), {polynomials.cubic.size()});
  writer.add("/reduced/quartic", view(polynomials.quartic), {polynomials.quartic.size()});
  write_groups(writer, body.polynomials, recipe.groups.size());
  const std::vector<std::uint32_t> storage = {recipe.reduction->coefficient_bytes};
  const std::vector<LameParameters> viscosities = viscosities_of(recipe);
  if (viscosities.size() == 1) {
    writer.set_attribute("/reduced", "viscosity_phi_Pa_s", viscosities[0].lambda);
    writer.set_attribute("/reduced", "viscosity_psi_Pa_s", viscosities[0].mu);
  }
  if (storage[0] != 8) writer.add("/reduced/storage", view(storage), {1});
  const std::vector<double> damping = {body.damping.alpha, body.damping.beta};
  writer.add("/reduced/damping", view(damping), {2});
  if (recipe.reduction->free) {
    writer.set_attribute("/reduced", "free", 1.0);
    write_inertia(writer, recipe, body);
  }
}

}  // namespace

void write_surface_sections(ModelWriter& writer, const TriangleMesh& mesh) {
  std::vector<std::uint32_t> triangles;
  for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  writer.add("/surface/vertices", view(flat<double>(mesh.vertices)), {mesh.vertices.size(), 3});
  writer.add("/surface/triangles", view(triangles), {mesh.triangles.size(), 3});
}

void write_mesh_sections(ModelWriter& writer, const Recipe& recipe, const BodyMesh& body) {
  const bool cubes = body.solid.kind == ElementKind::kHexahedron;
  writer.add("/mesh/vertices", view(body.solid.vertices), {body.solid.vertex_count(), 3});
  writer.add(cubes ? "/mesh/elements" : "/mesh/tetrahedra", view(body.solid.elements),
             {body.solid.element_count(), body.solid.corners()});
  writer.add("/mesh/fixed", view(body.fixed), {body.fixed.size()});
  if (const auto& parts = body.solid.cells.parts; !parts.empty()) {
    writer.add("/mesh/moments", std::span<const double>(parts.front().data(), 10 * parts.size()),
               {parts.size(), 10});
  }
  if (const auto& held = body.solid.cells.held; !held.empty()) {
    writer.add("/mesh/held", view(held), {held.size()});
  }
  if (cubes && body.solid.cells.sampling == StrainSampling::kAssumed) {
    writer.set_attribute("/mesh", "assumed_strain", 1.0);
  }
  // The mass of a body that is only condensed is lumped.
  if (recipe.mass == MassKind::kLumped || (recipe.condensed && !recipe.reduction)) {
    writer.set_attribute("/mesh", "lumped_mass", 1.0);
  }
  write_materials(writer, recipe, body);
}

void write_elastic_sections(ModelWriter& writer, const Recipe& recipe, const ElasticBody& body) {
  const std::uint64_t r = body.dimension;
  writer.add("/surface/basis", view(body.surface_basis), {body.surface_basis.size() / r, r});
  write_reduced(writer, recipe, body);
}

void write_touch_sections(ModelWriter& writer, const TouchSurface& touch, std::uint64_t r) {
  const bool offset = touch.surface.route == ContactSurfaceRoute::kOffset;
  const auto describe = [&](const std::string& group) {
    writer.set_attribute(group, "route", std::string(offset ? "offset" : "closed"));
    writer.set_attribute(group, "offset_m", touch.surface.offset);
    writer.set_attribute(group, "offset_voxel_m", touch.surface.voxel);
  };
  if (touch.field) {
    const std::uint64_t n = touch.field->resolution + 1;
    writer.add("/field/values", view(touch.field->values), {n, n, n});
    writer.add("/field/frame", std::span<const double>(touch.field->frame()), {5});
    if (touch.deforming) write_deforming_field(writer, *touch.deforming, r);
    describe("/field");
  }
  if (touch.sparse) {
    const std::vector<std::uint32_t> resolution = {touch.sparse->resolution};
    writer.add("/field/sparse", view(touch.sparse->bytes), {touch.sparse->bytes.size()});
    writer.add("/field/resolution", view(resolution), {1});
    writer.add("/field/frame", std::span<const double>(touch.sparse->frame), {5});
    describe("/field");
  }
  if (!touch.shell) return;
  const std::uint64_t s = touch.shell->points.size();
  writer.add("/shell/points", view(flat<float>(touch.shell->points)), {s, 3});
  writer.add("/shell/normals", view(flat<float>(touch.shell->normals)), {s, 3});
  if (!touch.weights.empty()) writer.add("/shell/weights", view(touch.weights), {s});
  writer.add("/shell/areas", view(touch.areas), {s});
  const BuiltTree& tree = touch.tree;
  const std::uint64_t nodes = tree.nodes();
  writer.add("/shell/tree/level_begin", view(tree.level_begin), {tree.level_begin.size()});
  writer.add("/shell/tree/point", view(tree.point), {nodes});
  writer.add("/shell/tree/child_begin", view(tree.child_begin), {nodes});
  writer.add("/shell/tree/child_count", view(tree.child_count), {nodes});
  writer.add("/shell/tree/radius", view(tree.radius), {nodes});
  if (r > 0) {
    writer.add("/shell/displacement", view(touch.blocks.displacement), {s, 3, r});
    writer.add("/shell/normal_correction", view(touch.blocks.normal_correction), {s, 3, r});
    writer.add("/shell/tree/modal_radius", view(tree.modal_radius), {nodes, r});
  }
  describe("/shell");
  const SpacingStatistics& spacing = touch.shell->spacing.back();
  writer.set_attribute("/shell", "method", std::string(name_of(touch.sampling.method)));
  writer.set_attribute("/shell", "spacing_mean_m", spacing.mean);
  writer.set_attribute("/shell", "spacing_minimum_m", spacing.minimum);
  writer.set_attribute("/shell", "spacing_variation", spacing.coefficient_of_variation);
  if (touch.sampling.spacing > 0.0) {
    writer.set_attribute("/shell", "sampling_spacing_m", touch.sampling.spacing);
  }
  std::vector<std::string> per_level;
  for (const SpacingStatistics& level : touch.shell->spacing) {
    per_level.push_back(fmt::format("{:.4g}", level.mean));
  }
  writer.set_attribute("/shell", "spacing_of_levels_m",
                       fmt::format("{}", fmt::join(per_level, " ")));
}

void write_rigid_sections(ModelWriter& writer, const RigidProperties& rigid) {
  writer.add("/rigid/mass", std::span<const double>(&rigid.mass, 1), {1});
  writer.add("/rigid/centre", std::span<const double>(rigid.centre.data(), 3), {3});
  // Symmetric, so the column-major storage is the row-major one.
  writer.add("/rigid/inertia", std::span<const double>(rigid.inertia.data(), 9), {3, 3});
}

}  // namespace haptic
