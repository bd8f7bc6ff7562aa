#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "shared/simd/simd_target.h"

namespace haptic {

/// HAPTIC_SIMD while it lives.
class ForcedSimdTarget {
 public:
  explicit ForcedSimdTarget(const char* name) {
    if (const char* before = std::getenv("HAPTIC_SIMD")) before_ = before;
    setenv("HAPTIC_SIMD", name, 1);
  }
  ~ForcedSimdTarget() {
    if (before_) {
      setenv("HAPTIC_SIMD", before_->c_str(), 1);
    } else {
      unsetenv("HAPTIC_SIMD");
    }
  }
  ForcedSimdTarget(const ForcedSimdTarget&) = delete;
  ForcedSimdTarget& operator=(const ForcedSimdTarget&) = delete;

 private:
  std::optional<std::string> before_;
};

/// Those that this machine can run: AVX2 always.
inline std::vector<SimdTarget> supported_simd_targets() {
  std::vector<SimdTarget> targets = {SimdTarget::kAvx2};
  if (has_avx512()) targets.push_back(SimdTarget::kAvx512);
  return targets;
}

}  // namespace haptic
