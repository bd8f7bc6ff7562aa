#include "shared/simd/simd_target.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "shared/error.h"

namespace haptic {

bool has_avx512() {
  // The features that Highway's AVX3 target is compiled for, as the compiler's runtime found them
  // when the program started: CPUID takes tens of microseconds on a virtual machine.
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

SimdTarget simd_target() {
  const char* wanted = std::getenv("HAPTIC_SIMD");
  if (wanted == nullptr) return has_avx512() ? SimdTarget::kAvx512 : SimdTarget::kAvx2;
  if (std::string_view(wanted) == "avx2") return SimdTarget::kAvx2;
  if (std::string_view(wanted) == "avx512" && has_avx512()) return SimdTarget::kAvx512;
  throw InputError("environment", "HAPTIC_SIMD", fmt::format("found '{}'", wanted),
                   has_avx512() ? "avx2 or avx512" : "avx2 (this machine has no AVX-512)");
}

const char* name_of(SimdTarget target) {
  return target == SimdTarget::kAvx512 ? "avx512" : "avx2";
}

}  // namespace haptic
