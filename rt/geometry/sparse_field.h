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

/// A sampled signed distance of which only the blocks of 8^3 samples near the surface are stored,
/// as a NanoVDB float grid: sections /field/sparse, /field/resolution and /field/frame. A read-only
/// view of the bytes, whose owner outlives it.
///
/// Within a stored block the samples are those of the dense field. Every other block is one number
/// of the right sign that bounds its samples from below in magnitude. The interpolant then never
/// exceeds the dense one where that is positive and has its bits in every cell of stored samples;
/// if all cells that change sign are stored, points inside are exactly those of the dense field,
/// and a free radius computed from the lower value is as safe. What is lost: far from the surface
/// free radii are shorter (by up to a block's diagonal, 8 sqrt(3) voxels), and deeper inside than
/// the band the depth counts for less than it is.
/// Source: docs/methods/contact-and-coupling.md, "Sparse field"; Museth 2021 (NanoVDB).
class SparseField final : public SignedField {
 public:
  /// @param bytes one NanoVDB grid, aligned to 32; every offset and value in it is checked here,
  ///              nothing in it is trusted
  /// @throws InputError if anything is invalid
  SparseField(std::span<const std::uint8_t> bytes, std::uint32_t resolution,
              std::span<const double> frame, std::string_view source = "field");
  explicit SparseField(const ModelFile& model);

  double distance(const Vector3& p) const HAPTIC_REALTIME;
  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override;
  /// Walks to the blocks, which fetches their nodes, and fetches the samples.
  void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME override;
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override;

  std::uint32_t resolution() const { return resolution_; }  ///< N
  double edge() const HAPTIC_REALTIME override { return grid_.edge; }
  double reach() const HAPTIC_REALTIME override { return reach_; }
  const GridView& grid() const { return grid_; }  ///< without values
  std::size_t stored_blocks() const { return blocks_; }

  /// Sample (i, j, k), each 0..N.
  float value(std::uint32_t i, std::uint32_t j, std::uint32_t k) const HAPTIC_REALTIME;
  /// Whether that sample's block is stored.
  bool is_stored(std::uint32_t i, std::uint32_t j, std::uint32_t k) const HAPTIC_REALTIME;

 private:
  struct Cell {
    std::uint32_t i, j, k;  // lowest corner
    __m256d t;              // grid::Place
  };

  /// None outside the box.
  std::optional<Cell> cell(const Vector3& p) const HAPTIC_REALTIME;
  grid::Corners gather(const Cell& cell) const HAPTIC_REALTIME;
  /// Samples of a block, z fastest; null for one that is one number, then in `tile`.
  const float* block(std::uint32_t i, std::uint32_t j, std::uint32_t k,
                     float& tile) const HAPTIC_REALTIME;

  GridView grid_;
  const void* upper_ = nullptr;  // the one upper node: it holds 4096^3 samples
  std::uint32_t resolution_ = 0;
  std::size_t blocks_ = 0;
  double reach_ = 0.0;
};

}  // namespace haptic
