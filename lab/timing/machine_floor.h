#pragma once

#include <cstddef>
#include <span>

namespace haptic {

/// Upper bounds for code on this machine, with the instruction set of the kernels
/// (shared/simd/simd_target.h). Best of many trials.

/// Double-precision operations per second, two for a fused multiply-add.
double peak_flops();

/// Sum of all values, as fast as they can be read; aligned to a cache line.
double stream(std::span<const double> values);

}  // namespace haptic
