#include "rt/device/falcon/digest.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace haptic {
namespace {

using Word = std::uint32_t;
constexpr std::size_t kDigestBlock = 64;

// Both digests: a one bit, zeros, and the length in bits as the last eight bytes of a whole block.
std::vector<std::uint8_t> padded(std::span<const std::uint8_t> data, bool big_endian) {
  std::vector<std::uint8_t> out(data.begin(), data.end());
  out.push_back(0x80);
  while (out.size() % kDigestBlock != kDigestBlock - 8) out.push_back(0);
  const std::uint64_t bits = std::uint64_t{data.size()} * 8;
  for (int i = 0; i < 8; ++i) {
    out.push_back(static_cast<std::uint8_t>(bits >> 8 * (big_endian ? 7 - i : i)));
  }
  return out;
}

Word big_word(const std::uint8_t* p) {
  return Word{p[0]} << 24 | Word{p[1]} << 16 | Word{p[2]} << 8 | p[3];
}

Word little_word(const std::uint8_t* p) {
  return Word{p[3]} << 24 | Word{p[2]} << 16 | Word{p[1]} << 8 | p[0];
}

// FIPS 180-4, 4.2.2 and 5.3.3: the first 32 bits of the fractional parts of square and cube roots
// of the first primes. An 80-bit long double has a 64-bit significand, so at least 61 fractional
// bits are available here.
Word fraction_bits(long double x) {
  return static_cast<Word>((x - std::floor(x)) * 4294967296.0L);
}

struct Sha256Constants {
  std::array<Word, 8> start{};
  std::array<Word, 64> round{};
  Sha256Constants() {
    std::size_t n = 0;
    for (unsigned p = 2; n < round.size(); ++p) {
      bool prime = true;
      for (unsigned q = 2; q * q <= p; ++q) prime = prime && p % q != 0;
      if (!prime) continue;
      if (n < start.size()) start[n] = fraction_bits(std::sqrt(static_cast<long double>(p)));
      round[n++] = fraction_bits(std::cbrt(static_cast<long double>(p)));
    }
  }
};

}  // namespace

std::string sha256(std::span<const std::uint8_t> data) {
  static const Sha256Constants constants;
  std::array<Word, 8> hash = constants.start;
  const std::vector<std::uint8_t> message = padded(data, true);
  for (std::size_t at = 0; at < message.size(); at += kDigestBlock) {
    std::array<Word, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) w[t] = big_word(&message[at + 4 * t]);
    for (std::size_t t = 16; t < 64; ++t) {
      const Word s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
      const Word s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (std::size_t t = 0; t < 64; ++t) {
      const Word s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const Word t1 = h + s1 + ((e & f) ^ (~e & g)) + constants.round[t] + w[t];
      const Word s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const Word t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<Word, 8> add{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) hash[i] += add[i];
  }
  std::string text;
  for (const Word word : hash) text += fmt::format("{:08x}", word);
  return text;
}

std::string md5(std::span<const std::uint8_t> data) {
  constexpr std::array<std::array<int, 4>, 4> kTurns{
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  std::array<Word, 4> hash{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::vector<std::uint8_t> message = padded(data, false);
  for (std::size_t at = 0; at < message.size(); at += kDigestBlock) {
    auto [a, b, c, d] = hash;
    for (unsigned i = 0; i < 64; ++i) {
      Word mix = 0;
      unsigned word = i;
      switch (i / 16) {
        case 0:
          mix = (b & c) | (~b & d);
          break;
        case 1:
          mix = (d & b) | (~d & c), word = 5 * i + 1;
          break;
        case 2:
          mix = b ^ c ^ d, word = 3 * i + 5;
          break;
        default:
          mix = c ^ (b | ~d), word = 7 * i;
      }
      const auto sine = static_cast<Word>(std::abs(std::sin(i + 1.0)) * 4294967296.0);
      const Word sum = a + mix + sine + little_word(&message[at + 4 * (word % 16)]);
      a = d, d = c, c = b, b += std::rotl(sum, kTurns[i / 16][i % 4]);
    }
    const std::array<Word, 4> add{a, b, c, d};
    for (std::size_t i = 0; i < 4; ++i) hash[i] += add[i];
  }
  std::string text;
  for (const Word word : hash) {
    for (int byte = 0; byte < 4; ++byte) text += fmt::format("{:02x}", word >> 8 * byte & 0xFF);
  }
  return text;
}

}  // namespace haptic
