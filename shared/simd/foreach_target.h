// Compiles a source file of kernels once for each SimdTarget, in the namespaces N_AVX2 and N_AVX3.
//
// The file defines HWY_TARGET_INCLUDE as its own path from the root of the tree, then includes this
// header before any per-target header (*-inl.h), and chooses with for_target under #if HWY_ONCE.
// Its folder's CMakeLists.txt keeps it out of unity builds.
#pragma once

// x86-64-v3 has neither AES nor carry-less multiplication; without this the base would be SSSE3.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
