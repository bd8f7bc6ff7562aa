#include "host/sampling/modal_blocks.h"

#include <fmt/format.h>

#include "host/parallel/parallel_ranges.h"
#include "shared/error.h"

namespace haptic {

ModalBlocks build_modal_blocks(std::span<const double> basis, std::uint32_t r,
                               std::span<const EmbeddedPoint> embedding,
                               std::span<const Vector3> normals) {
  const std::size_t row = r;
  if (r == 0 || basis.size() % (3 * row) != 0) {
    throw InputError("modal blocks", "basis", fmt::format("found {} numbers", basis.size()),
                     fmt::format("a multiple of 3 x {}", r));
  }
  if (normals.size() != embedding.size()) {
    throw InputError("modal blocks", "normals", fmt::format("found {}", normals.size()),
                     fmt::format("one for each of {} points", embedding.size()));
  }
  const std::size_t vertices = basis.size() / (3 * row);
  for (const EmbeddedPoint& point : embedding) {
    for (const std::uint32_t v : point.vertices) {
      if (v >= vertices) {
        throw InputError("modal blocks", "embedding", fmt::format("found vertex {}", v),
                         fmt::format("vertices below {}", vertices));
      }
    }
  }

  ModalBlocks blocks;
  const std::size_t block = 3 * row;
  blocks.displacement.resize(embedding.size() * block);
  blocks.normal_correction.resize(embedding.size() * block);
  const auto fill = [&](std::size_t s) {
    const EmbeddedPoint& point = embedding[s];
    std::vector<double> U(block, 0.0);
    std::vector<double> DN(block, 0.0);
    for (std::size_t v = 0; v < 8; ++v) {
      const double* Uv = basis.data() + point.vertices[v] * block;
      const double phi = point.weights[v];
      const double slope = point.gradients[v].dot(normals[s]);
      for (std::size_t i = 0; i < block; ++i) {
        U[i] += phi * Uv[i];
        DN[i] += slope * Uv[i];
      }
    }
    for (std::size_t i = 0; i < block; ++i) {
      blocks.displacement[s * block + i] = static_cast<float>(U[i]);
      blocks.normal_correction[s * block + i] = static_cast<float>(DN[i]);
    }
  };
  parallel_ranges(embedding.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s != end; ++s) fill(s);
  });
  return blocks;
}

}  // namespace haptic
