#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haptic {

/// A model file as a fuzzer changes it: what decides shapes stands once, so that a change of it
/// changes every section that follows from it, and hashes do not stand at all.
struct ModelInput {
  /// Symbols of the shape column of kSections, in this order.
  static constexpr char kSymbols[] = "nmGrkvtsTlNPD";
  static constexpr std::size_t kSymbolCount = sizeof kSymbols - 1;

  struct Part {
    std::uint8_t section = 0;  ///< row of kSections, modulo their number
    bool own_shape = false;    ///< `shape` instead of what the symbols give
    std::array<std::uint64_t, 3> shape = {};
    std::vector<std::uint8_t> data;  ///< repeated to the section's length; empty: zeros
  };

  std::uint8_t scene = 0;  ///< which scene the model is put into
  std::array<std::uint8_t, kSymbolCount> symbols = {};
  std::vector<Part> parts;

  /// Any bytes are an input; what is missing is zero.
  static ModelInput parse(std::span<const std::uint8_t> bytes);
  /// The bytes that `parse` reads back.
  std::vector<std::uint8_t> bytes() const;
  /// Writes the file to `out`, whose memory is used again: header, index, data, all hashes right.
  /// A section that would make the file larger than 256 KiB is in the index, without its data.
  void write_file(std::vector<std::uint8_t>& out) const;
};

/// One change of meaning: a symbol, a shape, a number of a section's data, a section more or less.
void mutate(ModelInput& input, std::uint32_t seed);

}  // namespace haptic
