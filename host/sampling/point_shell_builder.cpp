#include "host/sampling/point_shell_builder.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "host/sampling/comparison_samples.h"
#include "host/sampling/farthest_point.h"
#include "host/sampling/particle_repulsion.h"
#include "host/sampling/point_tree_builder.h"
#include "host/sampling/stored_precision.h"
#include "host/sampling/surface_samples.h"
#include "shared/error.h"

namespace haptic {

namespace {

void check(const PointShellSettings& settings) {
  const bool none = determines_point_count(settings.method) ||
                    (settings.method == ShellMethod::kRepulsion && settings.first_level > 0);
  if ((settings.points < 1 && !none) || settings.points > 4'000'000) {
    throw InputError("shell", "points", fmt::format("found {}", settings.points),
                     "a number from 1 to 4000000");
  }
  if (settings.candidates_per_point < 2 || settings.candidates_per_point > 100) {
    throw InputError("shell", "candidates_per_point",
                     fmt::format("found {}", settings.candidates_per_point),
                     "a number from 2 to 100");
  }
}

/// Inward, rounded. @param p on or near `triangle` of the surface
Vector3 inward_normal(const SurfaceDistance& surface, const Vector3& p, std::uint32_t triangle) {
  return as_stored(-surface.nearest_on_triangle(p, triangle).pseudonormal);
}

/// Unordered points, in farthest-point order and cut into levels.
SampledShell in_order(const UnorderedSamples& samples, const std::vector<Vector3>& normals,
                      const SurfaceDistance& surface, const PointShellSettings& settings,
                      std::uint32_t count) {
  SampledShell shell;
  shell.level_end = shell_level_ends(count, settings.levels, settings.first_level);
  std::vector<Vector3> rounded(samples.points.size());
  std::transform(samples.points.begin(), samples.points.end(), rounded.begin(),
                 [](const Vector3& v) { return as_stored(v); });
  const std::vector<std::uint32_t> order = farthest_point_order(rounded, count);
  shell.points.resize(order.size());
  shell.normals.resize(order.size());
  tbb::parallel_for(std::size_t{0}, order.size(), [&](std::size_t s) {
    const std::uint32_t from = order[s];
    shell.points[s] = rounded[from];
    // Of the point before rounding, which can lie on an edge or vertex exactly.
    shell.normals[s] = normals.empty() || normals[from].isZero()
                           ? inward_normal(surface, samples.points[from], samples.triangles[from])
                           : as_stored(normals[from]);
  });
  return shell;
}

SampledShell in_order(const UnorderedSamples& samples, const SurfaceDistance& surface,
                      const PointShellSettings& settings) {
  return in_order(samples, {}, surface, settings,
                  static_cast<std::uint32_t>(samples.points.size()));
}

SampledShell from_random(const SurfaceDistance& surface, const PointShellSettings& settings,
                         std::size_t candidates) {
  SurfaceSamples drawn = random_surface_samples(surface.mesh(), candidates, settings.seed);
  return in_order({std::move(drawn.points), std::move(drawn.triangles)}, {}, surface, settings,
                  settings.points);
}

SampledShell from_file(const ShellSurface& on, const PointShellSettings& settings) {
  FilePoints file = read_point_file(settings.points_file, on.placement, on.surface);
  UnorderedSamples samples;
  samples.points = std::move(file.points);
  samples.triangles.resize(samples.points.size());
  tbb::parallel_for(std::size_t{0}, samples.points.size(), [&](std::size_t s) {
    samples.triangles[s] = on.surface.nearest(samples.points[s]).triangle;
  });
  const auto count = static_cast<std::uint32_t>(samples.points.size());
  return in_order(samples, file.normals, on.surface, settings, count);
}

SampledShell from_repulsion(const ShellSurface& on, const PointShellSettings& settings,
                            const ShellHooks& hooks) {
  SampledShell shell;
  shell.level_end = repulsion_level_ends(settings.points, settings.levels, settings.first_level);
  RepulsionSettings repulsion;
  repulsion.seed = settings.seed;
  RepelledParticles particles = repel_particles({on.surface, on.source, on.offset}, shell.level_end,
                                                repulsion, hooks.progress);
  for (std::size_t level = 0; hooks.note && level < particles.levels.size(); ++level) {
    const RepulsionLevel& l = particles.levels[level];
    hooks.note(fmt::format(
        "level {}: {} points, {} iterations to moves of {:.2g} R, {} resampled, {:.2g} s",
        level + 1, l.points, l.iterations, l.largest_move, l.reinjected, l.seconds));
  }
  shell.points = std::move(particles.points);
  shell.normals.resize(shell.points.size());
  tbb::parallel_for(std::size_t{0}, shell.points.size(), [&](std::size_t s) {
    shell.normals[s] = as_stored(-on.surface.nearest(shell.points[s]).pseudonormal);
  });
  return shell;
}

SampledShell points_in_levels(const ShellSurface& on, const PointShellSettings& settings,
                              const ShellHooks& hooks) {
  const SurfaceDistance& surface = on.surface;
  switch (settings.method) {
    case ShellMethod::kFarthestPoint:
      return from_random(surface, settings,
                         std::size_t{settings.points} * settings.candidates_per_point);
    case ShellMethod::kRepulsion:
      return from_repulsion(on, settings, hooks);
    case ShellMethod::kRandom:
      return from_random(surface, settings, settings.points);
    case ShellMethod::kVertices:
      return in_order(vertex_samples(surface), surface, settings);
    case ShellMethod::kVoxels:
      return in_order(voxel_samples(surface, settings.spacing), surface, settings);
    case ShellMethod::kDepth:
      return in_order(layered_depth_samples(surface, settings.spacing), surface, settings);
    case ShellMethod::kFile:
      return from_file(on, settings);
  }
  throw InputError("shell", "method", "found an unknown method", "one of the recipe's");
}

/// Puts the points of each level in the order of the tree nodes, so that points of one contact are
/// close in memory.
SampledShell as_the_tree_brings_them(SampledShell shell) {
  const std::vector<std::uint32_t> order = tree_order(shell.points, shell.level_end);
  SampledShell ordered;
  ordered.level_end = std::move(shell.level_end);
  ordered.points.reserve(order.size());
  ordered.normals.reserve(order.size());
  for (const std::uint32_t s : order) {
    ordered.points.push_back(shell.points[s]);
    ordered.normals.push_back(shell.normals[s]);
  }
  return ordered;
}

}  // namespace

SampledShell build_point_shell(const ShellSurface& on, const PointShellSettings& settings,
                               const ShellHooks& hooks) {
  check(settings);
  SampledShell shell = as_the_tree_brings_them(points_in_levels(on, settings, hooks));
  shell.area = surface_area(on.surface.mesh());
  for (const std::uint32_t end : shell.level_end) {
    shell.spacing.push_back(nearest_spacing(std::span(shell.points).first(end)));
  }
  return shell;
}

}  // namespace haptic
