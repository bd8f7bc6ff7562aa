#pragma once

#include <Eigen/Dense>

// Eigen's decompositions that several files use, instantiated once, in decompositions.cpp. Each
// takes g++ three to eight seconds; Quaterniond::FromTwoVectors contains one. The build includes
// this file in the precompiled headers with Eigen.
//
// An argument must be a matrix: for an expression, Eigen instantiates the solver again.
//
// Not for clang, whose -Wfunction-effects checks the bodies of the functions that the cycle calls.
#if defined(__GNUC__) && !defined(__clang__)
#define HAPTIC_INSTANTIATED extern template
#include "shared/math/decompositions.inc"
#undef HAPTIC_INSTANTIATED
#endif
