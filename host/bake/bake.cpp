#include "host/bake/bake.h"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "host/artifact/model_writer.h"
#include "host/bake/elastic_body.h"
#include "host/bake/source_surface.h"
#include "host/bake/touch_surface.h"
#include "shared/error.h"

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

void write_surface(ModelWriter& writer, const TriangleMesh& mesh) {
  std::vector<std::uint32_t> triangles;
  for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  writer.add("/surface/vertices", view(flat<double>(mesh.vertices)), {mesh.vertices.size(), 3});
  writer.add("/surface/triangles", view(triangles), {mesh.triangles.size(), 3});
}

void write_elastic(ModelWriter& writer, const ElasticBody& body, const Material& material) {
  const std::uint64_t r = body.dimension;
  writer.add("/surface/basis", view(body.surface_basis), {body.surface_basis.size() / r, r});
  writer.add("/mesh/vertices", view(body.vertices), {body.vertices.size() / 3, 3});
  writer.add("/mesh/elements", view(body.elements), {body.elements.size() / 8, 8});
  writer.add("/mesh/fixed", view(body.fixed), {body.fixed.size()});
  writer.add("/reduced/basis", view(body.basis), {body.basis.size() / r, r});
  writer.add("/reduced/eigenvalues", view(body.eigenvalues), {body.eigenvalues.size()});
  const ReducedPolynomials& polynomials = body.polynomials;
  writer.add("/reduced/quadratic", view(polynomials.quadratic), {polynomials.quadratic.size()});
  writer.add("/reduced/cubic", view(polynomials.cubic), {polynomials.cubic.size()});
  writer.add("/reduced/quartic", view(polynomials.quartic), {polynomials.quartic.size()});
  const std::vector<double> damping = {body.damping.alpha, body.damping.beta};
  writer.add("/reduced/damping", view(damping), {2});
  writer.set_attribute("/mesh", "youngs_modulus_Pa", material.youngs_modulus);
  writer.set_attribute("/mesh", "poisson_ratio", material.poisson_ratio);
  writer.set_attribute("/mesh", "density_kg_m3", material.density);
}

void write_touch(ModelWriter& writer, const TouchSurface& touch, std::uint64_t r) {
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
    describe("/field");
  }
  if (!touch.shell) return;
  const std::uint64_t s = touch.shell->points.size();
  writer.add("/shell/points", view(flat<float>(touch.shell->points)), {s, 3});
  writer.add("/shell/normals", view(flat<float>(touch.shell->normals)), {s, 3});
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
}

void write_rigid(ModelWriter& writer, const RigidProperties& rigid) {
  writer.add("/rigid/mass", std::span<const double>(&rigid.mass, 1), {1});
  writer.add("/rigid/centre", std::span<const double>(rigid.centre.data(), 3), {3});
  // Symmetric, so the column-major storage is the row-major one.
  writer.add("/rigid/inertia", std::span<const double>(rigid.inertia.data(), 9), {3, 3});
}

}  // namespace

BakeSummary bake(const Recipe& recipe, const std::filesystem::path& output,
                 StageProgress& progress) {
  // Opened first: an output that cannot be written is known before the long work.
  ModelWriter writer(output);
  const SourceSurface source = load_source(recipe, progress);
  std::optional<ElasticBody> elastic;
  std::optional<TouchSurface> touch;
  try {
    if (recipe.reduction) elastic = make_elastic_body(recipe, source.mesh, progress);
    touch = make_touch_surface(recipe, source.mesh, elastic ? &*elastic : nullptr, progress);
  } catch (const InputError& error) {
    // A stage knows the key it refuses but not always whose it is.
    const std::string line = error.what();
    if (line.starts_with(recipe.file.string())) throw;
    throw InputError(recipe.file.string(), "", line);
  }

  progress.run("write", [&](const StageProgress::Fraction&) {
    write_surface(writer, source.mesh);
    if (elastic) write_elastic(writer, *elastic, recipe.material);
    if (touch) write_touch(writer, *touch, elastic ? elastic->dimension : 0);
    write_rigid(writer, source.rigid);
    writer.set_attribute("/provenance", "recipe", recipe.text);
    writer.set_attribute("/provenance", "tool_version", std::string(HAPTIC_VERSION));
    writer.set_attribute("/provenance", "source_mesh", recipe.mesh.filename().string());
    writer.set_attribute("/provenance", "source_mesh_hash",
                         fmt::format("{:016x}", source.file_hash));
    writer.set_attribute("/provenance", "source_mesh_report", source.report.summary());
    for (const auto& [stage, seconds] : progress.seconds()) {
      writer.set_attribute("/provenance", "seconds_" + stage, seconds);
    }
    writer.commit();
  });

  BakeSummary summary;
  summary.model = output;
  summary.file_length = std::filesystem::file_size(output);
  summary.surface_vertices = source.mesh.vertices.size();
  summary.surface_triangles = source.mesh.triangles.size();
  summary.mass = source.rigid.mass;
  if (elastic) {
    summary.mesh_vertices = elastic->voxels.vertices.size();
    summary.mesh_elements = elastic->voxels.elements.size();
    summary.fixed_vertices = elastic->fixed.size();
    summary.dimension = elastic->dimension;
  }
  if (touch && touch->shell) {
    summary.shell_points = touch->shell->points.size();
    summary.tree_nodes = touch->tree.nodes();
  }
  if (touch && touch->field) summary.field_resolution = touch->field->resolution;
  return summary;
}

}  // namespace haptic
