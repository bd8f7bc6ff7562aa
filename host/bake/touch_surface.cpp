#include "host/bake/touch_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/bake/file_digest.h"
#include "host/sampling/area_weights.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;
using RunOn = Stages::RunOn;
using ResultOn = Stages::ResultOn;

/// Samples of the surface for the areas of a shell's points, and the least number for each point.
constexpr std::uint32_t kAreaSamples = 500'000, kMinAreaSamples = 32;

/// A field, and the offset surface it is of if the given one intersects itself.
struct FieldResult {
  DistanceGrid grid;  ///< of the dense layout
  SparseGrid sparse;  ///< of the sparse one
  std::optional<ContactSurface> replaced;
};

template <class Archive>
void archive(Archive& a, FieldResult& f) {
  a(f.grid, f.sparse.resolution, f.sparse.frame, f.sparse.bytes, f.sparse.stored_samples,
    f.replaced);
}

/// Data computed from a shell and a basis.
struct TreeResult {
  ModalBlocks blocks;
  BuiltTree tree;
};

template <class Archive>
void archive(Archive& a, TreeResult& t) {
  a(t.blocks, t.tree);
}

ContactSurfaceSettings surface_settings(const Recipe& recipe) {
  ContactSurfaceSettings settings;
  if (recipe.field) {
    // The field of the offset route is dense.
    settings.resolution = std::min(recipe.field->resolution, 512u);
    settings.expansion = recipe.field->expansion;
  }
  if (recipe.shell) {
    settings.force_offset = recipe.shell->offset;
    settings.offset_voxels = recipe.shell->offset_voxels;
    if (recipe.shell->offset_resolution > 0) settings.resolution = recipe.shell->offset_resolution;
  }
  return settings;
}

SampledShell build_shell(const ShellRecipe& recipe, const SourceSurface& source,
                         const ContactSurface& contact, StageProgress& progress,
                         const Fraction& fraction) {
  const SurfaceDistance surface(contact.mesh);
  std::optional<SurfaceDistance> offset_from;
  ShellSurface on{surface, nullptr, contact.offset, source.placement};
  if (contact.route == ContactSurfaceRoute::kOffset) {
    on.source = &offset_from.emplace(source.mesh);
  }
  const auto note = [&](const std::string& line) { progress.note(line); };
  SampledShell shell = build_point_shell(on, recipe.sampling, {fraction, note});
  const SpacingStatistics& spacing = shell.spacing.back();
  progress.note(fmt::format(
      "{} points in {} levels ({}), mean spacing {:.3g} m, minimum / mean {:.2f}, variation {:.3f}",
      shell.points.size(), shell.level_end.size(), name_of(recipe.sampling.method), spacing.mean,
      spacing.mean > 0.0 ? spacing.minimum / spacing.mean : 0.0, spacing.coefficient_of_variation));
  return shell;
}

StageKey shell_key(const ShellRecipe& recipe, const StageDigest& source, const StageDigest& surface,
                   const Ranks& ranks) {
  const PointShellSettings& s = recipe.sampling;
  StageKey key("shell");
  key.add(source, surface, s.points, s.levels, s.seed, s.candidates_per_point, s.method,
          s.first_level, s.spacing);
  if (!s.points_file.empty() && ranks.first()) key.add(digest_of_file(s.points_file));
  return key;
}

/// Slabs of the field, spread over the ranks; the grid on rank 0.
DistanceGrid field_of_slabs(const SurfaceDistance& distance, const DistanceFieldSettings& settings,
                            const Ranks& ranks, const Fraction& fraction) {
  constexpr std::size_t kSlab = 8;
  const std::size_t layers = settings.resolution + 1;
  const std::size_t slabs = (layers + kSlab - 1) / kSlab;
  if (ranks.size() == 1) return build_distance_field(distance, settings, fraction);
  const auto range = ranks.range_of(ranks.rank(), slabs);
  const auto first = range.begin * kSlab, end = std::min(layers, range.end * kSlab);
  const std::vector<float> mine =
      distance_field_layers(distance, settings, first, std::max(first, end), fraction);
  Ranks::Bytes bytes(sizeof(float) * mine.size());
  if (!mine.empty()) std::memcpy(bytes.data(), mine.data(), bytes.size());
  std::vector<float> values;
  for (const Ranks::Bytes& part : ranks.gather(std::move(bytes))) {
    const std::size_t at = values.size();
    values.resize(at + part.size() / sizeof(float));
    if (!part.empty()) std::memcpy(values.data() + at, part.data(), part.size());
  }
  if (!ranks.first()) return {};
  return checked_distance_field(distance, settings, std::move(values));
}

void build_on(const TriangleMesh& mesh, const Recipe& recipe, const Ranks& ranks,
              const Fraction& fraction, FieldResult& result) {
  const SurfaceDistance distance(mesh);
  if (!recipe.sparse_band) {
    result.grid = field_of_slabs(distance, *recipe.field, ranks, fraction);
  } else if (ranks.first()) {
    result.sparse = build_sparse_field(
        distance, {recipe.field->resolution, recipe.field->expansion, *recipe.sparse_band},
        fraction);
  }
}

FieldResult build_field(const Recipe& recipe, const SourceSurface& source,
                        const ContactSurface& surface, const Stages& stages,
                        const Fraction& fraction) {
  FieldResult result;
  const Ranks& ranks = stages.ranks();
  Ranks::Bytes crossing = {std::byte{0}};
  try {
    build_on(surface.mesh, recipe, ranks, fraction, result);
  } catch (const OperationError& error) {  // on rank 0, which checks the whole field
    if (!ranks.first() || surface.route == ContactSurfaceRoute::kOffset) throw;
    stages.progress().note(fmt::format("{}; taking the offset route", error.what()));
    crossing[0] = std::byte{1};
  }
  ranks.broadcast(crossing);
  if (crossing[0] == std::byte{0}) return result;

  ContactSurfaceSettings offset = surface_settings(recipe);
  offset.force_offset = true;
  result.replaced = make_contact_surface(source.mesh, offset);
  stages.progress().note(result.replaced->summary());
  build_on(result.replaced->mesh, recipe, ranks, fraction, result);
  return result;
}

TreeResult build_tree(const SampledShell& shell, const ElasticBody* elastic) {
  TreeResult result;
  if (elastic) {
    result.blocks = build_modal_blocks(elastic->basis, elastic->dimension,
                                       embed_points(elastic->solid, shell.points), shell.normals);
  }
  result.tree = build_point_tree(shell.points, shell.level_end, result.blocks.displacement,
                                 elastic ? elastic->dimension : 0);
  return result;
}

}  // namespace

std::optional<TouchSurface> make_touch_surface(const Recipe& recipe,
                                               const StageResult<SourceSurface>& source,
                                               const ElasticBody* elastic, const Stages& stages) {
  if (!recipe.shell && !recipe.field) return std::nullopt;
  StageProgress& progress = stages.progress();
  TouchSurface touch;
  const ContactSurfaceSettings settings = surface_settings(recipe);
  auto surface = stages.run<ContactSurface>(
      "contact",
      StageKey("contact").add(source.digest, settings.resolution, settings.expansion,
                              settings.offset_voxels, settings.force_offset),
      RunOn::kFirst, ResultOn::kAll, [&](const Fraction&) {
        ContactSurface made = make_contact_surface(source.value.mesh, settings);
        progress.note(made.summary());
        return made;
      });
  touch.surface = std::move(surface.value);
  StageDigest surface_digest = surface.digest;

  if (recipe.field) {
    StageKey key("field");
    key.add(source.digest, surface_digest, recipe.field->resolution, recipe.field->expansion);
    if (recipe.sparse_band) key.add(*recipe.sparse_band);
    auto field = stages.run<FieldResult>(
        "field", key, RunOn::kAll, ResultOn::kFirst, [&](const Fraction& fraction) {
          return build_field(recipe, source.value, touch.surface, stages, fraction);
        });
    if (recipe.sparse_band) {
      touch.sparse = std::move(field.value.sparse);
    } else {
      touch.field = std::move(field.value.grid);
    }
    if (field.value.replaced) {
      touch.surface = std::move(*field.value.replaced);
      surface_digest = digest_of(encode_stage(touch.surface));
    }
    touch.deforming = make_deforming_field(recipe, touch.surface, surface_digest, elastic, stages);
  }
  if (recipe.shell) {
    auto shell = stages.run<SampledShell>(
        "shell", shell_key(*recipe.shell, source.digest, surface_digest, stages.ranks()),
        RunOn::kFirst, ResultOn::kFirst, [&](const Fraction& fraction) {
          return build_shell(*recipe.shell, source.value, touch.surface, progress, fraction);
        });
    touch.shell = std::move(shell.value);
    touch.sampling = recipe.shell->sampling;
    const std::uint64_t seed = recipe.shell->sampling.seed;
    auto weights = stages.run<std::vector<float>>(
        "weights", StageKey("weights").add(surface_digest, shell.digest, seed, kAreaSamples),
        RunOn::kFirst, ResultOn::kFirst, [&](const Fraction&) {
          const auto points = static_cast<std::uint32_t>(touch.shell->points.size());
          return area_weights(SurfaceDistance(touch.surface.mesh), touch.shell->points,
                              touch.shell->normals, seed,
                              std::max(kMinAreaSamples, kAreaSamples / points));
        });
    const double mean = surface_area(touch.surface.mesh) /
                        static_cast<double>(std::max<std::size_t>(1, weights.value.size()));
    for (const float weight : weights.value) {
      touch.areas.push_back(static_cast<float>(mean * double{weight}));
    }
    if (recipe.shell->area_weights) touch.weights = std::move(weights.value);
    StageKey key("tree");
    key.add(shell.digest, elastic != nullptr);
    if (elastic) key.add(elastic->solid_digest, elastic->basis_digest);
    auto tree =
        stages.run<TreeResult>("tree", key, RunOn::kFirst, ResultOn::kFirst,
                               [&](const Fraction&) { return build_tree(*touch.shell, elastic); });
    touch.blocks = std::move(tree.value.blocks);
    touch.tree = std::move(tree.value.tree);
  }
  return touch;
}

}  // namespace haptic
