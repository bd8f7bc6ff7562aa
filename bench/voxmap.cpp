#include "bench/voxmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kStored = 0x80000000u;
constexpr std::uint32_t kCellsABlock = Voxmap::kBlock * Voxmap::kBlock * Voxmap::kBlock;
constexpr std::uint8_t kUnreached = 255;

/// Whether each corner of a layer is inside.
std::vector<std::uint8_t> inside_of_layer(const SignedField& field, const Vector3& lower,
                                          double edge, std::uint32_t corners, std::uint32_t k) {
  std::vector<std::uint8_t> inside(std::size_t{corners} * corners);
  FieldPoints points;
  FieldSamples samples;
  for (std::size_t first = 0; first < inside.size(); first += kFieldBatch) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(kFieldBatch, inside.size() - first));
    for (std::uint32_t b = 0; b < count; ++b) {
      points.x[b] = lower.x() + edge * static_cast<double>((first + b) % corners);
      points.y[b] = lower.y() + edge * static_cast<double>((first + b) / corners);
      points.z[b] = lower.z() + edge * static_cast<double>(k);
    }
    field.evaluate(points, count, Culling::kPublished, samples);
    for (std::uint32_t b = 0; b < count; ++b) inside[first + b] = samples.distance[b] < 0.0;
  }
  return inside;
}

/// Chessboard distance of every cell of n^3 from the nearest cell whose value is 0, in place; two
/// raster passes over the half neighbourhoods are exact for this metric.
void chessboard_distance(std::vector<std::uint8_t>& distance, std::uint32_t n) {
  const auto side = static_cast<std::ptrdiff_t>(n);
  const auto sweep = [&](bool forward) {
    for (std::ptrdiff_t step = 0; step < side * side * side; ++step) {
      const std::ptrdiff_t at = forward ? step : side * side * side - 1 - step;
      const std::ptrdiff_t i = at % side, j = at / side % side, k = at / (side * side);
      std::uint8_t nearest = distance[static_cast<std::size_t>(at)];
      for (std::ptrdiff_t neighbour = 0; neighbour < 13; ++neighbour) {
        const std::ptrdiff_t sign = forward ? 1 : -1;
        const std::ptrdiff_t di = sign * (neighbour % 3 - 1), dj = sign * (neighbour / 3 % 3 - 1),
                             dk = sign * (neighbour / 9 - 1);
        if (i + di < 0 || i + di >= side || j + dj < 0 || j + dj >= side || k + dk < 0 ||
            k + dk >= side) {
          continue;
        }
        const std::uint8_t there =
            distance[static_cast<std::size_t>(at + di + side * (dj + side * dk))];
        if (there < kUnreached - 1) nearest = std::min<std::uint8_t>(nearest, there + 1);
      }
      distance[static_cast<std::size_t>(at)] = nearest;
    }
  };
  sweep(true);
  sweep(false);
}

}  // namespace

Voxmap::Voxmap(const SignedField& field, const Vector3& lower, double edge,
               std::uint32_t resolution, Bits bits)
    : lower_(lower),
      edge_(edge),
      inverse_edge_(1.0 / edge),
      resolution_(resolution),
      blocks_a_side_(resolution / kBlock),
      bits_(static_cast<std::uint32_t>(bits)) {
  if (resolution == 0 || resolution % kBlock != 0) {
    throw InputError("voxmap", "resolution", fmt::format("found {}", resolution),
                     fmt::format("a multiple of {}", kBlock));
  }
  const std::uint32_t n = resolution, corners = n + 1;
  std::vector<std::uint8_t> distance(std::size_t{n} * n * n, kUnreached);
  std::vector<bool> interior(distance.size());
  std::vector<std::uint8_t> below = inside_of_layer(field, lower, edge, corners, 0);
  for (std::uint32_t k = 0; k < n; ++k) {
    std::vector<std::uint8_t> above = inside_of_layer(field, lower, edge, corners, k + 1);
    for (std::uint32_t j = 0; j < n; ++j) {
      for (std::uint32_t i = 0; i < n; ++i) {
        std::uint32_t inside = 0;
        for (const std::vector<std::uint8_t>* layer : {&below, &above}) {
          const std::uint8_t* corner = layer->data() + std::size_t{j} * corners + i;
          inside += corner[0] + corner[1] + corner[corners] + corner[corners + 1];
        }
        const std::size_t cell = (std::size_t{k} * n + j) * n + i;
        if (inside > 0 && inside < 8) distance[cell] = 0;
        interior[cell] = inside == 8;
      }
    }
    below = std::move(above);
  }
  chessboard_distance(distance, n);
  const std::uint32_t last = bits_ == 4 ? 16 - kProximity : 1;  // the largest distance with a code
  for (std::size_t cell = 0; cell < distance.size(); ++cell) {
    const std::uint32_t d = distance[cell];
    const std::uint32_t shown = interior[cell] ? std::uint32_t{kInterior}
                                : d == 0       ? std::uint32_t{kSurface}
                                : d > last     ? std::uint32_t{kFree}
                                               : kProximity + d - 1;
    distance[cell] = static_cast<std::uint8_t>(shown);
  }
  collapse(distance);
  measure_blocks();
}

void Voxmap::collapse(const std::vector<std::uint8_t>& codes) {
  top_.resize(std::size_t{blocks_a_side_} * blocks_a_side_ * blocks_a_side_);
  std::array<std::uint8_t, kCellsABlock> cells;
  std::uint32_t stored = 0;
  for (std::size_t b = 0; b < top_.size(); ++b) {
    const std::size_t i0 = b % blocks_a_side_ * kBlock,
                      j0 = b / blocks_a_side_ % blocks_a_side_ * kBlock,
                      k0 = b / blocks_a_side_ / blocks_a_side_ * kBlock;
    for (std::size_t c = 0; c < kCellsABlock; ++c) {
      const std::size_t i = i0 + c % kBlock, j = j0 + c / kBlock % kBlock,
                        k = k0 + c / kBlock / kBlock;
      cells[c] = codes[(k * resolution_ + j) * resolution_ + i];
    }
    if (std::all_of(cells.begin(), cells.end(), [&](std::uint8_t c) { return c == cells[0]; })) {
      top_[b] = cells[0];
      continue;
    }
    top_[b] = kStored + stored++;
    const std::size_t begin = blocks_.size();
    blocks_.resize(begin + kCellsABlock * bits_ / 8, 0);
    for (std::size_t c = 0; c < kCellsABlock; ++c) {
      const std::size_t bit = c * bits_;
      blocks_[begin + bit / 8] |= static_cast<std::uint8_t>(cells[c] << (bit % 8));
    }
  }
}

/// A block is near contact if it has a cell of the surface or the interior.
void Voxmap::measure_blocks() {
  block_distance_.assign(top_.size(), kUnreached);
  for (std::uint32_t k = 0; k < resolution_; ++k) {
    for (std::uint32_t j = 0; j < resolution_; ++j) {
      for (std::uint32_t i = 0; i < resolution_; ++i) {
        const std::uint8_t c = code(i, j, k);
        if (c == kSurface || c == kInterior) block_distance_[block_of(i, j, k)] = 0;
      }
    }
  }
  chessboard_distance(block_distance_, blocks_a_side_);
}

Voxmap::Cell Voxmap::locate(const Vector3& p) const {
  const Vector3 at = inverse_edge_ * (p - lower_);
  const double n = resolution_;
  const double outside = std::max({0.0, (-at).maxCoeff(), at.maxCoeff() - n}) * edge_;
  const auto along = [&](double x) {
    return static_cast<std::uint32_t>(std::clamp(x, 0.0, n - 1.0));
  };
  return {along(at.x()), along(at.y()), along(at.z()), outside};
}

std::uint8_t Voxmap::code(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
  const std::uint32_t top = top_[block_of(i, j, k)];
  if (top < kStored) return static_cast<std::uint8_t>(top);
  const std::uint32_t cell = ((k % kBlock) * kBlock + j % kBlock) * kBlock + i % kBlock;
  const std::size_t bit = std::size_t{cell} * bits_;
  const std::uint8_t byte =
      blocks_[std::size_t{top - kStored} * (kCellsABlock * bits_ / 8) + bit / 8];
  return static_cast<std::uint8_t>((byte >> (bit % 8)) & ((1u << bits_) - 1u));
}

Vector3 Voxmap::centre(const Cell& cell) const {
  return lower_ + edge_ * (Vector3(cell.i, cell.j, cell.k) + Vector3::Constant(0.5));
}

double Voxmap::clearance(std::uint8_t code) const {
  if (code == kInterior || code == kSurface) return 0.0;
  const std::uint32_t last = bits_ == 4 ? 16 - kProximity : 1;
  // Between a cell at distance d and a surface cell are d - 1 whole cells.
  return edge_ * (code == kFree ? last : static_cast<std::uint32_t>(code - kProximity));
}

double Voxmap::block_clearance(const Cell& cell) const {
  const std::uint32_t distance = block_distance_[block_of(cell.i, cell.j, cell.k)];
  return distance == 0 ? 0.0 : edge_ * kBlock * (distance - 1.0);
}

}  // namespace haptic
