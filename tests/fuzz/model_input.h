#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haptic {

/// A model file in the form that a fuzzer mutates. The numbers that determine shapes are stored
/// once, so that a change affects every dependent section; hashes are not stored.
struct ModelInput {
  /// Symbols of the shape column of kSections, in this order.
  static constexpr char kSymbols[] = "nmGrkvtsTlNPDcKSQ";
  static constexpr std::size_t kSymbolCount = sizeof kSymbols - 1;

  struct Part {
    std::uint8_t section = 0;  ///< row of kSections, modulo their number
    bool own_shape = false;    ///< `shape` instead of that of the symbols
    std::array<std::uint64_t, 3> shape = {};
    std::vector<std::uint8_t> data;  ///< repeated to the section's length; empty: zeros
  };

  std::uint8_t scene = 0;  ///< scene for the model
  std::array<std::uint8_t, kSymbolCount> symbols = {};
  std::vector<Part> parts;

  /// Any bytes are an input; missing ones are zero.
  static ModelInput parse(std::span<const std::uint8_t> bytes);
  /// The bytes that `parse` reads back.
  std::vector<std::uint8_t> bytes() const;
  /// Writes the file to `out`, whose memory is used again: header, index, data, all hashes right.
  /// A section that would make the file larger than 256 KiB is in the index, without its data.
  void write_file(std::vector<std::uint8_t>& out) const;
};

/// One structured mutation: a symbol, a shape, a number of the data, a section added or removed.
void mutate(ModelInput& input, std::uint32_t seed);

}  // namespace haptic
