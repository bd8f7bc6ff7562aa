// Puts length and hashes of a crafted model file right, in place, for tests that are not C++.
//
// Usage: rebuild_model_hashes MODEL.h5
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/support/model_hashes.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  std::vector<std::uint8_t> file((std::istreambuf_iterator<char>(in)), {});
  if (!in || file.empty()) {
    std::fprintf(stderr, "rebuild_model_hashes: %s: cannot be read\n", argv[1]);
    return 2;
  }
  haptic::rebuild_model_hashes(file);
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  return out.flush() ? 0 : 1;
}
