// A fuzz target without libFuzzer: every seed of a folder and mutations of it from a fixed
// sequence, so that the ordinary tests run the targets, too. A target with a custom mutator
// (LLVMFuzzerCustomMutator) mutates its inputs with it.
//
// Usage: PROGRAM SEED_FOLDER CHANGES_PER_SEED
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes changed(Bytes bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t count = 1 + below(4); count > 0 && !bytes.empty(); --count) {
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << below(8)));
        break;
      case 2:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     static_cast<std::uint8_t>(random()));
        break;
      case 3:
        bytes.erase(
            bytes.begin() + static_cast<std::ptrdiff_t>(at),
            bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 1 + below(8))));
        break;
      default: {  // a piece from elsewhere over this one
        const std::size_t from = below(bytes.size());
        const std::size_t length = std::min(1 + below(16), bytes.size() - std::max(at, from));
        const Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                          bytes.begin() + static_cast<std::ptrdiff_t>(from + length));
        std::copy(piece.begin(), piece.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  return bytes;
}

std::mt19937 sequence(1);

Bytes other_than(const Bytes& bytes) {
  constexpr std::size_t kMax = 16384;
  if (LLVMFuzzerCustomMutator == nullptr || bytes.size() > kMax) return changed(bytes, sequence);
  Bytes other = bytes;
  other.resize(kMax);
  std::size_t size = bytes.size();
  for (auto count = 1 + sequence() % 3; count > 0; --count) {
    size = LLVMFuzzerCustomMutator(other.data(), size, kMax, static_cast<unsigned>(sequence()));
  }
  other.resize(size);
  return other;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  const Bytes other = changed(Bytes(data, data + size), sequence);
  const std::size_t kept = std::min(other.size(), most);
  std::copy_n(other.begin(), kept, data);
  return kept;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    seeds.push_back(entry.path());
  }
  std::sort(seeds.begin(), seeds.end());
  long executions = 0;
  for (const auto& seed : seeds) {
    std::ifstream file(seed, std::ios::binary);
    const Bytes bytes((std::istreambuf_iterator<char>(file)), {});
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    for (long change = std::atol(argv[2]); change > 0; --change, ++executions) {
      const Bytes other = other_than(bytes);
      LLVMFuzzerTestOneInput(other.data(), other.size());
    }
  }
  std::printf("%zu seeds, %ld changes of them\n", seeds.size(), executions);
  return seeds.empty() ? 1 : 0;
}
