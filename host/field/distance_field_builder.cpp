#include "host/field/distance_field_builder.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// A grid without values, of checked settings.
DistanceGrid frame_of_grid(const SurfaceDistance& surface, const DistanceFieldSettings& settings) {
  const std::uint32_t resolution = settings.resolution;
  if (!std::has_single_bit(resolution) || resolution < 16 || resolution > 512) {
    throw InputError("field", "resolution", fmt::format("found {}", resolution),
                     "a power of two from 16 to 512");
  }
  return distance_field_frame(surface, resolution, settings.expansion);
}

class ProgressCounter {
 public:
  ProgressCounter(const FieldProgress& report, std::size_t total)
      : report_(report), total_(total) {}
  void advance() {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    report_(static_cast<double>(++done_) / static_cast<double>(total_));
  }

 private:
  const FieldProgress& report_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::mutex mutex_;
};

/// Smallest sample on the six faces of the box.
float smallest_on_boundary(const DistanceGrid& grid) {
  float smallest = grid.values.front();
  const std::size_t n = grid.resolution;
  for (std::size_t a = 0; a <= n; ++a) {
    for (std::size_t b = 0; b <= n; ++b) {
      smallest =
          std::min({smallest, grid.values[grid.index(0, a, b)], grid.values[grid.index(n, a, b)],
                    grid.values[grid.index(a, 0, b)], grid.values[grid.index(a, n, b)],
                    grid.values[grid.index(a, b, 0)], grid.values[grid.index(a, b, n)]});
    }
  }
  return smallest;
}

}  // namespace

DistanceGrid distance_field_frame(const SurfaceDistance& surface, std::uint32_t resolution,
                                  double expansion) {
  if (!(expansion > 1.0 && expansion <= 10.0)) {
    throw InputError("field", "expansion", fmt::format("found {}", expansion),
                     "a number above 1, at most 10");
  }
  const BoundingBox box = bounding_box(surface.mesh());
  const double side = expansion * box.longest_side();
  DistanceGrid grid;
  grid.resolution = resolution;
  grid.spacing = side / resolution;
  grid.origin = box.centre() - Vector3::Constant(0.5 * side);
  const Vector3 upper = grid.origin + Vector3::Constant(resolution * grid.spacing);
  grid.boundary_min =
      std::min((box.lower - grid.origin).minCoeff(), (upper - box.upper).minCoeff());
  return grid;
}

std::vector<float> distance_field_layers(const SurfaceDistance& surface,
                                         const DistanceFieldSettings& settings, std::size_t first,
                                         std::size_t end, const FieldProgress& progress) {
  const DistanceGrid grid = frame_of_grid(surface, settings);
  const std::size_t corners = grid.resolution + 1;
  HAPTIC_DEMAND(first <= end && end <= corners);
  std::vector<float> values((end - first) * corners * corners);
  ProgressCounter counter(progress, end - first);
  // The nearest triangle of a neighbour is a good first guess. It changes the time, not the result.
  tbb::parallel_for(first, end, [&](std::size_t k) {
    std::uint32_t row_start = 0;
    float* value = &values[(k - first) * corners * corners];
    for (std::size_t j = 0; j < corners; ++j) {
      std::uint32_t hint = row_start;
      for (std::size_t i = 0; i < corners; ++i) {
        const Vector3 p = grid.corner(i, j, k);
        const NearestPoint nearest = surface.nearest(p, hint);
        *value++ = static_cast<float>(surface.signed_distance(p, nearest));
        hint = nearest.triangle;
        if (i == 0) row_start = hint;
      }
    }
    counter.advance();
  });
  return values;
}

DistanceGrid checked_distance_field(const SurfaceDistance& surface,
                                    const DistanceFieldSettings& settings,
                                    std::vector<float> values) {
  DistanceGrid grid = frame_of_grid(surface, settings);
  const std::size_t corners = grid.resolution + 1;
  HAPTIC_DEMAND(values.size() == corners * corners * corners);
  grid.values = std::move(values);
  // Rounding to float can lift or lower a sample by an ulp; the bound holds for the samples too.
  grid.boundary_min = std::min(grid.boundary_min, static_cast<double>(smallest_on_boundary(grid)));
  const double step = largest_step(grid);
  // Two roundings of values up to 2 N voxels, in units of 2^-24, stay below 1e-4 of a voxel.
  if (step > 1.0 + 1e-4 || !(grid.boundary_min > 0.0)) {
    throw OperationError(fmt::format(
        "distance field: neighbouring samples differ by {:.3g} voxels (at most 1 is possible) and "
        "the smallest value on the box is {:.3g} m: the surface is not closed or intersects itself",
        step, grid.boundary_min));
  }
  return grid;
}

DistanceGrid build_distance_field(const SurfaceDistance& surface,
                                  const DistanceFieldSettings& settings,
                                  const FieldProgress& progress) {
  return checked_distance_field(
      surface, settings,
      distance_field_layers(surface, settings, 0, std::size_t{settings.resolution} + 1, progress));
}

DistanceGrid build_unsigned_band(const SurfaceDistance& surface,
                                 const DistanceFieldSettings& settings, double band) {
  DistanceGrid grid = frame_of_grid(surface, settings);
  const std::size_t corners = grid.resolution + 1;
  grid.values.resize(corners * corners * corners);
  constexpr std::size_t kBlock = 8;
  const std::size_t blocks = (corners + kBlock - 1) / kBlock;
  tbb::parallel_for(std::size_t{0}, blocks * blocks * blocks, [&](std::size_t block) {
    const std::size_t i0 = block % blocks * kBlock;
    const std::size_t j0 = block / blocks % blocks * kBlock;
    const std::size_t k0 = block / blocks / blocks * kBlock;
    const Vector3 low = grid.corner(i0, j0, k0);
    const Vector3 centre = low + Vector3::Constant(0.5 * (kBlock - 1) * grid.spacing);
    const NearestPoint at_centre = surface.nearest(centre);
    const double radius = (centre - low).norm();
    const bool far = at_centre.distance - radius > band;
    std::uint32_t hint = at_centre.triangle;
    for (std::size_t k = k0; k < std::min(k0 + kBlock, corners); ++k) {
      for (std::size_t j = j0; j < std::min(j0 + kBlock, corners); ++j) {
        for (std::size_t i = i0; i < std::min(i0 + kBlock, corners); ++i) {
          const Vector3 p = grid.corner(i, j, k);
          float& value = grid.values[grid.index(i, j, k)];
          if (far) {
            value = static_cast<float>(at_centre.distance - (p - centre).norm());
          } else {
            const NearestPoint nearest = surface.nearest(p, hint);
            value = static_cast<float>(nearest.distance);
            hint = nearest.triangle;
          }
        }
      }
    }
  });
  return grid;
}

double largest_step(const DistanceGrid& grid) {
  const std::size_t n = grid.resolution;
  const float largest = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, n + 1), 0.0f,
      [&](const tbb::blocked_range<std::size_t>& range, float step) {
        for (std::size_t k = range.begin(); k < range.end(); ++k) {
          for (std::size_t j = 0; j <= n; ++j) {
            for (std::size_t i = 0; i <= n; ++i) {
              const float here = grid.values[grid.index(i, j, k)];
              if (i < n)
                step = std::max(step, std::abs(grid.values[grid.index(i + 1, j, k)] - here));
              if (j < n)
                step = std::max(step, std::abs(grid.values[grid.index(i, j + 1, k)] - here));
              if (k < n)
                step = std::max(step, std::abs(grid.values[grid.index(i, j, k + 1)] - here));
            }
          }
        }
        return step;
      },
      [](float a, float b) { return std::max(a, b); });
  return static_cast<double>(largest) / grid.spacing;
}

}  // namespace haptic
