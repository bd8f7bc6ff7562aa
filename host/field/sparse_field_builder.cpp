#include "host/field/sparse_field_builder.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>

#include "host/vdb/nanovdb_grid.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kSide = GridBlock::kSide, kSamples = GridBlock::kSamples;

/// The largest float not above |bound|, with its sign: rounding must not raise a lower bound.
float rounded_in(double bound) {
  const auto nearest = static_cast<float>(bound);
  return std::abs(static_cast<double>(nearest)) > std::abs(bound) ? std::nextafter(nearest, 0.0f)
                                                                  : nearest;
}

DistanceGrid checked_frame(const SurfaceDistance& surface, const SparseFieldSettings& settings) {
  if (!std::has_single_bit(settings.resolution) || settings.resolution < 16 ||
      settings.resolution > 1024) {
    throw InputError("field", "resolution", fmt::format("found {}", settings.resolution),
                     "a power of two from 16 to 1024");
  }
  if (!(settings.band >= 2.0 && settings.band <= 64.0)) {
    throw InputError("field", "band", fmt::format("found {}", settings.band),
                     "a number from 2 to 64 [voxels]");
  }
  return distance_field_frame(surface, settings.resolution, settings.expansion);
}

class Builder {
 public:
  Builder(const SurfaceDistance& surface, const SparseFieldSettings& settings)
      : surface_(surface),
        frame_(checked_frame(surface, settings)),
        band_(settings.band * frame_.spacing),
        across_(frame_.resolution / kSide + 1) {}

  SparseGrid build(const FieldProgress& progress) {
    blocks_.resize(across_ * across_ * across_);
    std::mutex mutex;
    std::size_t done = 0;
    tbb::parallel_for(std::size_t{0}, across_ * across_, [&](std::size_t row) {
      std::uint32_t hint = 0;
      for (std::size_t c = 0; c < across_; ++c) {
        fill(row / across_, row % across_, c, hint, blocks_[row * across_ + c]);
      }
      if (!progress) return;
      const std::lock_guard lock(mutex);
      progress(static_cast<double>(++done) / static_cast<double>(across_ * across_));
    });
    SparseGrid grid;
    grid.resolution = frame_.resolution;
    grid.frame = frame_.frame();
    // Rounding to float can lift or lower a sample by an ulp; the bound holds for the samples too.
    grid.frame[4] *= 1.0 - 1e-6;
    grid.bytes = nanovdb_grid(blocks_, across_, static_cast<float>(frame_.boundary_min));
    for (const GridBlock& block : blocks_) grid.stored_samples += block.samples ? kSamples : 0;
    return grid;
  }

 private:
  Vector3 sample(std::size_t a, std::size_t b, std::size_t c, std::size_t s) const {
    return frame_.corner(kSide * a + s / 64, kSide * b + s / 8 % 8, kSide * c + s % 8);
  }

  void fill(std::size_t a, std::size_t b, std::size_t c, std::uint32_t& hint,
            GridBlock& block) const {
    const double half = 0.5 * (kSide - 1) * frame_.spacing;
    const Vector3 centre = frame_.corner(kSide * a, kSide * b, kSide * c) + Vector3::Constant(half);
    const NearestPoint nearest = surface_.nearest(centre, hint);
    hint = nearest.triangle;
    const double bound = nearest.distance - std::sqrt(3.0) * half;
    if (bound > band_) {
      block.bound = rounded_in(std::copysign(bound, surface_.signed_distance(centre, nearest)));
      return;
    }
    block.samples = std::make_unique<std::array<float, kSamples>>();
    std::uint32_t near = hint;
    for (std::size_t s = 0; s < kSamples; ++s) {
      const Vector3 p = sample(a, b, c, s);
      const NearestPoint found = surface_.nearest(p, near);
      near = found.triangle;
      (*block.samples)[s] = static_cast<float>(surface_.signed_distance(p, found));
    }
    check(*block.samples);
  }

  void check(const std::array<float, kSamples>& samples) const {
    double step = 0.0;
    for (std::size_t s = 0; s < kSamples; ++s) {
      const auto against = [&](std::size_t other) {
        step = std::max(step, std::abs(static_cast<double>(samples[s]) - samples[other]));
      };
      if (s / 64 < 7) against(s + 64);
      if (s / 8 % 8 < 7) against(s + 8);
      if (s % 8 < 7) against(s + 1);
    }
    if (step <= (1.0 + 1e-4) * frame_.spacing) return;
    throw OperationError(fmt::format(
        "distance field: neighbouring samples differ by {:.3g} voxels (at most 1 is possible): the "
        "surface is not closed or intersects itself",
        step / frame_.spacing));
  }

  const SurfaceDistance& surface_;
  DistanceGrid frame_;
  double band_;
  std::size_t across_;
  std::vector<GridBlock> blocks_;  // x slowest
};

}  // namespace

SparseGrid build_sparse_field(const SurfaceDistance& surface, const SparseFieldSettings& settings,
                              const FieldProgress& progress) {
  return Builder(surface, settings).build(progress);
}

}  // namespace haptic
