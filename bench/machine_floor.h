#pragma once

#include <cstddef>
#include <span>

namespace haptic {

/// What no code on this machine can beat, with the instruction set that the kernels run on
/// (shared/simd/simd_target.h). Best of many trials.

/// Double-precision operations per second, two for a fused multiply-add.
double peak_flops();

/// Sum of all values, as fast as they can be read; aligned to a cache line.
double stream(std::span<const double> values);

}  // namespace haptic
