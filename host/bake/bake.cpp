#include "host/bake/bake.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>

#include "host/artifact/model_writer.h"
#include "host/bake/body_figures.h"
#include "host/bake/cloth_body.h"
#include "host/bake/cloth_source.h"
#include "host/bake/condensed_body.h"
#include "host/bake/elastic_body.h"
#include "host/bake/group_mass.h"
#include "host/bake/implausible_recipe.h"
#include "host/bake/model_sections.h"
#include "host/bake/one_blas_thread.h"
#include "host/bake/source_surface.h"
#include "host/bake/stages.h"
#include "host/bake/touch_surface.h"
#include "host/files/output_path.h"
#include "host/formats/file_bytes.h"
#include "rt/geometry/field_resolution.h"
#include "rt/geometry/model_field.h"
#include "shared/artifact/attributes.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct BakedBody {
  Recipe recipe;  ///< with the materials of its volume mesh
  StageResult<SourceSurface> source;
  std::optional<BodyMesh> mesh;  ///< of a deformable body
  SurfaceGaps gaps;              ///< likewise
  std::optional<ElasticBody> elastic;
  std::optional<CondensedBody> condensed;
  std::optional<TouchSurface> touch;
};

void warn_of(const Recipe& recipe, const TriangleMesh& surface, StageProgress& progress) {
  std::vector<std::string> lines = implausible_values(recipe);
  std::ranges::move(implausible_size(recipe, surface), std::back_inserter(lines));
  for (const std::string& line : lines) {
    progress.warn(fmt::format("warning: {}: {}", recipe.file.string(), line));
  }
}

BakedBody bake_stages(const Recipe& given, const Stages& stages) {
  BakedBody body;
  body.source = load_source(given, stages);
  const auto& materials = body.source.value.materials;
  body.recipe = with_materials_of_file(given, materials ? &*materials : nullptr, stages.ranks());
  const Recipe& recipe = body.recipe;
  warn_of(recipe, body.source.value.mesh, stages.progress());
  try {
    if (recipe.deformable()) {
      body.mesh = make_body_mesh(recipe, body.source, stages);
      body.gaps = find_gaps(body.source, stages);
      for (const std::string& line :
           discretisation_warnings(recipe, body.gaps, body.source.value, body.mesh->solid)) {
        stages.progress().warn("warning: " + line);
      }
    }
    if (recipe.reduction) {
      body.elastic = make_elastic_body(recipe, *body.mesh, body.source, stages);
    }
    if (recipe.condensed) {
      body.condensed = make_condensed_body(recipe, *body.mesh, body.source, stages);
    }
    body.touch =
        make_touch_surface(recipe, body.source, body.elastic ? &*body.elastic : nullptr, stages);
  } catch (const InputError& error) {
    // A stage names the key that it refuses but does not always know the file.
    const std::string line = error.what();
    if (line.starts_with(recipe.file.string())) throw;
    throw InputError(recipe.file.string(), "", line);
  }
  return body;
}

std::string hash_of_file(const std::filesystem::path& path) {
  const std::string bytes = read_file_bytes(path, "a file");
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

RigidProperties rigid_of(const BakedBody& body) {
  const Recipe& recipe = body.recipe;
  // The basis of a free body has no momentum about the centre of mass of its mesh.
  if (recipe.free() || recipe.groups.size() > 1) {
    if (body.mesh) return rigid_properties_of_groups(recipe, body.mesh->solid, body.mesh->groups);
    // The groups of a rigid body are those of a file; its surface may differ from that of the mesh.
    const SourceSurface& source = body.source.value;
    return rigid_properties_of_groups(recipe, *source.volume, source.materials->of_element);
  }
  RigidProperties rigid = body.source.value.unit_rigid;
  rigid.mass *= recipe.material.density;
  rigid.inertia *= recipe.material.density;
  return rigid;
}

/// @param report  one line on the source mesh
void write_provenance(ModelWriter& writer, const Recipe& recipe, const std::string& report,
                      const StageProgress& progress) {
  const std::filesystem::path& file = recipe.mesh.empty() ? recipe.volume : recipe.mesh;
  writer.set_attribute("/provenance", "recipe", recipe.text);
  writer.set_attribute("/provenance", "tool_version", std::string(HAPTIC_VERSION));
  if (!recipe.grid) {
    writer.set_attribute("/provenance", "source_mesh", file.filename().string());
    writer.set_attribute("/provenance", "source_mesh_hash", hash_of_file(file));
  }
  writer.set_attribute("/provenance", "source_mesh_report", report);
  for (const StageCost& cost : progress.costs()) {
    const std::string group(kStagesGroup);
    writer.set_attribute(group, std::string(kStageSeconds) + cost.name, cost.seconds);
    writer.set_attribute(group, std::string(kStagePeak) + cost.name, cost.peak_bytes);
  }
}

BakeSummary summary_of(const BakedBody& body, const std::filesystem::path& output,
                       const RigidProperties& rigid) {
  const SourceSurface& source = body.source.value;
  BakeSummary summary;
  summary.model = output;
  summary.file_length = std::filesystem::file_size(output);
  summary.surface_vertices = source.mesh.vertices.size();
  summary.surface_triangles = source.mesh.triangles.size();
  summary.mass = rigid.mass;
  if (body.mesh) {
    summary.mesh_vertices = body.mesh->solid.vertex_count();
    summary.mesh_elements = body.mesh->solid.element_count();
    summary.fixed_vertices = body.mesh->fixed.size();
  }
  if (body.elastic) summary.dimension = body.elastic->dimension;
  if (body.condensed) {
    summary.condensed_dof = body.condensed->compliance.dof;
    summary.condensed_modes = static_cast<std::size_t>(body.condensed->modes.eigenvalues.size());
    summary.compliance_rounding = body.condensed->compliance.rounding;
    summary.contact_force_rounding = body.condensed->compliance.contact_force_error;
  }
  if (body.touch && body.touch->shell) {
    summary.shell_points = body.touch->shell->points.size();
    summary.tree_nodes = body.touch->tree.nodes();
  }
  if (body.touch && body.touch->field) summary.field_resolution = body.touch->field->resolution;
  if (body.touch && body.touch->sparse) summary.field_resolution = body.touch->sparse->resolution;
  if (summary.field_resolution > 0) {
    const ModelFile file(output, ModelFile::Hashes::kSkip, ModelFile::Memory::kMap);
    const std::unique_ptr<SignedField> field = make_field(file, summary.dimension);
    summary.voxel = field->edge();
    summary.unresolved_fraction = unresolved_fraction(*field, file.doubles("/surface/vertices"),
                                                      file.indices("/surface/triangles"));
  }
  return summary;
}

/// @param writer  on rank 0
BakeSummary bake_cloth(const Recipe& recipe, const std::filesystem::path& output,
                       std::optional<ModelWriter>& writer, const Stages& stages) {
  const ClothBody body = make_cloth_body(recipe, stages);
  warn_of(recipe, triangles_of(body.mesh), stages.progress());
  stages.run("write", [&] {
    write_cloth_sections(*writer, *recipe.cloth, body);
    write_provenance(*writer, recipe, body.report, stages.progress());
    writer->commit();
  });
  BakeSummary summary;
  if (!stages.ranks().first()) return summary;
  summary.model = output;
  summary.file_length = std::filesystem::file_size(output);
  summary.surface_vertices = body.mesh.vertices.size();
  summary.surface_triangles = body.mesh.triangles.size();
  summary.springs = body.springs.size();
  summary.mass = std::accumulate(body.masses.begin(), body.masses.end(), 0.0);
  return summary;
}

}  // namespace

BakeSummary bake(const Recipe& recipe, const std::filesystem::path& output, StageProgress& progress,
                 const BakeOptions& options) {
  const OneBlasThread same_sums;
  const Ranks alone;
  const Ranks& ranks = options.ranks ? *options.ranks : alone;
  // Opened first, so that an output that cannot be written is reported before the long work.
  std::optional<ModelWriter> writer;
  std::optional<StageCache> cache;
  if (ranks.first()) {
    check_output(output, recipe_files(recipe));
    writer.emplace(output);
    // A cloth stores nothing.
    if (!options.cache.empty() && !recipe.cloth)
      cache.emplace(options.cache, recipe.file, options.cache_owner);
  }
  const Stages stages(progress, ranks, cache ? &*cache : nullptr);
  if (recipe.cloth) return bake_cloth(recipe, output, writer, stages);
  const BakedBody body = bake_stages(recipe, stages);

  RigidProperties rigid;
  stages.run("write", [&] {
    rigid = rigid_of(body);
    write_surface_sections(*writer, body.source.value.mesh);
    if (body.mesh) write_mesh_sections(*writer, body.recipe, *body.mesh);
    if (body.elastic) write_elastic_sections(*writer, body.recipe, *body.elastic);
    if (body.condensed) write_condensed_sections(*writer, *body.condensed);
    if (body.touch) {
      write_touch_sections(*writer, *body.touch, body.elastic ? body.elastic->dimension : 0);
    }
    write_rigid_sections(*writer, rigid);
    if (body.mesh) {
      write_body_figures(*writer, body.recipe, body.source.value, *body.mesh,
                         body.elastic ? &*body.elastic : nullptr,
                         body.condensed ? &*body.condensed : nullptr, body.gaps);
    }
    write_provenance(*writer, recipe, body.source.value.report.summary(), progress);
    writer->commit();
  });
  return ranks.first() ? summary_of(body, output, rigid) : BakeSummary{};
}

}  // namespace haptic
