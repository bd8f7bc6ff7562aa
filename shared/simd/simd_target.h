#pragma once

#include <cstdint>

namespace haptic {

/// Instruction sets that the kernels of the loop are compiled for. The whole tree is built for
/// x86-64-v3 (cmake/HapticTargets.cmake), so nothing below AVX2 could run anyway.
enum class SimdTarget : std::uint8_t { kAvx2, kAvx512 };

/// The best one of this machine, or the one that the environment variable HAPTIC_SIMD names
/// (`avx2` or `avx512`). Results differ between targets by rounding, so runs that must agree bit
/// for bit need the same one. Read at construction, never in the loop.
/// @throws InputError if HAPTIC_SIMD is unknown or names a target that the machine does not support
SimdTarget simd_target();

/// Whether this machine, and its operating system, can run kAvx512.
bool has_avx512();

const char* name_of(SimdTarget target);

/// The kernels for `target` of a file that is compiled for each (foreach_target.h).
template <typename Kernels>
const Kernels& for_target(SimdTarget target, const Kernels& avx512, const Kernels& avx2) {
  return target == SimdTarget::kAvx512 ? avx512 : avx2;
}

}  // namespace haptic
