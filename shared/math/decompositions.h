#pragma once

#include <Eigen/Dense>

// Explicit instantiation declarations of the Eigen decompositions that several files use, to save
// compile time: g++ needs three to eight seconds to instantiate one. The precompiled headers with
// Eigen include this file; the definitions are in decompositions.cpp.
//
// Pass a matrix to a decomposition: for an expression, Eigen instantiates the decomposition again.
// Quaterniond::FromTwoVectors contains a JacobiSVD; use smallest_rotation (shared/math/pose.h).
//
// clang does not get the declarations: its -Wfunction-effects needs the bodies of the functions
// that the cycle calls.
#if defined(__GNUC__) && !defined(__clang__)
#define HAPTIC_INSTANTIATED extern template
#include "shared/math/decompositions.inc"
#undef HAPTIC_INSTANTIATED
#endif
