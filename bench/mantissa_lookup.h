#pragma once

#include <bit>
#include <cstdint>

namespace haptic {

/// Cell and place in it of w in [0, 1) on a grid of 2^k cells, from the bits of 1 + w
/// (Barbic 2007, Section 3.11): the exponent is fixed, the first k bits of the mantissa are the
/// cell, the rest the place. Compared with the plain conversion, which the fields use.
struct MantissaCell {
  std::uint32_t index;
  float fraction;
};

inline MantissaCell mantissa_lookup(float w, std::uint32_t k) {
  constexpr float kBelowOne = 1.0f - 0x1p-23f;  // nearer to 1, 1 + w would round to 2
  const auto bits = std::bit_cast<std::uint32_t>(1.0f + (w < kBelowOne ? w : kBelowOne));
  const std::uint32_t index = bits >> (23 - k) & ((1u << k) - 1);
  return {index, std::bit_cast<float>((bits << k & 0x7FFFFFu) | 0x3F800000u) - 1.0f};
}

inline MantissaCell plain_lookup(float w, std::uint32_t k) {
  const float x = w * static_cast<float>(1u << k);
  const auto index = static_cast<std::int32_t>(x);
  return {static_cast<std::uint32_t>(index), x - static_cast<float>(index)};
}

}  // namespace haptic
