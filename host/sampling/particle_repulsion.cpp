#include "host/sampling/particle_repulsion.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "host/sampling/particle_grid.h"
#include "host/sampling/stored_precision.h"
#include "host/sampling/surface_samples.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// Tolerance of the level set over the longest side; Barbic 2007, Section 3.8.1, requires 1e-4.
constexpr double kOnLevelSet = 1e-6;
/// A particle that would slide along the surface by less, in units of the tolerance, is not moved.
constexpr double kRest = 0.1;
constexpr std::size_t kGrain = 256;

using Range = tbb::blocked_range<std::size_t>;

void check(const RepulsionSettings& s, std::span<const std::uint32_t> level_end) {
  const bool in_range =
      s.radius > 0.0 && s.step > 0.0 && s.step <= 1.0 && s.tolerance > 0.0 && s.max_iterations > 0;
  if (!in_range) {
    throw InputError("repulsion", "settings", "found one out of range",
                     "radius > 0, 0 < step <= 1, tolerance > 0, max_iterations > 0");
  }
  HAPTIC_DEMAND(!level_end.empty() && level_end.front() > 0);
}

/// One level's particles, repelled from the settled ones of the levels before.
class Level {
 public:
  Level(const ParticleSurface& on, const SurfaceSampler& sampler, const RepulsionSettings& settings,
        std::span<const Vector3> settled, std::size_t count, double radius);

  RepulsionLevel relax(const RepulsionProgress& progress);
  const std::vector<Vector3>& points() const { return position_; }

 private:
  Vector3 repulsion(const Vector3& x, std::uint32_t self, std::uint64_t draw) const;
  double move_all(std::uint64_t iteration);
  Vector3 away(std::uint32_t self, std::uint64_t draw) const;
  void settle(RepulsionLevel& report);
  bool reach_offset(Vector3& x, std::uint32_t& hint) const;

  const ParticleSurface& on_;
  const SurfaceSampler& sampler_;
  const RepulsionSettings& settings_;
  double radius_;
  double size_;
  std::size_t older_;
  ParticleGrid settled_;
  ParticleGrid moving_;
  std::vector<Vector3> position_;
  std::vector<Vector3> next_;
  std::vector<Vector3> normal_;          // of the surface at position_
  std::vector<std::uint32_t> triangle_;  // of the surface, near position_
};

Level::Level(const ParticleSurface& on, const SurfaceSampler& sampler,
             const RepulsionSettings& settings, std::span<const Vector3> settled, std::size_t count,
             double radius)
    : on_(on),
      sampler_(sampler),
      settings_(settings),
      radius_(radius),
      size_(bounding_box(on.surface.mesh()).longest_side()),
      older_(settled.size()),
      settled_(settled.size(), radius),
      moving_(count, radius) {
  settled_.fill(settled);
  // Drawn in the order of the triangles and then sorted by place: neighbours stay near each other
  // in memory, while this level moves and in the model.
  std::vector<Vector3> drawn(count);
  std::vector<std::uint32_t> drawn_on(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t p) {
    const auto sample = sampler.stratified(p, count);
    drawn[p] = sample.point;
    drawn_on[p] = sample.triangle;
  });
  moving_.fill(drawn);
  position_.reserve(count);
  for (const ParticleGrid::Particle& particle : moving_.particles()) {
    position_.push_back(particle.position);
    triangle_.push_back(drawn_on[particle.index]);
  }
  next_ = position_;
  normal_.resize(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t p) {
    normal_[p] = on_.surface.nearest_on_triangle(position_[p], triangle_[p]).pseudonormal;
  });
}

/// A random direction for a particle that has another one at its own place.
Vector3 Level::away(std::uint32_t self, std::uint64_t draw) const {
  const std::uint64_t particle = older_ + self;
  const double z = 2.0 * uniform_at(settings_.seed + 1, particle, 2 * draw) - 1.0;
  const double turn =
      2.0 * std::numbers::pi * uniform_at(settings_.seed + 1, particle, 2 * draw + 1);
  const double r = std::sqrt(1.0 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

/// g: descent direction of the potential, without unit.
Vector3 Level::repulsion(const Vector3& x, std::uint32_t self, std::uint64_t draw) const {
  constexpr std::uint32_t kOlder = UINT32_MAX;
  Vector3 g = Vector3::Zero();
  const auto add = [&](std::uint32_t other, const Vector3& difference, double d2) {
    if (other == self) return;
    if (d2 == 0.0) {
      g += away(self, draw);
      return;
    }
    const double d = std::sqrt(d2);
    const double t = d / radius_;
    g += ((2.0 * t - 3.0) * t * t + 1.0) / d * difference;
  };
  moving_.for_each_near(x, add);
  settled_.for_each_near(
      x, [&](std::uint32_t, const Vector3& difference, double d2) { add(kOlder, difference, d2); });
  return g;
}

/// One step of all particles. @returns the largest move [m]
double Level::move_all(std::uint64_t iteration) {
  moving_.fill(position_);
  const double rest = kRest * settings_.tolerance * radius_;
  const auto particles = moving_.particles();
  const double largest = tbb::parallel_reduce(
      Range(0, particles.size(), kGrain), 0.0,
      [&](const Range& range, double worst) {
        for (std::size_t at = range.begin(); at < range.end(); ++at) {
          const std::uint32_t p = particles[at].index;
          const Vector3& x = particles[at].position;
          Vector3 move = settings_.step * radius_ * repulsion(x, p, iteration);
          const double length = move.norm();
          if (length > 0.5 * radius_) move *= 0.5 * radius_ / length;
          const Vector3& n = normal_[p];
          if ((move - n.dot(move) * n).squaredNorm() < rest * rest) {
            next_[p] = x;
            continue;
          }
          const NearestPoint foot = on_.surface.nearest(x + move, triangle_[p]);
          next_[p] = foot.point;
          normal_[p] = foot.pseudonormal;
          triangle_[p] = foot.triangle;
          worst = std::max(worst, (foot.point - x).norm());
        }
        return worst;
      },
      [](double a, double b) { return std::max(a, b); });
  position_.swap(next_);
  return largest;
}

/// Newton's way to distance c from the source. @returns false where there is none: no direction, or
/// one that leads to another sheet
bool Level::reach_offset(Vector3& x, std::uint32_t& hint) const {
  constexpr int kSteps = 60;
  const Vector3 start = x;
  for (int step = 0; step < kSteps; ++step) {
    const NearestPoint foot = on_.source->nearest(x, hint);
    hint = foot.triangle;
    if (std::abs(foot.distance - on_.offset) <= kOnLevelSet * size_) return true;
    if (foot.distance < 1e-3 * on_.offset) return false;
    x += (on_.offset / foot.distance - 1.0) * (x - foot.point);
    if ((x - start).norm() > on_.offset) return false;
  }
  return false;
}

/// The particles as they will be stored: on the level set, rounded.
void Level::settle(RepulsionLevel& report) {
  constexpr std::uint64_t kTries = 64;
  std::vector<std::uint8_t> tries(position_.size(), 0);
  tbb::parallel_for(Range(0, position_.size(), kGrain), [&](const Range& range) {
    std::uint32_t hint = 0;
    for (std::size_t p = range.begin(); p < range.end(); ++p) {
      if (on_.source != nullptr) {
        while (!reach_offset(position_[p], hint) && tries[p] < kTries) {
          position_[p] = sampler_.anywhere((older_ + p) * kTries + tries[p]++).point;
        }
      }
      position_[p] = as_stored(position_[p]);
    }
  });
  for (const std::uint8_t t : tries) {
    if (t == kTries) {
      throw OperationError(
          "particle repulsion: no particle could be moved from the surface to the level set");
    }
    report.reinjected += t > 0;
  }
}

RepulsionLevel Level::relax(const RepulsionProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  RepulsionLevel report;
  report.points = static_cast<std::uint32_t>(position_.size());
  report.radius = radius_;
  do {
    report.largest_move = move_all(static_cast<std::uint64_t>(report.iterations)) / radius_;
    ++report.iterations;
    if (progress) {
      progress(static_cast<double>(report.iterations) / settings_.max_iterations);
    }
  } while (report.largest_move > settings_.tolerance &&
           report.iterations < settings_.max_iterations);
  settle(report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

RepelledParticles repel_particles(const ParticleSurface& on,
                                  std::span<const std::uint32_t> level_end,
                                  const RepulsionSettings& settings,
                                  const RepulsionProgress& progress) {
  check(settings, level_end);
  RepelledParticles result;
  std::uint32_t done = 0;
  double radius = 0.0;
  for (const std::uint32_t end : level_end) {
    HAPTIC_DEMAND(end > done);
    const SurfaceSampler sampler(on.surface.mesh(), settings.seed + result.levels.size());
    radius = done == 0 ? settings.radius * std::sqrt(sampler.area() / end) : 0.5 * radius;
    Level level(on, sampler, settings, result.points, end - done, radius);
    const double of_all = static_cast<double>(end - done) / level_end.back();
    const double before = static_cast<double>(done) / level_end.back();
    result.levels.push_back(level.relax([&](double fraction) {
      if (progress) progress(before + of_all * fraction);
    }));
    result.points.insert(result.points.end(), level.points().begin(), level.points().end());
    done = end;
  }
  return result;
}

}  // namespace haptic
