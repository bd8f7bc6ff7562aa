#include "host/sampling/particle_repulsion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "host/field/contact_surface.h"
#include "host/mesh/catalogue.h"
#include "host/sampling/particle_grid.h"
#include "host/sampling/shell_levels.h"
#include "host/sampling/spacing.h"
#include "host/sampling/stored_precision.h"
#include "host/sampling/surface_samples.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// A box with round edges, by pushing the vertices of a fine sphere onto a superellipsoid.
TriangleMesh rounded_box() {
  TriangleMesh mesh = sphere_mesh(1.0, 6);
  for (Vector3& v : mesh.vertices) {
    const double sum = v.array().abs().pow(6.0).sum();
    v *= 0.1 / std::pow(sum, 1.0 / 6.0);
  }
  return mesh;
}

/// docs/methods/contact-and-coupling.md, tests A23 to A25, on a closed surface without sharp edges.
void expect_even_levels(const TriangleMesh& mesh, const char* name) {
  const SurfaceDistance surface(mesh);
  const std::vector<std::uint32_t> ends = repulsion_level_ends(0, 4, 200);
  ASSERT_EQ(ends, (std::vector<std::uint32_t>{200, 1000, 4200, 17000}));
  const RepelledParticles particles = repel_particles({surface}, ends, {});
  ASSERT_EQ(particles.points.size(), 17000U);

  // On the surface; Barbic 2007 asks for 1e-4. Coordinates are rounded to float.
  const double size = bounding_box(mesh).longest_side();
  for (const Vector3& p : particles.points) {
    ASSERT_LE(surface.unsigned_distance(p), 1e-6 * size) << name;
    ASSERT_EQ(p, as_stored(p));
  }
  double spacing_above = 0.0;
  for (std::size_t level = 0; level < ends.size(); ++level) {
    const RepulsionLevel& report = particles.levels[level];
    EXPECT_LT(report.iterations, 300) << name << " converges";
    EXPECT_LE(report.largest_move, 0.01);
    // Four times as many new points in half the radius.
    if (level > 0) {
      EXPECT_EQ(report.points, 4 * particles.levels[level - 1].points);
      EXPECT_DOUBLE_EQ(report.radius, 0.5 * particles.levels[level - 1].radius);
    }
    // Measured: CV 0.06-0.075, mean 0.87-0.91, least 0.7.
    const SpacingStatistics spacing =
        nearest_spacing(std::span(particles.points).first(ends[level]));
    EXPECT_LE(spacing.coefficient_of_variation, 0.12) << name << " level " << level + 1;
    EXPECT_GE(spacing.mean / std::sqrt(surface_area(mesh) / ends[level]), 0.80) << name;
    EXPECT_GE(spacing.minimum / spacing.mean, 0.5) << name << " level " << level + 1;
    if (level > 0) {
      EXPECT_GE(spacing.mean / spacing_above, 0.4) << name;
      EXPECT_LE(spacing.mean / spacing_above, 0.6) << name;
    }
    spacing_above = spacing.mean;
  }
}

TEST(ParticleRepulsion, sphere_is_sampled_evenly_at_every_level) {
  expect_even_levels(sphere_mesh(0.1, 6), "sphere");
}

TEST(ParticleRepulsion, torus_is_sampled_evenly_at_every_level) {
  expect_even_levels(make_shape("torus", {}), "torus");
}

TEST(ParticleRepulsion, rounded_box_is_sampled_evenly_at_every_level) {
  expect_even_levels(rounded_box(), "rounded box");
}

TEST(ParticleRepulsion, finer_levels_do_not_move_the_coarser_ones) {
  const SurfaceDistance surface(sphere_mesh(0.1, 5));
  const RepelledParticles coarse = repel_particles({surface}, repulsion_level_ends(0, 2, 100), {});
  const RepelledParticles fine = repel_particles({surface}, repulsion_level_ends(0, 4, 100), {});
  ASSERT_EQ(coarse.points.size(), 500U);
  ASSERT_EQ(fine.points.size(), 8500U);
  for (std::size_t s = 0; s < coarse.points.size(); ++s) {
    ASSERT_EQ(coarse.points[s], fine.points[s]);  // bitwise
  }
}

TEST(ParticleRepulsion, offset_shells_lie_at_the_offset_from_their_source) {
  // A plate without thickness: the isosurface strays from its level set by about a tenth of a
  // voxel along the round rim, the particles do not.
  TriangleMesh plate;
  plate.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  plate.triangles = {{0, 1, 2}, {0, 2, 3}};
  const ContactSurface contact = make_contact_surface(plate, {.resolution = 64});
  const SurfaceDistance surface(contact.mesh), source(plate);
  const RepelledParticles particles =
      repel_particles({surface, &source, contact.offset}, repulsion_level_ends(0, 3, 200), {});
  double stray = 0.0;
  for (const Vector3& p : particles.points) {
    ASSERT_LE(std::abs(source.unsigned_distance(p) - contact.offset), 1e-4);
    stray = std::max(stray, surface.unsigned_distance(p));
  }
  EXPECT_GT(stray, 1e-4);
  EXPECT_LT(stray, contact.voxel);
}

TEST(ParticleRepulsion, the_number_of_threads_does_not_change_a_bit) {
  const SurfaceDistance surface(make_shape("torus", {}));
  const std::vector<std::uint32_t> ends = repulsion_level_ends(3000, 3, 0);
  RepelledParticles one;
  {
    const tbb::global_control serial(tbb::global_control::max_allowed_parallelism, 1);
    one = repel_particles({surface}, ends, {});
  }
  const tbb::global_control wide(tbb::global_control::max_allowed_parallelism, 4);
  EXPECT_EQ(one.points, repel_particles({surface}, ends, {}).points);
  RepulsionSettings other;
  other.seed = 2;
  EXPECT_NE(one.points, repel_particles({surface}, ends, other).points);
}

TEST(ParticleRepulsion, coincident_particles_separate) {
  // Far from the origin floats are 1e-3 apart, so that some particles are drawn at equal places.
  TriangleMesh mesh = sphere_mesh(0.1, 4);
  for (Vector3& v : mesh.vertices) v += Vector3::Constant(8192.0);
  const SurfaceDistance surface(mesh);
  const std::uint32_t count = 3000;
  const SurfaceSampler sampler(mesh, RepulsionSettings().seed);
  std::vector<Vector3> drawn;
  for (std::uint32_t p = 0; p < count; ++p) drawn.push_back(sampler.stratified(p, count).point);
  ASSERT_EQ(nearest_spacing(drawn).minimum, 0.0);

  const RepelledParticles particles =
      repel_particles({surface}, std::vector<std::uint32_t>{count}, {});
  // The even spacing of 0.0058 less the roundings of two points.
  EXPECT_GT(nearest_spacing(particles.points).minimum, 0.002);
}

TEST(ParticleRepulsion, bad_settings_are_refused) {
  const SurfaceDistance surface(sphere_mesh(0.1, 2));
  const std::vector<std::uint32_t> ends = {10};
  for (const auto& change :
       {&RepulsionSettings::radius, &RepulsionSettings::step, &RepulsionSettings::tolerance}) {
    RepulsionSettings settings;
    settings.*change = 0.0;
    EXPECT_THROW(repel_particles({surface}, ends, settings), InputError);
  }
  RepulsionSettings settings;
  settings.max_iterations = 0;
  EXPECT_THROW(repel_particles({surface}, ends, settings), InputError);
}

RC_GTEST_PROP(ParticleGrid, neighbours_equal_brute_force, ()) {
  // Coordinates around zero and across many periods of the hash.
  const auto count = *rc::gen::inRange<std::size_t>(1, 200);
  const auto extent = *rc::gen::inRange(1, 400);
  const auto coordinate = rc::gen::map(rc::gen::inRange(-extent, extent + 1),
                                       [](int i) { return 0.1 * static_cast<double>(i); });
  const auto coordinates = *rc::gen::container<std::vector<double>>(3 * count, coordinate);
  std::vector<Vector3> points;
  for (std::size_t p = 0; p < count; ++p) points.emplace_back(&coordinates[3 * p]);
  const double radius = *rc::gen::element(0.35, 1.05, 7.3);
  ParticleGrid grid(count, radius);
  grid.fill(points);
  for (const Vector3& p : points) {
    std::vector<std::uint32_t> found, expected;
    grid.for_each_near(p, [&](std::uint32_t i, const Vector3& difference, double d2) {
      RC_ASSERT(difference == p - points[i]);
      RC_ASSERT(d2 == difference.squaredNorm());
      found.push_back(i);
    });
    for (std::uint32_t i = 0; i < count; ++i) {
      if ((p - points[i]).squaredNorm() < radius * radius) expected.push_back(i);
    }
    std::sort(found.begin(), found.end());
    RC_ASSERT(found == expected);
  }
}

RC_GTEST_PROP(ShellLevels, repulsion_levels_grow_by_four, ()) {
  const auto points = *rc::gen::inRange<std::uint32_t>(1, 2'000'000);
  const auto levels = *rc::gen::inRange<std::uint32_t>(0, 8);
  const double least = (std::pow(4.0, levels) - 1.0) / 6.0;
  RC_PRE(levels == 0 || points >= least);
  const std::vector<std::uint32_t> ends = repulsion_level_ends(points, levels, 0);
  RC_ASSERT(ends.back() == points);
  RC_ASSERT(levels == 0 || ends.size() == levels);
  const std::uint32_t first = ends.front();
  std::uint64_t size = first, end = 0;
  for (std::size_t level = 0; level + 1 < ends.size(); ++level, size *= 4) {
    end += size;
    RC_ASSERT(ends[level] == end);
  }
  // The last level has the rest: four times the one above, except for the rounding of n_1.
  if (ends.size() > 1) RC_ASSERT(points > ends[ends.size() - 2]);
  if (ends.size() > 1 && first >= 16) {
    const double last = points - static_cast<double>(end);
    RC_ASSERT(std::abs(last / static_cast<double>(size) - 1.0) <= 0.6 / first * 4.0 / 3.0);
  }
  RC_ASSERT(levels != 0 || ends.size() == 1 || first >= 64);
}

TEST(ShellLevels, published_sizes) {
  // Barbic 2007: 5571/85 = 65.5, 85,018/85, 256,000/341 = 750.7, 1.02M/1365 = 747.
  EXPECT_EQ(repulsion_level_ends(5571, 4, 0).front(), 66U);
  EXPECT_EQ(repulsion_level_ends(85018, 4, 0).front(), 1000U);
  EXPECT_EQ(repulsion_level_ends(256000, 5, 0).front(), 751U);
  EXPECT_EQ(repulsion_level_ends(1020000, 6, 0).front(), 747U);
  EXPECT_EQ(repulsion_level_ends(0, 6, 747).back(), 747U * 1365U);
  EXPECT_EQ(repulsion_level_ends(1000, 0, 100), (std::vector<std::uint32_t>{100, 500, 1000}));
  EXPECT_EQ(shell_level_ends(1000, 0, 100), (std::vector<std::uint32_t>{100, 500, 1000}));
  EXPECT_THROW(repulsion_level_ends(10, 4, 0), InputError);
  EXPECT_THROW(repulsion_level_ends(100, 17, 0), InputError);
  EXPECT_THROW(repulsion_level_ends(100, 3, 10), InputError);
  EXPECT_THROW(repulsion_level_ends(0, 8, 1000), InputError);
  EXPECT_THROW(repulsion_level_ends(100, 0, 101), InputError);
}

}  // namespace
}  // namespace haptic
