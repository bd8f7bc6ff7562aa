// Ways to put points on a surface, side by side (docs/methods/contact-and-coupling.md, tests A25,
// A27): how even they are, how well they cover, and how accurate the force of a sphere pressed into
// a half-space is against its closed form ("Refinement limit"), with and without area weights.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <random>

#include "host/mesh/catalogue.h"
#include "host/plot/gnuplot.h"
#include "host/sampling/area_weights.h"
#include "host/sampling/comparison_samples.h"
#include "host/sampling/nearest_points.h"
#include "host/sampling/particle_repulsion.h"
#include "host/sampling/point_shell_builder.h"
#include "host/sampling/surface_samples.h"
#include "lab/experiments/experiment.h"

namespace haptic {
namespace {

constexpr ShellMethod kMethods[] = {ShellMethod::kRepulsion, ShellMethod::kFarthestPoint,
                                    ShellMethod::kRandom,    ShellMethod::kVertices,
                                    ShellMethod::kVoxels,    ShellMethod::kDepth};

/// Sphere with a grid of latitude and longitude, as modelling programs make it: its vertices
/// cluster at the poles.
TriangleMesh globe(double radius, std::uint32_t parallels) {
  const std::uint32_t meridians = 2 * parallels;
  TriangleMesh mesh;
  mesh.vertices.emplace_back(0.0, radius, 0.0);
  for (std::uint32_t j = 1; j < parallels; ++j) {
    const double polar = std::numbers::pi * j / parallels;
    for (std::uint32_t i = 0; i < meridians; ++i) {
      const double turn = 2.0 * std::numbers::pi * i / meridians;
      mesh.vertices.push_back(radius * Vector3(std::sin(polar) * std::cos(turn), std::cos(polar),
                                               -std::sin(polar) * std::sin(turn)));
    }
  }
  mesh.vertices.emplace_back(0.0, -radius, 0.0);
  const auto south = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  const auto at = [&](std::uint32_t j, std::uint32_t i) {
    return 1 + (j - 1) * meridians + i % meridians;
  };
  for (std::uint32_t i = 0; i < meridians; ++i) {
    mesh.triangles.push_back({0, at(1, i), at(1, i + 1)});
    mesh.triangles.push_back({south, at(parallels - 1, i + 1), at(parallels - 1, i)});
    for (std::uint32_t j = 1; j + 1 < parallels; ++j) {
      mesh.triangles.push_back({at(j, i), at(j + 1, i), at(j + 1, i + 1)});
      mesh.triangles.push_back({at(j, i), at(j + 1, i + 1), at(j, i + 1)});
    }
  }
  return mesh;
}

/// The spacing of rays or voxels that gives about `count` points.
double spacing_for(const SurfaceDistance& surface, ShellMethod method, std::size_t count) {
  const double area = surface_area(surface.mesh());
  double spacing = std::sqrt(1.5 * area / static_cast<double>(count));
  for (int step = 0; step < 6; ++step) {
    const std::size_t found = method == ShellMethod::kVoxels
                                  ? voxel_samples(surface, spacing).points.size()
                                  : layered_depth_samples(surface, spacing).points.size();
    spacing *= std::sqrt(static_cast<double>(found) / static_cast<double>(count));
  }
  return spacing;
}

struct MeasuredShell {
  SampledShell shell;
  double seconds = 0.0;
};

MeasuredShell sample(const SurfaceDistance& surface, ShellMethod method, std::uint32_t count,
                     std::uint32_t levels) {
  PointShellSettings settings;
  settings.method = method;
  settings.points = determines_point_count(method) ? 0 : count;
  settings.levels = levels;
  if (method == ShellMethod::kVoxels || method == ShellMethod::kDepth) {
    settings.spacing = spacing_for(surface, method, count);
  }
  const auto start = std::chrono::steady_clock::now();
  MeasuredShell result{build_point_shell(surface, settings)};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

/// Largest distance of a place of the surface from the nearest point [m], over random places.
double covering_radius(const SurfaceDistance& surface, const SampledShell& shell) {
  const SurfaceSamples places =
      random_surface_samples(surface.mesh(), 20 * shell.points.size(), 99);
  const NearestPoints search(shell.points);
  double worst = 0.0;
  for (const Vector3& p : places.points) {
    worst = std::max(worst, (p - shell.points[search.nearest(p)]).norm());
  }
  return worst;
}

struct ForceError {
  double rms = 0.0, largest = 0.0;  ///< |F - F_closed| / |F_closed|
};

/// The sphere's shell pressed into half-spaces from all sides, F = -k L sum(w d n) / sum(w) against
/// k L delta (3 rho - delta) / (6 rho) along the half-space's normal.
ForceError force_error(const SampledShell& shell, std::span<const float> weights, double rho,
                       double depth) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr int kDirections = 200;
  ForceError error;
  const double expected = depth * (3.0 * rho - depth) / (6.0 * rho);
  for (int i = 0; i < kDirections; ++i) {
    const Vector3 up = Vector3(normal(random), normal(random), normal(random)).normalized();
    Vector3 force = Vector3::Zero();
    double sum = 0.0;
    for (std::size_t s = 0; s < shell.points.size(); ++s) {
      // The sphere's lowest place is `depth` below the half-space's face.
      const double d = shell.points[s].dot(up) + rho - depth;
      if (d >= 0.0) continue;
      const double w = weights.empty() ? 1.0 : weights[s];
      force -= w * d * shell.normals[s];
      sum += w;
    }
    if (sum > 0.0) force /= sum;
    const double wrong = (force - expected * up).norm() / expected;
    error.rms += wrong * wrong / kDirections;
    error.largest = std::max(error.largest, wrong);
  }
  error.rms = std::sqrt(error.rms);
  return error;
}

/// Points seen from the front, coloured by their distance from the nearest other one over that of a
/// hexagonal lattice.
std::string panels(const std::vector<MeasuredShell>& shells, const std::filesystem::path& picture) {
  std::string script = fmt::format(
      "set terminal pngcairo size 1260,860 font 'Sans,11' noenhanced\nset output '{}'\n"
      "set multiplot layout 2,3\nunset border\nunset tics\nset size ratio -1\nunset key\n"
      "set palette defined (0 '#d55e00', 0.5 '#e69f00', 0.9 '#0072b2', 1.1 '#56b4e9')\n"
      "set cbrange [0:1.1]\nunset colorbox\n",
      picture.string());
  const Vector3 eye = Vector3(0.45, 0.55, 0.7).normalized();
  const Vector3 right = Vector3::UnitY().cross(eye).normalized(), up = eye.cross(right);
  for (std::size_t m = 0; m < shells.size(); ++m) {
    const SampledShell& shell = shells[m].shell;
    const NearestPoints search(shell.points);
    const double lattice =
        std::sqrt(2.0 / std::sqrt(3.0) * shell.area / static_cast<double>(shell.points.size()));
    script += fmt::format("$m{} << EOD\n", m);
    for (std::uint32_t s = 0; s < shell.points.size(); ++s) {
      if (shell.normals[s].dot(eye) > 0.0) continue;  // inward: faces away
      script += fmt::format("{:.6g} {:.6g} {:.4g}\n", shell.points[s].dot(right),
                            shell.points[s].dot(up), search.distance_to_other(s) / lattice);
    }
    script += fmt::format(
        "EOD\nset title '{}, {} points'\nplot $m{} using 1:2:3 with points pt 7 ps 0.32 palette\n",
        name_of(kMethods[m]), shell.points.size(), m);
  }
  return script + "unset multiplot\n";
}

void compare_on(Experiment& experiment, const std::string& name, const TriangleMesh& mesh,
                bool smooth) {
  const SurfaceDistance surface(mesh);
  const std::uint32_t count = experiment.quick() ? 2500 : 20000;
  ResultTable table({"method", "points", "mean", "least", "variation", "covering", "seconds"});
  for (const ShellMethod method : kMethods) {
    const MeasuredShell measured = sample(surface, method, count, 4);
    const SampledShell& shell = measured.shell;
    const double ideal = std::sqrt(shell.area / static_cast<double>(shell.points.size()));
    const SpacingStatistics& spacing = shell.spacing.back();
    const double covering = covering_radius(surface, shell) / ideal;
    table.add({std::string(name_of(method)), fmt::format("{}", shell.points.size()),
               fmt::format("{:.3f}", spacing.mean / ideal),
               fmt::format("{:.3f}", spacing.minimum / spacing.mean),
               fmt::format("{:.3f}", spacing.coefficient_of_variation),
               fmt::format("{:.2f}", covering), fmt::format("{:.2f}", measured.seconds)});
    if (method == ShellMethod::kRepulsion && smooth) {
      experiment.at_most(name + ": variation of repulsion (A25)", spacing.coefficient_of_variation,
                         0.12);
      experiment.at_least(name + ": mean spacing of repulsion (A25)", spacing.mean / ideal, 0.80);
      experiment.at_least(name + ": least spacing of repulsion (A25)",
                          spacing.minimum / spacing.mean, 0.5);
    }
  }
  experiment.report(
      fmt::format("{}: spacing and covering radius in sqrt(area / points); least in the mean",
                  name),
      table, name);
}

/// Few enough points to see each one.
void draw_clouds(const Experiment& experiment, const TriangleMesh& mesh) {
  const SurfaceDistance surface(mesh);
  std::vector<MeasuredShell> shells;
  for (const ShellMethod method : kMethods) shells.push_back(sample(surface, method, 2500, 4));
  draw_with_gnuplot(experiment.path({}, ".png"),
                    [&](const std::filesystem::path& output) { return panels(shells, output); });
}

void press_sphere(Experiment& experiment) {
  const double rho = 0.05;
  const TriangleMesh mesh = globe(rho, experiment.quick() ? 36 : 100);
  const SurfaceDistance surface(mesh);
  const auto count = static_cast<std::uint32_t>(mesh.vertices.size());
  ResultTable table({"method", "depth / radius", "rms error", "largest", "rms, area weights",
                     "largest, area weights"});
  double repelled = 0.0, vertices = 0.0, weighted = 0.0;
  for (const ShellMethod method : kMethods) {
    const SampledShell shell = sample(surface, method, count, 4).shell;
    const std::vector<float> weights = area_weights(surface, shell.points, shell.normals, 1);
    for (const double depth : {0.05, 0.3}) {
      const ForceError plain = force_error(shell, {}, rho, depth * rho);
      const ForceError by_area = force_error(shell, weights, rho, depth * rho);
      table.add({std::string(name_of(method)), fmt::format("{}", depth),
                 fmt::format("{:.2e}", plain.rms), fmt::format("{:.2e}", plain.largest),
                 fmt::format("{:.2e}", by_area.rms), fmt::format("{:.2e}", by_area.largest)});
      if (depth != 0.3) continue;
      if (method == ShellMethod::kRepulsion) repelled = plain.rms;
      if (method == ShellMethod::kVertices) {
        vertices = plain.rms;
        weighted = by_area.rms;
      }
    }
  }
  experiment.report(
      "Force of a sphere in a half-space against its closed form (2.5), over 200 "
      "directions",
      table, "force");
  experiment.at_most("rms error of repelled points at 0.3 of the radius", repelled, 0.01);
  experiment.at_least("rms error of a globe's vertices over that of repelled points",
                      vertices / repelled, 3.0);
  experiment.at_most("error of the vertices with area weights over that without",
                     weighted / vertices, 0.25);
}

void levels_of(Experiment& experiment) {
  const TriangleMesh mesh = make_shape("torus", {});
  const SurfaceDistance surface(mesh);
  const std::vector<std::uint32_t> ends =
      repulsion_level_ends(experiment.quick() ? 4000 : 256'000, experiment.quick() ? 3 : 5, 0);
  const RepelledParticles particles = repel_particles({surface}, ends, {});
  ResultTable table({"level", "points", "R [mm]", "iterations", "seconds", "mean", "least",
                     "variation", "of the level above"});
  double above = 0.0;
  for (std::size_t level = 0; level < ends.size(); ++level) {
    const RepulsionLevel& l = particles.levels[level];
    const SpacingStatistics spacing =
        nearest_spacing(std::span(particles.points).first(ends[level]));
    table.add({fmt::format("{}", level + 1), fmt::format("{}", ends[level]),
               fmt::format("{:.3f}", 1e3 * l.radius), fmt::format("{}", l.iterations),
               fmt::format("{:.2f}", l.seconds),
               fmt::format("{:.3f}", spacing.mean / std::sqrt(surface_area(mesh) / ends[level])),
               fmt::format("{:.3f}", spacing.minimum / spacing.mean),
               fmt::format("{:.3f}", spacing.coefficient_of_variation),
               level == 0 ? "" : fmt::format("{:.3f}", spacing.mean / above)});
    if (level > 0) {
      experiment.at_least("spacing over that of the level above (A25)", spacing.mean / above, 0.4);
      experiment.at_most("spacing over that of the level above (A25)", spacing.mean / above, 0.6);
    }
    above = spacing.mean;
  }
  experiment.report("Levels of a torus by repulsion, all points up to the level", table, "levels");
}

void compare(Experiment& experiment) {
  const TriangleMesh bolt = make_shape("bolt", {});
  compare_on(experiment, "torus", make_shape("torus", {}), true);
  compare_on(experiment, "bolt", bolt, false);
  draw_clouds(experiment, bolt);
  press_sphere(experiment);
  levels_of(experiment);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "sampling",
                                "Ways to put points on a surface (A25, A27)", haptic::compare);
}
