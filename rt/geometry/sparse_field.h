#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rt/geometry/grid_kernels.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

class ModelFile;

/// A sampled signed distance field that stores only the blocks of 8^3 samples near the surface, as
/// a NanoVDB float grid: sections /field/sparse, /field/resolution and /field/frame. A read-only
/// view of the bytes, whose owner outlives it.
///
/// The samples of a stored block are those of the dense field. Every other block has one value,
/// with the sign of its samples and at most their smallest magnitude. The interpolant therefore
/// never exceeds the dense one where that is positive, and has the same bits in every cell of
/// stored samples. If all cells that change sign are stored, exactly the points inside the dense
/// field are inside, and a free radius computed from the lower value is as safe. There are two
/// differences: far from the surface free radii are shorter (by up to a block's diagonal, 8 sqrt(3)
/// voxels), and points deeper inside than the stored band have a smaller depth.
/// Source: docs/methods/contact-and-coupling.md, "Sparse field"; Museth 2021 (NanoVDB).
class SparseField final : public SignedField {
 public:
  /// @param bytes one NanoVDB grid, aligned to 32; every offset and value in it is checked here
  /// @throws InputError if an argument is invalid
  SparseField(std::span<const std::uint8_t> bytes, std::uint32_t resolution,
              std::span<const double> frame, std::string_view source = "field");
  explicit SparseField(const ModelFile& model);

  double distance(const Vector3& p) const HAPTIC_REALTIME;
  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override;
  /// Looks up the blocks, which loads their nodes into cache, and prefetches the samples.
  void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME override;
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override;

  std::uint32_t resolution() const { return resolution_; }  ///< N
  double edge() const HAPTIC_REALTIME override { return grid_.edge; }
  double reach() const HAPTIC_REALTIME override { return reach_; }
  double inner_depth() const HAPTIC_REALTIME override { return inner_depth_; }
  const GridView& grid() const { return grid_; }  ///< `values` is null

  /// Sample (i, j, k), each 0..N.
  float value(std::uint32_t i, std::uint32_t j, std::uint32_t k) const HAPTIC_REALTIME;
  /// Whether the block of sample (i, j, k) is stored.
  bool is_stored(std::uint32_t i, std::uint32_t j, std::uint32_t k) const HAPTIC_REALTIME;

 private:
  struct Cell {
    std::uint32_t i, j, k;  // lowest corner
    __m256d t;              // grid::Place
  };

  /// nullopt outside the box.
  std::optional<Cell> cell(const Vector3& p) const HAPTIC_REALTIME;
  grid::Corners gather(const Cell& cell) const HAPTIC_REALTIME;
  /// Samples of a block, z fastest; null for a block with one value, which is written to `tile`.
  const float* block(std::uint32_t i, std::uint32_t j, std::uint32_t k,
                     float& tile) const HAPTIC_REALTIME;

  GridView grid_;
  const void* upper_ = nullptr;  // the only upper node, of 4096^3 samples
  std::uint32_t resolution_ = 0;
  double reach_ = 0.0, inner_depth_ = 0.0;
};

}  // namespace haptic
