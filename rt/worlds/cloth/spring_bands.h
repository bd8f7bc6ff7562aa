#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/cloth_springs.h"
#include "rt/dynamics/aligned_vector.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// x, y and z of all particles, an array each, with zeros behind the last that vectors of four may
/// read and write.
struct CoordinateArrays {
  AlignedVector<double> x, y, z;

  explicit CoordinateArrays(std::size_t particles);
  void clear() HAPTIC_REALTIME;
  /// @param vectors  3n values
  void load(std::span<const double> vectors) HAPTIC_REALTIME;
};

/// Springs in the order in which four at a time can be computed.
///
/// On a grid, springs of a kind join particles i and i + offset. A band has a slot for every i of
/// a range, in their order, so that four springs read and write four neighbours: no gathers. Slots
/// without a spring are gaps. Springs of an offset that has too few, interlaced ones, and a second
/// spring between two particles are loose.
class SpringBands {
 public:
  static constexpr std::uint32_t kLoose = 0xffffffff;
  static constexpr std::uint32_t kGap = 0xffffffff;
  struct Band {
    std::uint32_t first, end;  ///< particles i, multiples of four
    std::uint32_t offset;
    std::uint32_t slot;  ///< of the particle `first`
  };

  SpringBands(const Springs& springs, std::size_t particles);

  std::size_t particles() const HAPTIC_REALTIME { return particles_; }
  std::size_t slots() const HAPTIC_REALTIME { return spring_of_.size(); }
  /// Of a slot; kGap if it has none.
  std::uint32_t spring(std::size_t slot) const HAPTIC_REALTIME { return spring_of_[slot]; }
  /// Of a spring; kLoose if it is in no band.
  std::uint32_t slot(std::size_t spring) const HAPTIC_REALTIME { return slot_of_[spring]; }
  std::span<const std::uint32_t> loose() const HAPTIC_REALTIME { return loose_; }

  /// Calls visit(i, j, slot) for four springs each: of i and j = i + offset to i + 3 and j + 3. In
  /// blocks of particles whose arrays stay in the first cache.
  template <class Visit>
  void for_each_four(Visit visit) const HAPTIC_REALTIME {
    constexpr std::uint32_t kBlock = 128;
    for (std::uint32_t block = 0; block < particles_; block += kBlock) {
      for (const Band& band : bands_) {
        const std::uint32_t end = std::min(block + kBlock, band.end);
        for (std::uint32_t i = std::max(block, band.first); i < end; i += 4) {
          visit(i, i + band.offset, band.slot + (i - band.first));
        }
      }
    }
  }

 private:
  std::uint32_t particles_;
  std::vector<Band> bands_;
  std::vector<std::uint32_t> spring_of_, slot_of_, loose_;
};

}  // namespace haptic::cloth
