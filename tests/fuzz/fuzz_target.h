#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// One call of a fuzz target: libFuzzer's entry point, or that of replay_main.cpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// A change of an input in place, to at most `most` bytes. @returns the new size. A target may
/// define it; libFuzzer, or replay_main.cpp, calls it instead of changing bytes.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                                                     std::size_t size,
                                                                     std::size_t most,
                                                                     unsigned seed);
/// The default mutation of libFuzzer, or that of replay_main.cpp.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace haptic {

/// Asserts a condition that must be true for any input; otherwise prints the line and aborts.
inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: violated: %s\n", what);
  std::abort();
}

/// The text of an input, limited in length: longer TOML covers no new code.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace haptic
