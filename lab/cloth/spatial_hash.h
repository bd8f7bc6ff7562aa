#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/cloth/sphere_volume.h"
#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// A cell of the infinite grid: floor(x / cell size) of each coordinate.
using GridCell = std::array<std::int32_t, 3>;

/// (i 73856093) xor (j 19349663) xor (k 83492791), modulo 2^32. (19349663 is no prime, as the
/// source has it: 41 x 471943. The values are kept.)
std::uint32_t hash_of(const GridCell& cell) HAPTIC_REALTIME;

/// Triangles by the cells that their boxes touch, in a table of a fixed number of buckets.
///
/// The table is filled again each step; a bucket whose time stamp is old is empty, so nothing is
/// cleared. A triangle over more than kMaxCells cells is not in the table but in a list that every
/// query reads: memory is fixed and no triangle is ever left out. The size of a cell is the mean
/// length of the triangles' edges at construction, and again when that changes by over a quarter.
/// Source: docs/methods/cloth.md, "Spatial hashing"; Teschner et al. 2003.
class SpatialHash {
 public:
  static constexpr std::uint32_t kMaxCells = 27;

  /// @param x  positions [m], 3 values a particle
  /// @throws InputError as check_triangles, or if all edges have the length 0
  SpatialHash(std::span<const cloth::TriangleCorners> triangles, std::span<const double> x);

  /// Fills the table for these positions.
  /// @returns kNotFinite if a position is not finite or beyond 2^30 cells; all is then as before
  [[nodiscard]] cloth::UpdateResult update(std::span<const double> x) HAPTIC_REALTIME;

  /// Triangles whose boxes overlap `shape`: a BoxVolume, or the SweptPoint between two places of
  /// the hand. Each once, in the order of the cells; appended to `found`. Ends early when the list
  /// is full. A shape over more cells than there are triangles is compared with each box instead.
  void find(const cloth::BoxVolume& shape, cloth::TriangleList& found) const HAPTIC_REALTIME;
  void find(const SweptPoint& shape, cloth::TriangleList& found) const HAPTIC_REALTIME;

  GridCell cell_at(const Vector3& p) const HAPTIC_REALTIME;
  /// Whether the bucket of the cell, or the list of large triangles, has the triangle.
  bool holds(const GridCell& cell, std::uint32_t triangle) const HAPTIC_REALTIME;

  double cell_size() const HAPTIC_REALTIME { return cell_size_; }
  std::size_t bucket_count() const HAPTIC_REALTIME { return buckets_.size(); }
  /// Entries in the table since the last update, and triangles beside it.
  std::size_t entry_count() const HAPTIC_REALTIME { return entry_count_; }
  std::size_t large_count() const HAPTIC_REALTIME { return large_count_; }
  const cloth::BoxVolume& box(std::uint32_t triangle) const HAPTIC_REALTIME {
    return boxes_[triangle];
  }

 private:
  struct Bucket {
    std::uint64_t stamp = 0;
    std::uint32_t first = 0;
  };
  struct Entry {
    std::uint32_t triangle = 0, next = 0;
  };

  template <class Shape>
  void find_in(const Shape& shape, const cloth::BoxVolume& around,
               cloth::TriangleList& found) const HAPTIC_REALTIME;
  template <class Shape>
  bool find_in_cell(const GridCell& cell, const GridCell& low, const Shape& shape,
                    cloth::TriangleList& found) const HAPTIC_REALTIME;
  double mean_edge(std::span<const double> x) const HAPTIC_REALTIME;
  void insert(std::uint32_t triangle) HAPTIC_REALTIME;

  std::vector<cloth::TriangleCorners> triangles_;
  double cell_size_ = 0.0;
  std::uint64_t stamp_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<Entry> entries_;  // capacity: kMaxCells a triangle
  std::size_t entry_count_ = 0;
  std::vector<std::uint32_t> large_;
  std::size_t large_count_ = 0;
  std::vector<cloth::BoxVolume> boxes_, new_boxes_;
};

}  // namespace haptic::lab
