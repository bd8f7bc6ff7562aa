#pragma once

#include <cstdint>
#include <vector>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"

namespace haptic {

/// The environment of the voxmap-pointshell method: cells of a cube with a code each, for
/// comparison with the distance field. Two bits a cell say free, interior, surface or proximity;
/// four bits also how many cells away the surface is.
/// Source: docs/methods/contact-and-coupling.md, "Voxmap-pointshell"; McNeely et al. 1999.
///
/// Storage is a 512-tree of two levels: a block of 8^3 cells of one code is that code alone.
class Voxmap {
 public:
  /// Codes of either width. From kFar on, four bits: code - kProximity cells nearer than the
  /// surface are known to be free, as kFree is beyond the last code.
  enum Code : std::uint8_t { kFree = 0, kInterior = 1, kSurface = 2, kProximity = 3, kFar = 4 };
  enum class Bits : std::uint8_t { kTwo = 2, kFour = 4 };
  static constexpr std::uint32_t kBlock = 8;  ///< cells along a block

  /// Cells of the cube [lower, lower + resolution * edge]^3: of the surface where the field's
  /// samples at their corners differ in sign.
  /// @param resolution cells along the cube, a multiple of kBlock
  /// @throws InputError if the resolution is invalid
  Voxmap(const SignedField& field, const Vector3& lower, double edge, std::uint32_t resolution,
         Bits bits);

  double edge() const { return edge_; }            ///< m
  const Vector3& lower() const { return lower_; }  ///< m
  std::uint32_t resolution() const { return resolution_; }
  std::size_t bytes() const { return blocks_.size() + 4 * top_.size() + block_distance_.size(); }

  /// Position of a point in the map.
  struct Cell {
    std::uint32_t i, j, k;
    double outside;  ///< largest coordinate of the way from the cube to the point [m], 0 inside
  };
  /// The cell of a point, or the nearest one of the cube. @param p field's material frame, finite
  Cell locate(const Vector3& p) const;
  std::uint8_t code(const Cell& cell) const { return code(cell.i, cell.j, cell.k); }
  std::uint8_t code(std::uint32_t i, std::uint32_t j, std::uint32_t k) const;
  Vector3 centre(const Cell& cell) const;

  /// Length along any axis that separates any point of the cell from the surface's cells, at least
  /// [m]; 0 for the surface, its neighbours and the interior.
  double clearance(std::uint8_t code) const;
  /// The same for the block of the cell, from whole blocks.
  double block_clearance(const Cell& cell) const;

 private:
  std::uint32_t block_of(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
    return ((k / kBlock) * blocks_a_side_ + j / kBlock) * blocks_a_side_ + i / kBlock;
  }
  void collapse(const std::vector<std::uint8_t>& codes);
  void measure_blocks();

  Vector3 lower_;
  double edge_, inverse_edge_;
  std::uint32_t resolution_, blocks_a_side_, bits_;
  std::vector<std::uint32_t> top_;            // a code, or kStored + index of a block
  std::vector<std::uint8_t> blocks_;          // packed codes, block by block
  std::vector<std::uint8_t> block_distance_;  // blocks away from the nearest that is not free
};

}  // namespace haptic
